"""Secrets in texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.kernel.documents.nodes import Node, Scalar, core_value
from skillbag.kernel.secrets.detection import LITERALS, Secret, find_secrets
from skillbag.kernel.secrets.disclosure import disclosures, is_named_secret, is_sample
from skillbag.kernel.secrets.form import PASSWORD, WEB_TOKEN
from skillbag.kernel.secrets.random_strings import is_random_string
from skillbag.kernel.standard.blocks import contexts, entries_of, items_of, mappings
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.model import ContextFile, Inventory
from skillbag.kernel.workspace.target import CONTEXT, USER_CONTEXT
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, match_at
from skillbag.lint.facts.roles import is_test


def secret_matches(path: str, found: Iterable[Secret]) -> Iterator[Match]:
    """A match for each secret in the file `path`, raised where its form is known and git does not ignore the file."""
    found = tuple(found)
    is_kept = any(one.is_certain for one in found) and not git.ignored([path])
    for one in found:
        yield match_at(path, one, {"kind": one.kind})._replace(raised=one.is_certain and is_kept)


@Predicate("secret", Subject.TEXT, values=("kind",), literals=LITERALS)
def secret(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Secrets, raised where the form is known; those of context files have a rule of their own."""
    if text.skill is None and text.relative in (CONTEXT, USER_CONTEXT):
        return
    path = text.document.path
    found = find_secrets(text.document.text, text.places, MAX + 1)
    # Texts that teach invent passwords, but no generator does.
    if text.language == "markdown":
        found = tuple([one for one in found if one.kind != PASSWORD or _is_generated(text, one)])
    # A web token says what it is and ends soon: tests have samples.
    if is_test(text):
        found = tuple([one for one in found if one.kind != WEB_TOKEN])
    yield from secret_matches(path, found)


def _is_generated(text: TextFile, found: Secret) -> bool:
    """Whether a password is a random string that no invented person is given."""
    body = text.document.text
    around = body[max(0, found.start - _AROUND) : found.end + _AROUND]
    return is_random_string(body[found.start : found.end]) and not any(name in around for name in _INVENTED)


_AROUND = 200
_INVENTED = ("Jane Doe", "John Doe", "jdoe", "@example.com", "@example.org")


@Predicate("context-secret", Subject.INVENTORY, values=("kind",))
def context_secret(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Credentials of a known form in a context file, raised as in other texts, and what is a secret by its words."""
    for context in contexts(inventory.workspace):
        path, found = context.document.path, find_secrets(context.document.text)
        yield from secret_matches(path, found)
        end = -1
        for start, stop in sorted({*_disclosed(context), *((one.start, one.end) for one in found)}):
            if start >= end and not any(one.start < stop and start < one.end for one in found):
                # No known form masks it: the line is not shown.
                yield Match(path, start, stop, {"kind": _BY_WORDS}, private=True)
            end = max(end, stop)


_BY_WORDS = "a password, a key or a code, by its name or by the words beside it"


def _disclosed(context: ContextFile) -> Iterator[tuple[int, int]]:
    """The spans of what a context file discloses, without the samples and the names of variables that code has."""
    text = context.document.text
    yield from (span for span in disclosures(text) if not is_sample(text, span))
    for mapping in mappings(context):
        for name, scalar in _named("", mapping):
            value = core_value(scalar)
            if value is None or isinstance(value, bool) or is_sample(text, (scalar.start, scalar.end)):
                continue
            if is_named_secret(name, scalar.value, is_number=isinstance(value, int | float)):
                yield scalar.start, scalar.end


def _named(name: str, node: Node) -> Iterator[tuple[str, Scalar]]:
    """The scalars below a node, each with the key that is nearest."""
    if isinstance(node, Scalar):
        yield name, node
    for entry in entries_of(node):
        yield from _named(entry.key.value, entry.value)
    for item in items_of(node):
        yield from _named(name, item)
