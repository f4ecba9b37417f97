"""The settings of `SKILLBAG.md`, `CONTEXT.md` and `USER_CONTEXT.md` as values, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from skillbag.lifecycle.diagnostics import Remark
from skillbag.lifecycle.value import Value
from skillbag.standard.context_blocks import ANY_SKILL, ANY_VALUE
from skillbag.standard.declarations import Declarations, Level, Place


class ParameterValue(NamedTuple):
    """A value that a context file gives for a parameter; None takes an earlier one of the same file back (`null`).

    `skill` is a name or `*`.
    """

    skill: str
    name: str
    value: Value | None
    level: Level
    place: Place


class ProhibitedValue(NamedTuple):
    """A value that no level below `level` may give for a parameter of `skill` (a name or `*`); the text `*` is any."""

    skill: str
    name: str
    value: Value
    level: Level
    place: Place | None

    def binds(self, level: Level, holding: Callable[[Value], bool]) -> bool:
        """Whether a value of that level is prohibited; `holding` is its `holder`."""
        return self.level < level and (self.value.value == ANY_VALUE or holding(self.value))


class TagChange(NamedTuple):
    """A tag (`#run/last`) that user context gives to `skill` (a name or `*`), or takes away."""

    skill: str
    tag: str
    add: bool
    place: Place


class ConflictResolution(NamedTuple):
    """Of these skills, the winner."""

    skills: tuple[str, ...]
    winner: str
    level: Level
    place: Place


@dataclass(frozen=True)
class Settings:
    """The contents of the three files: the highest level first, within a file in its order."""

    given: tuple[ParameterValue, ...]
    prohibited: tuple[ProhibitedValue, ...]
    tags: tuple[TagChange, ...]
    rules: tuple[ConflictResolution, ...]
    declarations: Declarations
    remarks: tuple[Remark, ...] = ()

    def values(self, skill: str, name: str) -> tuple[ParameterValue, ...]:
        """What is given for a parameter of a skill, best first (clauses precedence.order, precedence.last-wins).

        The level counts first, then a skill's name over `*`, then the last definition in the file.
        """
        found = [value for value in self._given.get(name, ()) if value.skill in (skill, ANY_SKILL)]
        found.reverse()
        return tuple(sorted(found, key=lambda value: (value.level, value.skill == ANY_SKILL)))

    def prohibitions(self, skill: str, name: str) -> tuple[ProhibitedValue, ...]:
        """The values that are prohibited for a parameter of a skill, the highest level first."""
        return tuple(value for value in self._prohibited.get(name, ()) if value.skill in (skill, ANY_SKILL))

    @cached_property
    def _given(self) -> dict[str, list[ParameterValue]]:
        return _by_name(self.given)

    @cached_property
    def _prohibited(self) -> dict[str, list[ProhibitedValue]]:
        return _by_name(self.prohibited)


_Named = TypeVar("_Named", ParameterValue, ProhibitedValue)


def _by_name(values: Iterable[_Named]) -> dict[str, list[_Named]]:
    found: dict[str, list[_Named]] = {}
    for value in values:
        found.setdefault(value.name, []).append(value)
    return found


_NO_DECLARATIONS = Declarations((), {}, {})
NO_SETTINGS = Settings((), (), (), (), _NO_DECLARATIONS)
