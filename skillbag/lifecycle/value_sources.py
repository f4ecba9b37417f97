"""What each level says of one parameter, and what a higher one forbids (clauses precedence.order, .prohibition)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from skillbag.lifecycle.discovery import Search
from skillbag.lifecycle.interface import Declared
from skillbag.lifecycle.settings import ProhibitedValue, Settings
from skillbag.lifecycle.value import Value, holder
from skillbag.standard.declarations import Level, Place

_NO_VALUES: Mapping[str, Value] = MappingProxyType({})


class Conversation(NamedTuple):
    """What the current conversation says: values, prohibitions (level CONVERSATION), and the risks that were accepted.

    A value of None (`null`) says nothing. `confirmed` holds names of parameters, and of the skill for its own risk.
    """

    values: Mapping[str, Value] = _NO_VALUES
    prohibited: tuple[ProhibitedValue, ...] = ()
    confirmed: frozenset[str] = frozenset()


SILENCE = Conversation()
"""A conversation that says nothing of inputs."""


class Candidate(NamedTuple):
    """A value that somebody gives; `dropped` is why it does not count (a prohibition, with its place), else empty."""

    value: Value
    level: Level
    place: Place | None
    dropped: str = ""


class Candidates(NamedTuple):
    """All that is known of a parameter's value.

    `effective` is the one that counts, None without one; `hidden` are the others, best first. `found` are the files to
    choose from where a search leaves a choice; `is_searched` is False where it gave up.
    """

    effective: Candidate | None
    hidden: tuple[Candidate, ...]
    found: tuple[Value, ...] = ()
    is_searched: bool = True


class Levels(NamedTuple):
    """Whoever may say something of the parameters of `skill`, and the search for what nobody says."""

    skill: str
    settings: Settings
    conversation: Conversation
    search: Search

    def candidates(self, parameter: Declared) -> Candidates:
        """The values of a parameter: those that are given, else what is found."""
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

    def _given(self, parameter: Declared) -> Iterator[tuple[Candidate | None, list[Candidate]]]:
        """What each level gives, the highest first: the one that speaks for it, and those that it hides."""
        given = self.conversation.values.get(parameter.name)
        if given and given.value is not None:
            yield self._candidate(parameter, given, Level.CONVERSATION, None), []
        of_files = self.settings.values(self.skill, parameter.name)
        for level, values in groupby(of_files, key=lambda value: value.level):
            first, *others = values
            back = "" if first.value else f"taken back by {first.place}"
            yield (
                first.value and self._candidate(parameter, first.value, level, first.place),
                [
                    Candidate(as_declared(parameter, other.value), level, other.place, back)
                    for other in others
                    if other.value
                ],
            )
        if parameter.default:
            place = parameter.default_place or parameter.place
            yield self._candidate(parameter, parameter.default, Level.SKILL, place), []

    def _candidate(self, parameter: Declared, value: Value, level: Level, place: Place | None) -> Candidate:
        value = as_declared(parameter, value)
        holding = holder(value)
        bar = next(
            (prohibited for prohibited in self._prohibited(parameter.name) if prohibited.binds(level, holding)), None
        )
        by = bar and (bar.place or "the conversation")
        return Candidate(value, level, place, f"prohibited by {by}" if by else "")

    def _prohibited(self, name: str) -> Iterator[ProhibitedValue]:
        """The prohibitions of a parameter, the highest level first."""
        yield from (prohibited for prohibited in self.conversation.prohibited if prohibited.name == name)
        yield from self.settings.prohibitions(self.skill, name)

    def _found(self, parameter: Declared, hidden: list[Candidate]) -> Candidates:
        found = self.search.files(parameter.discover)
        candidates = [
            self._candidate(parameter, Value(path, path), Level.DISCOVERED, parameter.place) for path in found.paths
        ]
        hidden += [candidate for candidate in candidates if candidate.dropped]
        left = [candidate for candidate in candidates if not candidate.dropped]
        if found.complete and len(left) <= 1:
            return Candidates(left[0] if left else None, tuple(hidden))
        return Candidates(None, tuple(hidden), tuple(candidate.value for candidate in left), found.complete)


def as_declared(parameter: Declared, value: Value) -> Value:
    """The value as the type `string` has it: a plain `1.10` is the text "1.10"."""
    if parameter.type == "string" and isinstance(value.value, bool | int | float):
        return Value(value.written, value.written)
    return value
