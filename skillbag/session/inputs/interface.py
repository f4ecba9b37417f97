"""The parameters of a skill as values, with the keys that extend the standard."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.kernel.standard.declarations import Place
from skillbag.session.settings.value import Value


class Condition(NamedTuple):
    """An entry of `required-if`: another parameter, and the values that meet the condition; empty for any value."""

    name: str
    values: tuple[Value, ...]


class DeclaredParameter(NamedTuple):
    """A parameter as `SKILL.md` declares it.

    `discover`, `required_if`, `confirm` and `persist` are extensions (`kernel/standard/parameter_keys.py`). `confirm`
    is None if no value needs confirmation, and empty if every value does. A required parameter has no default (clause
    parameters.no-required-default).
    """

    name: str
    required: bool
    default: Value | None
    place: Place
    type: str | None = None
    values: tuple[Value, ...] = ()
    description: str = ""
    discover: tuple[str, ...] = ()
    required_if: tuple[Condition, ...] = ()
    confirm: tuple[Value, ...] | None = None
    persist: bool | None = None
    default_place: Place | None = None


class Interface(NamedTuple):
    """All parameters of a skill, in order; `risk` is why every run needs confirmation."""

    skill: str
    parameters: tuple[DeclaredParameter, ...]
    risk: str = ""
    risk_place: Place | None = None

    def parameter(self, name: str) -> DeclaredParameter | None:
        """The parameter of this name."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)
