"""What a source of any kind may hold: names, kinds, links and sizes. Every fault is reported, none is corrected."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from skillbag.sources.agent_skills_layout import PlainParts
from skillbag.sources.entry_links import SKILLS, link_faults
from skillbag.sources.entry_names import collisions, covered, portable_faults, quoted, shape_faults
from skillbag.sources.limits import MAX_ENTRIES, MAX_FILE, MAX_TOTAL

AGENTS = "AGENTS.md"
_LICENCE = re.compile(r"licen[cs]e(?!s$)[^/]*", re.IGNORECASE)
"""A file such as `LICENSE` or `licence.txt`; not the folder `LICENSES` that some have besides."""


class EntryKind(StrEnum):
    """What an entry is, in words for people."""

    FILE = "file"
    LINK = "symbolic link"
    FOLDER = "folder"
    SUBMODULE = "git submodule"
    DEVICE = "device"
    PIPE = "named pipe"
    SOCKET = "socket"
    UNKNOWN = "thing of an unknown kind"


_KINDS = {
    stat.S_IFREG: EntryKind.FILE,
    stat.S_IFLNK: EntryKind.LINK,
    stat.S_IFDIR: EntryKind.FOLDER,
    stat.S_IFCHR: EntryKind.DEVICE,
    stat.S_IFBLK: EntryKind.DEVICE,
    stat.S_IFIFO: EntryKind.PIPE,
    stat.S_IFSOCK: EntryKind.SOCKET,
    0o160000: EntryKind.SUBMODULE,
}
_INSTALLED = (EntryKind.FILE, EntryKind.LINK, EntryKind.FOLDER)


def kind_of(mode: int) -> EntryKind:
    """The kind that a mode of Unix or of git stands for."""
    return _KINDS.get(stat.S_IFMT(mode), EntryKind.UNKNOWN)


class SourceEntry(NamedTuple):
    """Something in a source. `path` is relative to the source's root, with `/`; `size` in bytes; `target` is a link's.

    Bytes of a name that are no UTF-8 are lone surrogates in it, as `os.fsdecode` makes them.
    """

    path: str
    kind: EntryKind
    size: int
    executable: bool
    target: str = ""


def taken(path: str, plain: PlainParts | None = None) -> bool:
    """Whether `path` is part of what is taken from a source: `AGENTS.md`, `.skills/`, and the licences at its root; or
    the parts of a `plain` one.
    """
    if plain is not None:
        return plain.taken(path)
    return path in (AGENTS, SKILLS) or path.startswith(SKILLS + "/") or _LICENCE.fullmatch(path) is not None


def faults(entries: Iterable[SourceEntry], plain: PlainParts | None = None) -> list[str]:
    """The faults of what a source holds, sorted by name: a sentence each that begins with the name.

    `plain` are the parts that are taken of a plain repository.

    What is never taken from a source is held to less: it need not be portable, and may be a submodule.
    """
    known = list(islice(entries, MAX_ENTRIES + 1))
    if len(known) > MAX_ENTRIES:
        return [f"the source holds more than {MAX_ENTRIES:,} files and folders; no more are taken"]
    found = sorted([*_own(known, plain), *_together(known, plain)], key=lambda fault: fault[0])
    return [f"{quoted(path)}: {reason}" for path, reason in found] + list(_total(known))


def _own(entries: Iterable[SourceEntry], plain: PlainParts | None) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry by itself."""
    for entry in entries:
        is_taken = taken(entry.path, plain)
        reasons = [*shape_faults(entry.path), *_kind_faults(entry, is_taken, plain), *_size_faults(entry)]
        if is_taken:
            reasons += portable_faults(entry.path)
        for reason in reasons:
            yield entry.path, reason


def _kind_faults(entry: SourceEntry, is_taken: bool, plain: PlainParts | None) -> Iterator[str]:
    path, kind = entry.path, entry.kind
    if kind is EntryKind.SUBMODULE and not is_taken:
        return
    if kind not in _INSTALLED:
        yield f"a {kind}; only files, folders and links are taken from a source"
    elif plain is not None:
        return
    elif path == AGENTS and kind is not EntryKind.FILE:
        yield f"a {kind}; the text itself has to stand there, since what it leads to is not taken along"
    elif path == SKILLS and kind is not EntryKind.FOLDER:
        yield f"a {kind}; a source holds its skills in a folder of this name"


def _size_faults(entry: SourceEntry) -> Iterator[str]:
    if entry.size > MAX_FILE:
        yield f"a file of {entry.size:,} bytes; at most {MAX_FILE >> 20} MiB are taken"


def _together(entries: list[SourceEntry], plain: PlainParts | None) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry because of others."""
    paths = [entry.path for entry in entries]
    yield from collisions(paths)
    yield from covered(paths, (entry.path for entry in entries if entry.kind is not EntryKind.FOLDER))
    yield from link_faults({entry.path: entry.target for entry in entries if entry.kind is EntryKind.LINK}, plain)


def _total(entries: Iterable[SourceEntry]) -> Iterator[str]:
    total = sum(entry.size for entry in entries)
    if total > MAX_TOTAL:
        yield f"the source holds {total:,} bytes; at most {MAX_TOTAL >> 20} MiB are taken"
