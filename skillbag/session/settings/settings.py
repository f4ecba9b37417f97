"""The settings of a session as values, and the remarks and messages about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.context_blocks import ANY_SKILL, ANY_VALUE
from skillbag.kernel.standard.declarations import Declarations, Level, Place
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.standard.tags import odd_tags
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import CATALOG_PATH, SKILL_ROOT
from skillbag.session.settings.value import Value, holder

_MAX = 20


class Remark(NamedTuple):
    """Something in a context file or the catalog that has no effect, and why."""

    place: Place
    text: str


def summarize(faults: Sequence[str]) -> str:
    """A line for each of the first faults, and the number of the others."""
    more = len(faults) - _MAX
    rest = [f"and {more} more; skillbag check reports all of them"] if more > 0 else []
    return "\n".join([*faults[:_MAX], *rest])


def some(names: Iterable[str]) -> str:
    """The first names, and the number of the others."""
    several = list(names)
    more = len(several) - _MAX
    return ", ".join(several[:_MAX]) + (f" and {more} more" if more > 0 else "")


def unlisted_note(names: Sequence[str]) -> str:
    """Which skills the catalog lacks, and what to do."""
    are = "are" if len(names) > 1 else "is"
    fix = f"skillbag self sync lists {_them(names)}, or says why not"
    return f"{some(names)} {are} in {SKILL_ROOT}/, but not in {CATALOG_PATH}; {fix}"


def _them(names: Sequence[str]) -> str:
    return "them" if len(names) > 1 else "it"


def catalog_remarks(workspace: Workspace, unlisted: Sequence[str]) -> Iterator[Remark]:
    """A remark on each line that is not `name: description`, or whose name is listed above; one on the skills that no
    line lists; one on each word that is meant as a tag and is none."""
    yield from _line_remarks(workspace)
    yield from _tag_remarks(workspace)
    if unlisted:
        yield Remark(Place(CATALOG_PATH, 1), unlisted_note(unlisted))


def _tag_remarks(workspace: Workspace) -> Iterator[Remark]:
    document, catalog = workspace.catalog_document, workspace.catalog
    if catalog is None or not isinstance(document, Document):
        return
    for line in catalog.lines:
        for odd in odd_tags(line.description):
            place = Place(CATALOG_PATH, document.position(line.start).line)
            meant = f"; write `{odd.meant}` into the description" if odd.meant else ""
            yield Remark(place, f"`{odd.text[:80]}` of {line.name} is no tag, so it has no effect{meant}")


def _line_remarks(workspace: Workspace) -> Iterator[Remark]:
    document, catalog = workspace.catalog_document, workspace.catalog
    if catalog is None or not isinstance(document, Document):
        return
    names = [(line.start, line.name if is_name(line.name) else "") for line in catalog.lines]
    seen: set[str] = set()
    for start, name in sorted([*names, *((start, "") for start, _ in catalog.strays)]):
        if not name or name in seen:
            what = f"{name} is listed above" if name else "the line lists no skill"
            place = Place(CATALOG_PATH, document.position(start).line)
            yield Remark(place, f"{what}; skillbag self sync rewrites the catalog")
        seen.add(name)


class ParameterValue(NamedTuple):
    """A value that a context file sets for a parameter; None (`null`) unsets an earlier one of the same file.

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
    """A tag (`#run/last`) that user context adds to `skill` (a name or `*`) or removes from it."""

    skill: str
    tag: str
    add: bool
    place: Place


class ConflictResolution(NamedTuple):
    """The winner of a conflict between these skills."""

    skills: tuple[str, ...]
    winner: str
    level: Level
    place: Place


@dataclass(frozen=True)
class SessionSettings:
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
        found = self._given.get((skill, name), [])[::-1]
        if skill != ANY_SKILL:
            found += reversed(self._given.get((ANY_SKILL, name), []))
        return tuple(sorted(found, key=lambda value: value.level))

    def effective(self, skill: str, name: str) -> ParameterValue | None:
        """The value that counts among those of the context files: of the highest level whose value is not prohibited.

        Only the best value of a level is considered; `null` gives none.
        """
        for level, values in groupby(self.values(skill, name), key=lambda value: value.level):
            best = next(values)
            if best.value:
                holding = holder(best.value)
                if not any(prohibited.binds(level, holding) for prohibited in self.prohibitions(skill, name)):
                    return best
        return None

    def prohibitions(self, skill: str, name: str) -> tuple[ProhibitedValue, ...]:
        """The values that are prohibited for a parameter of a skill, the highest level first."""
        return tuple(value for value in self._prohibited.get(name, ()) if value.skill in (skill, ANY_SKILL))

    @cached_property
    def _given(self) -> dict[tuple[str, str], list[ParameterValue]]:
        found = defaultdict(list)
        for value in self.given:
            found[value.skill, value.name].append(value)
        return found

    @cached_property
    def _prohibited(self) -> dict[str, list[ProhibitedValue]]:
        found = defaultdict(list)
        for value in self.prohibited:
            found[value.name].append(value)
        return found


NO_SETTINGS = SessionSettings((), (), (), (), Declarations((), {}, {}))
