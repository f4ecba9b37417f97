"""Predicates, which rules name in `check:`, and the matches that they yield."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Position
from skillbag.kernel.model.findings import Edit, Moved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol, TypeVar

    from skillbag.kernel.standard.blocks import BlockFault
    from skillbag.lint.facts.values import PlaceRole

    class Span(Protocol):
        """Offsets into a text."""

        @property
        def start(self) -> int: ...
        @property
        def end(self) -> int: ...

    _CheckT = TypeVar("_CheckT", bound=Callable[[Any, Any], Iterable["Match | Unjudged"]])


class Subject(StrEnum):
    """What a predicate is called with.

    INVENTORY: `Inventory`, once a target. SKILL: each `Skill`. MANIFEST: each `ActiveSkill`. TEXT: each `TextFile`, of
    skills and of the target. UNREAD: each `UnreadText`. HOST_FILE: each `HostFile` around the skills. HOST_FOLDER: each
    `HostFolder`, a plugin or project with such files. SUPPRESSION: each `SuppressionOutcome`, after all others.
    """

    INVENTORY = "inventory"
    SKILL = "skill"
    MANIFEST = "manifest"
    TEXT = "text"
    UNREAD = "unread"
    HOST_FILE = "host-file"
    HOST_FOLDER = "host-folder"
    SUPPRESSION = "suppression"


class Match(NamedTuple):
    """One place that violates the rule of a predicate.

    `path` is absolute; `start` and `end` are offsets into its text, or `at` is the place in a file without such
    a text. `values` fill the rule's message and fix. `edits` are a safe fix. `raised`: several signs occur together, so
    the finding has the rule's raised level. `role`: what the place is for, by which the rule may have levels; without
    one it is taught in a skill about attacks, and else meant. `moved`: a path that is at fault, and what it means.
    `cause`: the absolute folder for which all findings of the rule are one in a report. `private`: no report shows the
    line.
    """

    path: str
    start: int = 0
    end: int = 0
    values: Mapping[str, str] = {}
    edits: tuple[Edit, ...] = ()
    at: Position | None = None
    raised: bool = False
    role: PlaceRole | None = None
    moved: Moved | None = None
    cause: str = ""
    private: bool = False


class Unjudged(NamedTuple):
    """A file (absolute) that a predicate could not look at, and why. It is no finding; reports name it."""

    path: str
    reason: str

    @classmethod
    def each(cls, path: str, reasons: Iterable[str]) -> Iterator[Unjudged]:
        """One for each reason."""
        return (cls(path, reason) for reason in reasons)


AT_END: list[Callable[[], None]] = []
"""What is called when the skills of a target are linted: it closes what predicates keep open from skill to skill."""


@contextlib.contextmanager
def linting_skills() -> Iterator[None]:
    """A block in which skills are linted, one after the other."""
    try:
        yield
    finally:
        for close in AT_END:
            close()


def fault_matches(path: str, faults: Iterable[BlockFault]) -> Iterator[Match]:
    """A match for each fault in the data of the file `path`, with the values `reason` and `advice`."""
    for fault in faults:
        values = {"reason": fault.reason, "advice": fault.fix}
        yield Match(path, fault.start, fault.end, values, at=fault.at)


def unread_matches(path: str, faults: Iterable[BlockFault]) -> Iterator[Match]:
    """As `fault_matches`, of keys that nothing reads: raised where another key is plainly meant."""
    for fault in faults:
        values = {"reason": fault.reason, "advice": fault.fix or "take it out, or make it a comment"}
        yield Match(path, fault.start, fault.end, values, raised=bool(fault.fix))


def match_at(path: str, span: Span, values: Mapping[str, str] | None = None, edits: tuple[Edit, ...] = ()) -> Match:
    """A match for a whole node, line or other span of the file `path`."""
    return Match(path, span.start, span.end, values or {}, edits)


def short(text: str) -> str:
    """At most 60 characters of a text, for a message."""
    return text if len(text) <= 60 else text[:59] + "…"


MAX = 1_000
"""Findings of one rule in one file at most: nobody reads more, and a hostile text could have half a million."""


class OptionFault(NamedTuple):
    """What is wrong with the options of a rule: the keys that lead to the value, and the message."""

    keys: tuple[str, ...]
    message: str


class NoOptions(NamedTuple):
    """The options of a predicate that takes none."""


LOADED: dict[str, Predicate] = {}
"""The predicates of the modules imported so far, by name; `lazy_predicate.all_predicates` imports all."""


class Predicate:
    """A function that finds the places where a rule is violated, and what is known of it without calling it.

    Used as the decorator of the function, it registers itself. `check(subject, options)` yields matches; `options` is
    the class of its options: a named tuple whose fields are `str`, `int`, `bool`, `tuple[str, ...]` or `Mapping` with
    defaults. It may have a method `faults`, which yields an `OptionFault` for each value that can't be used.
    `values` are the names that messages may use. `literals`, for TEXT predicates, are byte strings (case counts): the
    predicate is called only for texts with one of them, or for all if None. `needs` is a precondition,
    tested before the module is imported: one of `lazy_predicate.NEEDS`, or for TEXT `module.function` in this
    package, which is called with the text and the literals. `has_roles`: each match has a role, which gives its level.
    """

    check: Callable[[Any, Any], Iterable[Match | Unjudged]]

    def __init__(
        self,
        name: str,
        subject: Subject,
        values: tuple[str, ...] = (),
        options: type[Any] = NoOptions,
        literals: tuple[bytes, ...] | None = None,
        needs: str | None = None,
        has_roles: bool = False,
    ) -> None:
        self.has_roles = has_roles
        self.name = name
        self.subject = subject
        self.values = values
        self.options = options
        self.literals = literals
        self.needs = needs

    def is_needed(self, subject: Any) -> bool:
        """Whether `check` can find anything in a subject; only predicates of the rule index know before the call."""
        return True

    def __call__(self, check: _CheckT) -> _CheckT:
        """Register the decorated function."""
        if self.name in LOADED:
            raise ValueError(f"there are two predicates {self.name}")
        LOADED[self.name] = self
        self.check = check
        return check
