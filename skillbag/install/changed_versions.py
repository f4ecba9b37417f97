"""Versions that should never change, and have: a moved tag, a replaced release of a registry, a replaced archive.

What a branch, a folder or an archive without a version holds may change: that is an update.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.install.outcome import Problem, ProblemKind
from skillbag.install.state import InstalledState
from skillbag.sources.archive_formats import without_end
from skillbag.sources.fetched import HASH, REWRITTEN, Fetched
from skillbag.sources.registry_versions import parse_resolved
from skillbag.sources.source import Source, source_key
from skillbag.workspace.lock_file import TAG, Locked

_RELEASE = r"v?\d+(?:\.\d+)*(?:[-+][\w.+-]*)?"
_LONG = r"v?\d+(?:\.\d+)+(?:\.?(?:a|b|rc|alpha|beta|post|dev)\.?\d+|[-+][\w.+-]*)?"
_VERSIONED = re.compile(
    rf"/{_LONG}/|[-_/@=]{_LONG}$|[/=][0-9a-f]{{40}}$|/refs/tags/|/releases/download/", re.IGNORECASE
)
"""A folder, the end of a file's name or a parameter in the address of an archive that is a version or a commit."""


class ChangedVersion(NamedTuple):
    """A locked skill whose version now means other content; `how` says which version, and how."""

    name: str
    locked: Locked
    resolved: str
    how: str


def changed_version(state: InstalledState, name: str, fetched: Fetched, tree: str) -> ChangedVersion | None:
    """How the locked version of a skill has come to mean other content, with this `tree`; None if it has not."""
    locked = state.locked(name)
    if locked is None or locked.resolved in (None, fetched.resolved):
        return None
    if source_key(state.source_of(name)) != source_key(fetched.source):
        return None
    how = _how(state, name, locked, fetched, tree)
    return ChangedVersion(name, locked, fetched.resolved or "", how) if how else None


def _how(state: InstalledState, name: str, locked: Locked, fetched: Fetched, tree: str) -> str:
    old, new = parse_resolved(locked.resolved or ""), parse_resolved(fetched.resolved or "")
    if old and new:
        # A registry may not change a byte of a version, whatever range is requested.
        return f"the version {old.version} was replaced in the registry" if old.version == new.version else ""
    if locked.tree == tree or not is_of_lock(state, name, fetched):
        return ""
    if fetched.source.kind.is_archive:
        return "the archive, which is one version, was replaced" if has_version(fetched.source, locked) else ""
    if TAG not in (locked.ref, fetched.ref):
        return ""
    if locked.ref not in (None, fetched.ref):
        return f"the version {locked.requested} was a {locked.ref}, and is a {fetched.ref or 'branch or commit'} now"
    return f"the version {locked.requested} is a tag that was moved"


def is_of_lock(state: InstalledState, name: str, fetched: Fetched) -> bool:
    """Whether the lock has the skill from that source at that version."""
    locked = state.locked(name)
    if locked is None or locked.requested != fetched.requested:
        return False
    return source_key(state.source_of(name)) == source_key(fetched.source)


def has_version(source: Source, locked: Locked) -> bool:
    """Whether an archive is one version: such a version is requested, or its address names one."""
    requested = re.fullmatch(_RELEASE, locked.requested or "", re.IGNORECASE)
    path, _, query = source.address.partition("?")
    return bool(requested) or any(_VERSIONED.search(part) for part in (without_end(path), *query.split("&")))


def changed_problems(found: Iterable[ChangedVersion]) -> Iterator[Problem]:
    """A question for each version that has changed, with all its skills."""
    groups: dict[tuple[str, str, str, str], list[str]] = {}
    for name, locked, resolved, how in found:
        groups.setdefault((locked.source, how, _content(locked.resolved), _content(resolved)), []).append(name)
    for (source, how, old, new), names in groups.items():
        yield Problem(
            ProblemKind.QUESTION,
            f"{how}: it meant {old} when it was installed, and means {new} (for {', '.join(names)}). "
            f"{REWRITTEN}; take the new content?",
            source=source,
            fix=f"Look at it first: skillbag diff {names[0]} --upstream. --accept-moved takes it.",
        )


def _content(resolved: str | None) -> str:
    """The first digits of a commit, or of the hash of an archive."""
    return (resolved or "").rpartition(HASH)[2][:10]
