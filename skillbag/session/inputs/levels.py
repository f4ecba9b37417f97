"""What may give a parameter its value, and the values of each level, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Level, Place
from skillbag.session.inputs.discovery import FileSearch
from skillbag.session.inputs.interface import DeclaredParameter
from skillbag.session.settings.settings import ProhibitedValue, SessionSettings
from skillbag.session.settings.value import Value, holder


class Conversation(NamedTuple):
    """Values, prohibitions (level CONVERSATION) and accepted risks of the current conversation.

    A value of None (`null`) gives none. `confirmed` has names of parameters, and of the skill for its own risk.
    """

    values: Mapping[str, Value] = MappingProxyType({})
    prohibited: tuple[ProhibitedValue, ...] = ()
    confirmed: frozenset[str] = frozenset()


SILENCE = Conversation()


class Candidate(NamedTuple):
    """A value with its origin; `dropped` is why it does not count (a prohibition, with its place), else empty."""

    value: Value
    level: Level
    place: Place | None
    dropped: str = ""


class Candidates(NamedTuple):
    """The effective value of a parameter, if any, and the `hidden` others, best first.

    `found` are the files that the user must choose from; `is_searched` is False if the search was not completed.
    """

    effective: Candidate | None
    hidden: tuple[Candidate, ...]
    found: tuple[Value, ...] = ()
    is_searched: bool = True


class Levels(NamedTuple):
    """The sources of the values of a skill's parameters."""

    skill: str
    settings: SessionSettings
    conversation: Conversation
    search: FileSearch

    def candidates(self, parameter: DeclaredParameter) -> Candidates:
        """The values of a parameter: given ones, else those that the search finds."""
        effective: Candidate | None = None
        hidden: list[Candidate] = []
        for first, others in self._given(parameter):
            if first and not first.dropped and effective is None:
                effective = first
            elif first:
                hidden.append(first)
            hidden += others
        if effective is None and parameter.discover:
            return self._found(parameter, hidden)
        return Candidates(effective, tuple(hidden))

    def _given(self, parameter: DeclaredParameter) -> Iterator[tuple[Candidate | None, list[Candidate]]]:
        """For each level, the highest first: its best value, if not `null`, and its others."""
        given = self.conversation.values.get(parameter.name)
        if given and given.value is not None:
            yield self._candidate(parameter, given, Level.CONVERSATION, None), []
        of_files = self.settings.values(self.skill, parameter.name)
        for level, values in groupby(of_files, key=lambda value: value.level):
            best, *others = values
            unset = "" if best.value else f"unset by {best.place}"
            yield (
                best.value and self._candidate(parameter, best.value, level, best.place),
                [
                    Candidate(_as_declared(parameter, other.value), level, other.place, unset)
                    for other in others
                    if other.value
                ],
            )
        if parameter.default:
            place = parameter.default_place or parameter.place
            yield self._candidate(parameter, parameter.default, Level.SKILL, place), []

    def _candidate(self, parameter: DeclaredParameter, value: Value, level: Level, place: Place | None) -> Candidate:
        value = _as_declared(parameter, value)
        holding = holder(value)
        # The highest level first.
        prohibitions = (*self.conversation.prohibited, *self.settings.prohibitions(self.skill, parameter.name))
        for prohibited in prohibitions:
            if prohibited.name == parameter.name and prohibited.binds(level, holding):
                return Candidate(value, level, place, f"prohibited by {prohibited.place or 'the conversation'}")
        return Candidate(value, level, place)

    def _found(self, parameter: DeclaredParameter, hidden: list[Candidate]) -> Candidates:
        found = self.search.files(parameter.discover)
        values = (Value(path, path) for path in found.paths)
        candidates = [self._candidate(parameter, value, Level.DISCOVERED, parameter.place) for value in values]
        hidden += [candidate for candidate in candidates if candidate.dropped]
        left = [candidate for candidate in candidates if not candidate.dropped]
        if found.complete and len(left) <= 1:
            return Candidates(left[0] if left else None, tuple(hidden))
        return Candidates(None, tuple(hidden), tuple(candidate.value for candidate in left), found.complete)


def _as_declared(parameter: DeclaredParameter, value: Value) -> Value:
    """The value converted to the type `string`, if declared so: a plain `1.10` is the text "1.10"."""
    if parameter.type == "string" and isinstance(value.value, bool | int | float):
        return Value(value.written, value.written)
    return value
