"""A folder as a source: the working tree as it is, checked before anything is copied from it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from skillbag.kernel.fs.read import is_within
from skillbag.kernel.workspace.target import AGENTS, MARKETPLACE, SKILL_ROOT
from skillbag.kernel.workspace.tree import PRUNED, left_out, list_tree
from skillbag.supply.sources import limits
from skillbag.supply.sources.agent_skills_layout import NO_SKILLS, PlainParts, plain_parts
from skillbag.supply.sources.entries import faults, scope
from skillbag.supply.sources.entry import EntryKind, SourceEntry, kind_of, quoted
from skillbag.supply.sources.fetched import InvalidSourceError, Unpacked
from skillbag.supply.sources.location import path_hint
from skillbag.supply.sources.refused_skills import is_refused, refused_skills, without
from skillbag.supply.sources.task import FetchTask


def fetch(task: FetchTask) -> Unpacked:
    """The folder itself, checked unless it may be a plain repository, whose skills are not known yet."""
    source = task.source
    if not os.path.isdir(source.address):
        raise task.failed(f"there is no such folder: {source.address}{path_hint(source.declared)}")
    if not source.plain:
        check(source.address)
    return Unpacked(None, source.address)


def check(root: str) -> None:
    """Check `AGENTS.md` and `.skills/` of the source at `root` (absolute); nothing else is installed.

    A skill, `.skills` or `AGENTS.md` may be a link to another path in the source.

    Raises:
        InvalidSourceError: something in it is hostile; all faults are named.
    """
    fixed = [(path, _full(root, path)) for path in (AGENTS, SKILL_ROOT, *_skills(root))]
    found = [
        f"{quoted(path)}: a link that leaves the source"
        for path, full in fixed
        if os.path.islink(full) and not is_within(root, full)
    ]
    # No link that leaves is followed.
    if not found:
        entries = list(islice(_entries(fixed), limits.MAX_ENTRIES + 1))
        found = faults(entries)
        found = found or [f"{quoted(path)}: {reason}" for path, reason in _leaving_by_real_path(root, entries)]
    if found:
        raise InvalidSourceError(found)


def check_size(root: str) -> None:
    """Refuse the folder `root` (absolute) if a search of it for skills would take too long.

    Raises:
        InvalidSourceError: it is the root of a file system tree, or holds too many files and folders.
    """
    if os.path.dirname(root) == root:
        # A count of entries does not bound the time: disks below it may be slow.
        raise InvalidSourceError(
            ["the root of the file system is not searched for skills; name the folder that holds them"]
        )
    seen, pending = 0, [root]
    while pending:
        try:
            with os.scandir(pending.pop()) as found:
                for entry in found:
                    seen += 1
                    if entry.name not in PRUNED and entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except OSError:
            continue
        if seen > limits.MAX_LISTED:
            message = f"the folder holds more than {limits.MAX_LISTED:,} files and folders, the most that is searched"
            raise InvalidSourceError([f"{message} for skills; name the folder within it that holds them"])


def check_plain(root: str, folders: Iterable[str]) -> Mapping[str, str]:
    """Check the skills of the plain repository at `root` in these folders (absolute, within it).

    Return the paths of the skills that are refused for a link, each with its reason.

    Raises:
        InvalidSourceError: there are none, or something in them is hostile; all faults are named.
    """
    known: dict[str, SourceEntry] = {}
    for folder in folders:
        path = "" if folder == root else os.path.relpath(folder, root).replace(os.sep, "/")
        known |= {entry.path: entry for entry in _below(path, folder)}
        if len(known) > limits.MAX_ENTRIES:
            break
    entries = list(known.values())
    parts = plain_parts((entry.path, entry.kind) for entry in entries)
    is_empty = parts.is_empty and not os.path.isfile(_full(root, MARKETPLACE))
    leaving = list(_leaving_by_real_path(root, entries, parts))
    refused = refused_skills(entries, parts, leaving)
    left = [entry for entry in entries if not is_refused(entry.path, refused)]
    found = [NO_SKILLS] if is_empty else faults(left, without(parts, refused))
    if not found and not refused:
        found = [f"{quoted(path)}: {reason}" for path, reason in leaving]
    if found:
        raise InvalidSourceError(found)
    return refused


def _skills(root: str) -> list[str]:
    """The paths of the entries in `.skills`, if that is a folder of the source."""
    folder = _full(root, SKILL_ROOT)
    if not os.path.isdir(folder) or not is_within(root, folder):
        return []
    return [f"{SKILL_ROOT}/{name}" for name in sorted(os.listdir(folder)) if not left_out(name)]


def _entries(fixed: Iterable[tuple[str, str]]) -> Iterator[SourceEntry]:
    for path, full in fixed:
        if os.path.lexists(full):
            # A link is its target here, unless it is broken.
            entry = _entry(path, os.path.realpath(full) if os.path.exists(full) else full)
            yield entry
            if entry.kind is EntryKind.FOLDER and path != SKILL_ROOT:
                yield from _below(path, full)


def _below(path: str, folder: str) -> Iterator[SourceEntry]:
    listing = list_tree(folder, limits.MAX_ENTRIES)
    for closed in listing.closed:
        raise PermissionError(errno.EACCES, "the folder cannot be opened", closed)
    for entry in listing.entries:
        if not left_out(entry.relative):
            yield _entry(f"{path}/{entry.relative}" if path else entry.relative, entry.path)


def _entry(path: str, full: str) -> SourceEntry:
    status = os.lstat(full)
    kind = kind_of(status.st_mode)
    if kind is EntryKind.LINK:
        return SourceEntry(path, kind, 0, False, os.readlink(full).replace(os.sep, "/"))
    size = status.st_size if kind is EntryKind.FILE else 0
    return SourceEntry(path, kind, size, bool(status.st_mode & 0o100))


def _leaving_by_real_path(
    root: str, entries: Iterable[SourceEntry], plain: PlainParts | None = None
) -> Iterator[tuple[str, str]]:
    """Links that leave the skill through unchecked folders, such as `node_modules`."""
    for entry in entries:
        inside, full = _full(root, scope(entry.path, plain)), _full(root, entry.path)
        if entry.kind is EntryKind.LINK and not is_within(inside, full):
            yield entry.path, "a link whose real path is not in its skill"


def _full(root: str, path: str) -> str:
    return os.path.join(root, *path.split("/"))
