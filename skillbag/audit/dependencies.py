"""The dependencies of a target: which skill needs which, in which version, and whether that is pinned."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from skillbag.audit.texts import clean, relative
from skillbag.sources.address import without_credentials
from skillbag.standard.declarations import BadContextError, read_declarations
from skillbag.workspace.lock_file import BadLockError, read_lock
from skillbag.workspace.model import Workspace
from skillbag.workspace.skill import SkillSummary
from skillbag.workspace.target import CONTEXT, USER_CONTEXT, Kind, Target

_EXACT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|(?i:sha256:[0-9a-f]{64})")


def is_exact(version: str | None) -> bool:
    """Whether a version is immutable: a full commit id or the hash of an archive. A tag can be moved."""
    return version is not None and _EXACT.fullmatch(version) is not None


def dependency_rows(target: Target, skills: Iterable[SkillSummary], root: str) -> Iterator[dict[str, Any]]:
    """A row for each dependency that the target's context, its overrides and its skills declare.

    `pinned` is None where no source is named: a skill of the same target is meant. `locked`: it is in the workspace's
    lock.
    """
    declared = [
        (skill.folder, dependency.name.value, dependency.source, dependency.version, dependency.required)
        for skill in skills
        for dependency in skill.dependencies
    ]
    locked = frozenset[str]()
    if target.kind is Kind.WORKSPACE:
        declared = [*_declared(target), *declared]
        with contextlib.suppress(BadLockError):
            lock = read_lock(target.root)
            locked = frozenset(lock.skills) if lock else locked
    for who, name, source, version, required in declared:
        yield {
            "target": relative(target.root, root),
            "who": clean(who),
            "name": clean(name),
            "source": None if source is None else clean(without_credentials(source)),
            "version": None if version is None else clean(version),
            "required": required,
            "pinned": None if source is None else is_exact(version),
            "locked": name in locked,
        }


def _declared(workspace: Target) -> Iterator[tuple[str, str, str | None, str | None, bool]]:
    try:
        declarations = read_declarations(Workspace(workspace))
    except BadContextError:
        # A rule reports what is malformed.
        return
    for dependency in declarations.dependencies:
        yield CONTEXT, dependency.name, dependency.source, dependency.version, dependency.required
    for override in declarations.overrides.values():
        who = USER_CONTEXT if override.place.file == USER_CONTEXT else CONTEXT
        yield f"{who} (override)", override.name, override.source, override.version, True
