"""Secrets in defaults of parameters, without the tables of all credentials."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.secrets.judges import named_secret
from skillbag.kernel.standard.parameters import declared_parameters
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at


@Predicate("secret-default", Subject.SKILL, values=("name",), needs="parameters")
def secret_default(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Defaults that look secret because of the parameter's name; known tokens are found by the predicate `secret`.

    The place is the parameter's name, so that no output shows the line of the value.
    """
    for parameter in declared_parameters(skill):
        default, name = parameter.default, parameter.name
        if isinstance(default, Scalar) and named_secret(name.value, default.value) and not _is_known(default.value):
            yield match_at(skill.path, name, {"name": name.value})


def _is_known(value: str) -> bool:
    from skillbag.kernel.secrets.detection import find_secrets

    return bool(find_secrets(value))
