"""One thing in a source, and the names that it may have: none leads out of it, or means something else elsewhere.

A reason is the rest of a sentence that begins with the name: "'a/../b': it climbs …".
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from skillbag.kernel.fs.folded_names import folded
from skillbag.lint.signals.hidden_characters import hidden_in_name
from skillbag.supply.sources.limits import MAX_DEPTH

MAX_NAME = 255
"""Longest name of one file or folder, in bytes of UTF-8: what common file systems allow."""

MAX_PATH = 1024
"""Longest path within a source, in bytes of UTF-8."""

_LONGEST_SHOWN = 160
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_RESERVED = re.compile(r'[<>:"|?*]')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])", re.IGNORECASE)
_GITS = frozenset({".git", "git~1"})


def quoted(name: str) -> str:
    """A name for a message: in quotes, on one line, with escaped control characters, and shortened."""
    if len(name) > _LONGEST_SHOWN:
        half = _LONGEST_SHOWN // 2
        name = f"{name[:half]}…{name[-half:]}"
    return repr(name)


def shape_faults(path: str) -> Iterator[str]:
    """Why `path` might lead out of the folder that it is unpacked into, on any system."""
    if not path:
        yield "an entry without a name"
        return
    if not _is_text(path):
        yield "the name is not UTF-8"
    if path.startswith("/"):
        yield "an absolute path"
    if _DRIVE.match(path):
        yield "the path names a drive"
    if "\\" in path:
        yield "a backslash in the name, which Windows takes for a slash"
    if _CONTROL.search(path):
        yield "a control character in the name"
    segments = path.lstrip("/").split("/")
    if ".." in segments:
        yield "the path climbs with `..`"
    if "." in segments or "" in segments:
        yield "an empty name or `.` within the path"


def portable_faults(path: str) -> Iterator[str]:
    """Why `path` can't be written on every system, or would mean something else there."""
    segments = path.split("/")
    if len(segments) > MAX_DEPTH:
        yield f"{len(segments)} names deep; at most {MAX_DEPTH} are taken"
    if _size(path) > MAX_PATH:
        yield f"a path of {_size(path)} bytes; at most {MAX_PATH} are taken"
    for segment in segments:
        yield from _name_faults(segment)


def _name_faults(name: str) -> Iterator[str]:
    if _size(name) > MAX_NAME:
        yield f"a name of {_size(name)} bytes; at most {MAX_NAME} are taken"
    if folded(name).rstrip(". ") in _GITS:
        yield "a name of git's own folder, which is never taken from a source"
    elif not _CONTROL.search(name) and (hidden := hidden_in_name(name)):
        yield f"a character in the name that shows nothing, or turns its direction: {hidden}"
    if name.endswith((".", " ")) and name not in (".", ".."):
        yield "a name that ends with a dot or a space, which Windows drops"
    if _DEVICE.fullmatch(name.partition(".")[0].rstrip(" ")):
        yield "a name that Windows keeps for a device"
    if _RESERVED.search(name):
        yield 'a character in the name that Windows does not allow (one of <>:"|?*)'


def _size(name: str) -> int:
    return len(name) if name.isascii() else len(name.encode("utf-8", "surrogatepass"))


def _is_text(name: str) -> bool:
    # Bytes that are no UTF-8 come from the file system, and from git, as lone surrogates.
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def target_fault(target: str) -> str | None:
    """Why a link to `target` is never safe; None for a plain relative path."""
    if not target:
        return "the link leads to nothing at all"
    if not _is_text(target):
        return "the link's target is not UTF-8"
    if _size(target) > MAX_PATH:
        return f"the link's target is longer than {MAX_PATH} bytes"
    if _CONTROL.search(target) or "\\" in target:
        return f"a control character or a backslash in the link's target {quoted(target)}"
    if target.startswith("/") or _DRIVE.match(target):
        return f"the link leads to the absolute path {quoted(target)}"
    return None


def collisions(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Paths that are the same on some systems, each with its reason; so are the folders above them."""
    spellings: dict[str, str] = {}
    seen: set[str] = set()
    reported: set[str] = set()
    for path in paths:
        if path in seen:
            yield path, "there are two entries of this name"
        seen.add(path)
        for above in _with_parents(path):
            first = spellings.setdefault(folded(above), above)
            if first != above:
                if above not in reported:
                    yield above, f"the same name as {quoted(first)} on systems that ignore case or Unicode forms"
                reported.add(above)
                break


def _with_parents(path: str) -> Iterator[str]:
    """The folders above `path`, outermost first, then itself."""
    at = path.find("/")
    while at != -1:
        yield path[:at]
        at = path.find("/", at + 1)
    yield path


def covered(paths: Iterable[str], solid: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Paths below an entry that is no folder (`solid`), each with its reason."""
    closed = {folded(path): path for path in solid}
    for path in paths:
        for above in _with_parents(path):
            if above != path and (file := closed.get(folded(above))) is not None:
                yield path, f"it is below {quoted(file)}, which is no folder"
                break


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


def kind_of(mode: int) -> EntryKind:
    """The kind that a mode of Unix or of git stands for."""
    return _KINDS.get(stat.S_IFMT(mode), EntryKind.UNKNOWN)


class SourceEntry(NamedTuple):
    """An entry of a source. `path` is relative to the source's root, with `/`; `size` in bytes; `target` is a link's.

    Bytes of a name that are not UTF-8 are lone surrogates in it, as `os.fsdecode` makes them.
    """

    path: str
    kind: EntryKind
    size: int
    executable: bool
    target: str = ""


class PackedEntry(NamedTuple):
    """An entry of an archive, under its path there, with its content in pieces, which is to be read at once."""

    entry: SourceEntry
    content: Iterator[bytes]


class BadContentError(Exception):
    """The content of an entry contradicts its archive's directory; the message is the rest of a sentence."""
