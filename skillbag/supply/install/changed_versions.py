"""Versions that should never change, and have: a moved tag, a replaced release of a registry, a replaced archive.

What a branch, a folder or an archive without a version holds may change: that is an update.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.kernel.workspace.lock_file import TAG, Locked, short
from skillbag.supply.install.outcome import Problem, ProblemKind
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.archive_formats import without_end
from skillbag.supply.sources.fetched import HASH, REWRITTEN, Fetched
from skillbag.supply.sources.registry_versions import parse_resolved
from skillbag.supply.sources.source import Source

_RELEASE = r"v?\d+(?:\.\d+)*(?:[-+][\w.+-]*)?"
_LONG = r"v?\d+(?:\.\d+)+(?:\.?(?:a|b|rc|alpha|beta|post|dev)\.?\d+|[-+][\w.+-]*)?"
_VERSIONED = re.compile(
    rf"/{_LONG}/|[-_/@=]{_LONG}$|[/=][0-9a-f]{{40}}$|/refs/tags/|/releases/download/", re.IGNORECASE
)
"""A folder, the end of a file's name or a parameter in the address of an archive that is a version or a commit."""


class ChangedVersion(NamedTuple):
    """A skill whose version now means other content than the lock has of it, by the entry of this or the `other` skill.

    `how` says which version, and how.
    """

    name: str
    other: str
    locked: Locked
    resolved: str
    how: str


def changed_version(state: InstalledState, name: str, fetched: Fetched, tree: str) -> ChangedVersion | None:
    """How the version of a skill, with this `tree`, has come to mean other content than is locked; None if it has not.

    Of a skill that the lock does not have at that version, any other skill tells what the version was.
    """
    known = [other for other in state.locked_from(fetched.source) if _is_same(state.lock.skills[other], fetched)]
    for other in [name] if name in known else known:
        locked = state.lock.skills[other]
        if locked.resolved in (None, fetched.resolved):
            continue
        # A registry may not change a byte of a version.
        if other == name and locked.tree == tree and not fetched.source.kind.has_releases:
            continue
        if how := _how(locked, fetched):
            return ChangedVersion(name, other, locked, fetched.resolved or "", how)
    return None


def _is_same(locked: Locked, fetched: Fetched) -> bool:
    """Whether a locked skill has the version of its source that was fetched."""
    if fetched.source.kind.has_releases:
        old, new = parse_resolved(locked.resolved or ""), parse_resolved(fetched.resolved or "")
        # Whatever range is requested.
        return old is not None and new is not None and old.version == new.version
    is_named = fetched.source.kind.is_archive and _is_named(fetched.source)
    return is_named or _tag(locked.requested) == _tag(fetched.requested)


def _tag(version: str | None) -> str:
    """A version of a git source, of a tag without what git adds to its name."""
    return (version or "").removeprefix("refs/").removeprefix("tags/")


def _how(locked: Locked, fetched: Fetched) -> str:
    if fetched.source.kind.has_releases:
        return f"the version {short(locked.resolved)} was replaced in the registry"
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
    return locked is not None and locked.requested == fetched.requested and state.came_from(name, fetched.source)


def has_version(source: Source, locked: Locked) -> bool:
    """Whether an archive is one version: such a version is requested, or its address names one."""
    return re.fullmatch(_RELEASE, locked.requested or "", re.IGNORECASE) is not None or _is_named(source)


def _is_named(source: Source) -> bool:
    path, _, query = source.address.partition("?")
    return any(_VERSIONED.search(part) for part in (without_end(path), *query.split("&")))


def changed_problems(found: Iterable[ChangedVersion]) -> Iterator[Problem]:
    """A question for each version that has changed, with all its skills."""
    groups: dict[tuple[str, str, str, str], list[ChangedVersion]] = {}
    for each in found:
        key = (each.locked.source, each.how, _content(each.locked.resolved), _content(each.resolved))
        groups.setdefault(key, []).append(each)
    for (source, how, old, new), skills in groups.items():
        known = skills[0].other
        yield Problem(
            ProblemKind.QUESTION,
            f"{how}: it meant {old} when {known} was installed, and means {new} "
            f"(for {', '.join(each.name for each in skills)}). "
            f"{REWRITTEN}; take the new content?",
            source=source,
            fix=f"Look at it first: skillbag diff {known} --upstream. --accept moved takes it.",
        )


def _content(resolved: str | None) -> str:
    """The first digits of a commit, or of the hash of an archive."""
    return (resolved or "").rpartition(HASH)[2][:10]
