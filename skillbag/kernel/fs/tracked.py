"""Tracked file-system queries, used to invalidate the cache.

A **trace** is a list of queries ("questions") and their answers. Their stamps, which cost an `lstat` each, show whether
the answers may have changed; a digest of new answers shows whether they have. Code whose results are cached reads the
disk through this module or `fs.read` only.
"""

from __future__ import annotations

import contextlib
import os
import stat
from array import array
from collections.abc import Iterable, Sequence

from skillbag.kernel.fs.other_disk import LOOKED_AT, looked_back
from skillbag.kernel.fs.trace import RECORDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.fs.buffers import Buffers
    from skillbag.kernel.fs.past import PastEntry

CONTENT, NAMES, MODE, KIND, REAL, LINK, VERSION = "cnmkrlv"
"""Questions about a path: its bytes, the names in it, mode and owner, type, real path, a link's text, any touch."""

WIDTH = 3
"""Numbers in a stamp."""

_TIMELESS = 2
_DATED = (CONTENT, NAMES, MODE, VERSION)
_MASK = (1 << 63) - 1
_NOTHING = (0, 0, 0)


def _stamp_of(status: os.stat_result) -> tuple[int, int, int]:
    """The stamp of a regular file or folder, which changes with its content and its mode."""
    return status.st_ctime_ns, status.st_ino & _MASK, status.st_size


def exists(path: str) -> bool:
    """Whether anything is at `path`, even a broken link."""
    return _kind(path) != 0


def target_exists(path: str) -> bool:
    """Whether anything but a broken link is at `path`."""
    return _kind(path, follow=True) != 0


def is_folder(path: str) -> bool:
    """Whether `path` is a folder, or a link to one."""
    return stat.S_ISDIR(_kind(path, follow=True))


def is_file(path: str) -> bool:
    """Whether `path` is a regular file, or a link to one."""
    return stat.S_ISREG(_kind(path, follow=True))


def is_link(path: str) -> bool:
    """Whether `path` is a symbolic link."""
    return stat.S_ISLNK(_kind(path))


def _kind(path: str, follow: bool = False) -> int:
    found, target = kinds(path)
    trace = RECORDED.get()
    if trace is not None:
        trace.note(KIND, path, (1, found, target), b"%d,%d" % (found, target))
    return target if follow else found


def real(path: str) -> str:
    """The real path; empty where a text is no path, as with a NUL that a file's data may have."""
    other = LOOKED_AT.get()
    try:
        answer = other.real(path) if other else os.path.realpath(path)
    except ValueError:
        answer = ""
    _note_text(REAL, path, answer)
    return answer


def link(path: str) -> str | None:
    """The text of the link at `path`; None where there is none."""
    answer = _link(path)
    _note_text(LINK, path, answer or "")
    return answer


def _note_text(kind: str, path: str, answer: str) -> None:
    trace = RECORDED.get()
    if trace is not None:
        trace.note(kind, path, _hashed(answer), os.fsencode(answer))


def _link(path: str) -> str | None:
    if other := LOOKED_AT.get():
        return other.link(path)
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return None


def within(root: str, path: str) -> bool:
    """Whether the real path of `path` is the real path of `root` or lies below it."""
    top, place = real(root), real(path)
    return place == top or place.startswith(top.rstrip(os.sep) + os.sep)


def owner(path: str) -> int | None:
    """The number of the owner of `path`, not of a link's target; None where there is nothing, and in the past."""
    if mode(path) is None or looked_back():
        return None
    try:
        return os.lstat(path).st_uid
    except (OSError, ValueError):
        return None


def mode(path: str) -> int | None:
    """The mode of `path`, not of a link's target; None where there is nothing. The owner is tracked as well."""
    other = LOOKED_AT.get()
    if other and not other.is_stamped:
        return other.mode(path) or None
    trace = RECORDED.get()
    before = _NOTHING if trace is None else stamp(MODE, path)
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        found = None
    mode, owner = (found.st_mode, found.st_uid) if found else (other.mode(path) if other else 0, 0)
    if trace is not None:
        trace.note(MODE, path, before, b"%d %d" % (mode, owner) if mode else b"")
    return mode or None


def version(path: str) -> int | None:
    """The mode of a program or of git's index (None: nothing), where any touch is a change; links are followed."""
    trace = RECORDED.get()
    before = _NOTHING if trace is None else stamp(VERSION, path)
    try:
        found: int | None = os.stat(path).st_mode
    except (OSError, ValueError):
        found = None
    if trace is not None:
        trace.touched = max(trace.touched, before[0])
        trace.note(VERSION, path, before, f"{before}".encode())
    return found


