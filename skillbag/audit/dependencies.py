"""Who depends on what, of which version, and whether that is pinned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from skillbag.audit.texts import clean, clean_source, relative
from skillbag.standard.declarations import BadContextError, read_declarations
from skillbag.workspace.lock_file import BadLockError, read_lock
from skillbag.workspace.model import Workspace
from skillbag.workspace.skill import SkillSummary
from skillbag.workspace.target import CONTEXT, USER_CONTEXT, Kind, Target

_EXACT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|(?i:sha256:[0-9a-f]{64})")


def is_exact(version: str | None) -> bool:
    """Whether a version means the same for ever: a whole commit, or the hash of an archive. A tag can be moved."""
    return version is not None and _EXACT.fullmatch(version) is not None


def dependency_rows(target: Target, cards: Iterable[SkillSummary], root: str) -> Iterator[dict[str, Any]]:
    """A row for each dependency that the target's context, its overrides and its skills declare.

    `pinned` is None where no source is named: what is meant is a skill of the same place. `locked`: the workspace's
    lock knows the skill.
    """
    locked = _locked(target)
    where = relative(target.root, root)
    for who, name, source, version, required in (*_declared(target), *_of_skills(cards)):
        yield {
            "target": where,
            "who": clean(who),
            "name": clean(name),
            "source": None if source is None else clean_source(source),
            "version": None if version is None else clean(version),
            "required": required,
            "pinned": None if source is None else is_exact(version),
            "locked": name in locked,
        }


_Row = tuple[str, str, str | None, str | None, bool]


def _declared(target: Target) -> Iterator[_Row]:
    if target.kind is not Kind.WORKSPACE:
        return
    try:
        found = read_declarations(Workspace(target))
    except BadContextError:
        # Rules tell what is wrong there.
        return
    for one in found.dependencies:
        yield CONTEXT, one.name, one.source, one.version, one.required
    for override in found.overrides.values():
        who = USER_CONTEXT if override.place.file == USER_CONTEXT else CONTEXT
        yield f"{who} (override)", override.name, override.source, override.version, True


def _of_skills(cards: Iterable[SkillSummary]) -> Iterator[_Row]:
    for card in cards:
        for one in card.dependencies:
            yield card.folder, one.name.value, one.source, one.version, one.required


def _locked(target: Target) -> frozenset[str]:
    if target.kind is not Kind.WORKSPACE:
        return frozenset()
    try:
        lock = read_lock(target.root)
    except BadLockError:
        return frozenset()
    return frozenset(lock.skills) if lock else frozenset()
