"""Secrets in texts and in defaults of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.checks.predicate import MOST, Match, NoOptions, Predicate, Subject, match_at
from skillbag.documents.nodes import Scalar
from skillbag.secrets.detection import LITERALS, Secret, find_secrets, looks_secret
from skillbag.secrets.form import PASSWORD
from skillbag.secrets.random_strings import is_random_string
from skillbag.standard.parameters import declared_parameters
from skillbag.workspace import git
from skillbag.workspace.skill import Skill
from skillbag.workspace.target import CONTEXT, USER_CONTEXT
from skillbag.workspace.text import TextFile


def secret_matches(path: str, found: Iterable[Secret]) -> Iterator[Match]:
    """A match for each secret in the file `path`, raised where its form is known and git does not ignore the file."""
    found = tuple(found)
    is_kept = any(one.is_certain for one in found) and not git.ignored([path])
    for one in found:
        yield match_at(path, one, {"kind": one.kind})._replace(raised=one.is_certain and is_kept)


@Predicate("secret", Subject.TEXT, values=("kind",), literals=LITERALS, needs="before_secrets.may_have_secret")
def secret(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Secrets, raised where the form is known; those of context files have a rule of their own."""
    if text.skill is None and text.relative in (CONTEXT, USER_CONTEXT):
        return
    path = text.document.path
    found = find_secrets(text.document.text, text.places, MOST + 1)
    # Texts that teach invent passwords, but no generator does.
    if text.language == "markdown":
        found = tuple([one for one in found if one.kind != PASSWORD or _is_generated(text, one)])
    yield from secret_matches(path, found)


def _is_generated(text: TextFile, found: Secret) -> bool:
    return is_random_string(text.document.text[found.start : found.end])


@Predicate("secret-default", Subject.SKILL, values=("name",), needs="parameters")
def secret_default(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Defaults that look secret because of the parameter's name; known tokens are found by the predicate `secret`.

    The place is the parameter's name, so that no output shows the line of the value.
    """
    for parameter in declared_parameters(skill):
        default, name = parameter.default, parameter.name
        if isinstance(default, Scalar) and not find_secrets(default.value) and looks_secret(name.value, default.value):
            yield match_at(skill.path, name, {"name": name.value})
