"""What a rule's `check:` names: a predicate, the subject that it looks at, and the options that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from skillbag.documents.source import Position
from skillbag.findings import Edit


class Subject(StrEnum):
    """What a predicate is called with.

    INVENTORY: `Inventory`, once a target. SKILL: each `Skill`. TEXT: each `TextFile`, of skills and of the target.
    UNREAD: each `UnreadText`. SUPPRESSION: each `Judged` suppression, after all others.
    """

    INVENTORY = "inventory"
    SKILL = "skill"
    TEXT = "text"
    UNREAD = "unread"
    SUPPRESSION = "suppression"


class Hit(NamedTuple):
    """One place where a predicate holds true of the fault it looks for.

    `path` is absolute; `start` and `end` are offsets into its text, or `at` is the place where there is no text to
    count in. `values` fill the rule's message and fix. `edits` cure the fault safely.
    """

    path: str
    start: int = 0
    end: int = 0
    values: Mapping[str, str] = {}
    edits: tuple[Edit, ...] = ()
    at: Position | None = None


@dataclass(frozen=True)
class NoOptions:
    """The options of a predicate that takes none."""


@dataclass(frozen=True)
class Predicate:
    """One entry of the table of predicates.

    `check(subject, options)` yields hits; `options` is the class of its options: a frozen dataclass whose fields are
    `str`, `int`, `bool` or `tuple[str, ...]` with defaults. `values` are the names that messages may use.
    `literals`, for TEXT predicates, are byte strings of which a text must hold at least one (compared as they are):
    without any of them the predicate is not called. None means that it is always called.
    """

    name: str
    subject: Subject
    check: Callable[[Any, Any], Iterable[Hit]]
    values: tuple[str, ...] = ()
    options: type = NoOptions
    literals: tuple[bytes, ...] | None = field(default=None)