def entries(path: str) -> Sequence[os.DirEntry[str] | PastEntry]:
    """The entries of the folder `path`; an error as by `os.scandir`."""
    other = LOOKED_AT.get()
    if other and not other.is_stamped:
        return other.entries(path)
    trace = RECORDED.get()
    # The stamp comes first, so that a change during the listing is noticed.
    before = _NOTHING if trace is None else stamp(NAMES, path)
    try:
        found = other.entries(path) if other else _entries(path)
    except OSError as error:
        if trace is not None:
            trace.note(NAMES, path, before, b"-%d" % (error.errno or 0))
        raise
    if trace is not None and NAMES + path not in trace.seen:
        lines = [f"f{e.name}" if e.is_file(follow_symlinks=False) else f"{_letter(e)}{e.name}" for e in found]
        trace.note(NAMES, path, before, "\0".join(sorted(lines)).encode("utf-8", "surrogatepass"))
        for entry in found:
            if entry.is_symlink():
                # A link's target may change while its folder does not.
                _kind(entry.path)
    return found


def _entries(path: str) -> Sequence[os.DirEntry[str] | PastEntry]:
    with os.scandir(path) as children:
        return list(children)


def probe_dir(path: str) -> None:
    """Track the names in a folder, which may be missing."""
    with contextlib.suppress(OSError):
        entries(path)


def names(path: str) -> list[str]:
    """The names in the folder `path`."""
    return [entry.name for entry in entries(path)]


def kinds(path: str) -> tuple[int, int]:
    """The type of the file at `path`, and of its link's target; 0 for nothing."""
    if other := LOOKED_AT.get():
        return other.kinds(path)
    try:
        found = target = stat.S_IFMT(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return 0, 0
    if found == stat.S_IFLNK:
        try:
            target = stat.S_IFMT(os.stat(path).st_mode)
        except (OSError, ValueError):
            target = 0
    return found, target


def _letter(entry: os.DirEntry[str] | PastEntry) -> str:
    if entry.is_symlink():
        return "l"
    return "d" if entry.is_dir(follow_symlinks=False) else "o"


def stamp(kind: str, path: str) -> tuple[int, int, int]:
    """The current stamp of a question; it changes with the answer."""
    if kind == KIND:
        return (1, *kinds(path))
    if kind == REAL:
        return _hashed(os.path.realpath(path))
    if kind == LINK:
        return _hashed(_link(path) or "")
    found = _stamp_on_disk(path)
    other = LOOKED_AT.get()
    return _stamp_beside(other, kind, path, found) if other and other.is_stamped else found


def _stamp_beside(other: Buffers, kind: str, path: str, found: tuple[int, int, int]) -> tuple[int, int, int]:
    """The stamp on a disk with open documents, of what has the stamp `found` without them."""
    if kind == CONTENT:
        state = other.state(path)
        return found if state is None else _hashed(state)
    if kind == NAMES:
        names = other.added(path)
        return (found[0], *_hashed(f"{found} {names}")[1:]) if names else found
    if kind == MODE and found[0] == 0 and (added := other.mode(path)):
        return 0, *_hashed(f"{found} {added}")[1:]
    return found


def _stamp_on_disk(path: str) -> tuple[int, int, int]:
    try:
        status = os.lstat(path)
    except (OSError, ValueError) as error:
        return _nothing(error)
    if not stat.S_ISLNK(status.st_mode):
        return _stamp_of(status)
    # The stamp of a link depends on its target.
    try:
        target = _stamp_of(os.stat(path))
    except (OSError, ValueError) as error:
        target = _nothing(error)
    latest = max(status.st_ctime_ns, target[0])
    return latest, *_hashed(f"{_stamp_of(status)} {target} {os.path.realpath(path)}")[1:]


def _nothing(error: Exception) -> tuple[int, int, int]:
    """The stamp of a path that can't be examined: the error is part of the answer."""
    return 0, (error.errno or 0) if isinstance(error, OSError) else 0, 0


def _hashed(text: str | bytes) -> tuple[int, int, int]:
    from _blake2 import blake2b

    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    digest = array("q", blake2b(data, digest_size=16).digest())
    return _TIMELESS, digest[0], digest[1]


def stamps(questions: Iterable[str]) -> array[int]:
    """The current stamps of these questions."""
    found = array("q")
    extend, look = found.extend, os.lstat
    other = LOOKED_AT.get()
    if other and other.is_stamped:
        for question in questions:
            extend(stamp(question[0], question[1:]))
        return found
    last, status = "", None
    for question in questions:
        kind, path = question[0], question[1:]
        if kind in _DATED:
            # The mode of a file is often asked for just before its content.
            if path != last or status is None:
                try:
                    last, status = path, look(path)
                except (OSError, ValueError) as error:
                    extend(_nothing(error))
                    continue
            if not stat.S_ISLNK(status.st_mode):
                extend((status.st_ctime_ns, status.st_ino & _MASK, status.st_size))
                continue
        extend(stamp(kind, path))
    return found
