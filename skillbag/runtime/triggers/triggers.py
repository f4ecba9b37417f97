"""Triggers: how well skills fit what the user is doing, as scores that can be explained (skill runtime, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.runtime.skill import PRECEDENCE, FoundSkill, SkillSource
from skillbag.runtime.triggers.file_index import FileIndex

DEFAULT_THRESHOLD = 1
"""The score at which a skill is activated."""


class PartKind(StrEnum):
    """What gave points."""

    EXPLICIT = "explicit"
    CURRENT_PATH = "current path"
    FILES = "files"
    KEYWORDS = "keywords"
    LANGUAGES = "languages"
    MODES = "modes"


POINTS = {
    PartKind.EXPLICIT: 1000,
    PartKind.CURRENT_PATH: 150,
    PartKind.FILES: 100,
    PartKind.KEYWORDS: 80,
    PartKind.LANGUAGES: 60,
    PartKind.MODES: 40,
}
"""The points of each part."""

_CURRENT_PATH_GLOB = 100
"""The points of the current path where it only matches a glob or lies in a folder."""


class TriggerContext(NamedTuple):
    """What the user is doing: the workspace's files and their languages, the mode (`interactive`, `headless`, `wiki`,
    `mcp`, `plugin`), the file in focus (relative, with `/`; empty for none), and the last message."""

    files: FileIndex
    languages: frozenset[str] = frozenset()
    mode: str = ""
    current_path: str = ""
    message: str = ""


class ScorePart(NamedTuple):
    """A part of a score: the trigger as the manifest has it, its points, and what it matched."""

    kind: PartKind
    pattern: Annotated[str, "The trigger."]
    points: Annotated[int, fits(minimum=0)]
    matched: str


class Score(NamedTuple):
    """The sum of the parts, in the order of section 3."""

    total: int
    parts: tuple[ScorePart, ...]


class Scored(NamedTuple):
    """A skill with its score."""

    skill: FoundSkill
    score: Score


def scores(skills: Iterable[FoundSkill], context: TriggerContext) -> tuple[Scored, ...]:
    """How well skills fit, the best first: by score, then `priority`, both downward, then by name. One that was named
    explicitly has 1000 points, and nothing is added."""
    compared = _Compared(context, context.message.casefold(), FileIndex([context.current_path]))
    return tuple(sorted((Scored(skill, _score(skill, compared)) for skill in skills), key=_rank))


def reaching(scored: Iterable[Scored], threshold: int = DEFAULT_THRESHOLD, project: int = 0) -> tuple[str, ...]:
    """The names of the skills to activate, in the order in which they are.

    `project` is the threshold of the project's own skills, where that is higher. A threshold below 1 counts as 1, so
    that a skill without triggers is never activated by itself.
    """
    return in_activation_order(each for each in scored if each.score.total >= least_of(each.skill, threshold, project))


def least_of(skill: FoundSkill, threshold: int, project: int) -> int:
    """The score from which a skill is activated; see `reaching`."""
    return max(threshold, 1, project if skill.source is SkillSource.PROJECT else 0)


def in_activation_order(scored: Iterable[Scored]) -> tuple[str, ...]:
    """The names of skills as they are activated: by trust in their sources first, so that none takes the name of a tool
    from a skill of a source that the user trusts more; then the best."""
    ordered = sorted(scored, key=lambda item: (PRECEDENCE[item.skill.source], _rank(item)))
    return tuple(item.skill.name for item in ordered)


def _rank(item: Scored) -> tuple[int, int, str]:
    return -item.score.total, -item.skill.manifest.priority, item.skill.name


class _Compared(NamedTuple):
    """A context, its message as it is compared with keywords, and an index of the current path alone."""

    context: TriggerContext
    message: str
    current: FileIndex


def _score(skill: FoundSkill, compared: _Compared) -> Score:
    if skill.inline:
        points = POINTS[PartKind.EXPLICIT]
        return Score(points, (ScorePart(PartKind.EXPLICIT, skill.name, points, skill.name),))
    parts = tuple(_parts(skill, compared))
    return Score(sum(part.points for part in parts), parts)


def _parts(skill: FoundSkill, compared: _Compared) -> Iterator[ScorePart]:
    """The parts of a score. A trigger that is written twice counts once."""
    triggers, context = skill.manifest.triggers, compared.context
    files = dict.fromkeys(triggers.files)
    if context.current_path and (best := _of_current_path(files, compared)):
        yield best
    for pattern in files:
        if found := context.files.find(pattern):
            yield _part(PartKind.FILES, pattern, found)
    for folded, keyword in {keyword.casefold(): keyword for keyword in triggers.keywords}.items():
        if folded in compared.message:
            yield _part(PartKind.KEYWORDS, keyword, keyword)
    for language in dict.fromkeys(triggers.languages):
        if language in context.languages:
            yield _part(PartKind.LANGUAGES, language, language)
    if context.mode in triggers.modes:
        yield _part(PartKind.MODES, context.mode, context.mode)


def _part(kind: PartKind, pattern: str, matched: str) -> ScorePart:
    return ScorePart(kind, pattern, POINTS[kind], matched)


def _of_current_path(patterns: Iterable[str], compared: _Compared) -> ScorePart | None:
    """The best part that the file in focus gives: a pattern without wildcards counts more than a glob or folder."""
    path = compared.context.current_path
    matching = [pattern for pattern in patterns if compared.current.find(pattern)]
    for pattern in matching:
        if pattern.removeprefix("/") in (path, path.rpartition("/")[2]):
            return _part(PartKind.CURRENT_PATH, pattern, path)
    return ScorePart(PartKind.CURRENT_PATH, matching[0], _CURRENT_PATH_GLOB, path) if matching else None
