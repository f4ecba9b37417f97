"""What the conversation gives, and the values that a parameter may have, each with its origin."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Level, Place
from skillbag.session.settings.settings import ProhibitedValue
from skillbag.session.settings.value import Value


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
