"""Questions to the disk, and a record of them: what was worked out from the same answers comes out the same.

A **trace** is what was asked while something was worked out. Later it can be told whether the answers would be the same
in two ways: by stamps, which costs a look at each path (`lstat`), or by asking everything again and comparing a digest
of the answers. Whoever wants its findings remembered asks the disk through this module or through `files`, and in no
other way.
"""

from __future__ import annotations

import contextlib
import os
import stat
from array import array
from collections.abc import Iterable, Iterator
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _blake2 import blake2b

CONTENT, NAMES, MODE, KIND, REAL, LINK, VERSION = "cnmkrlv"
"""What is asked of a path: its bytes; the names in it; its mode and owner; what it is; where it leads; a link's own
text; whether it was touched."""

WIDTH = 3
"""Numbers in a stamp."""

_TIMELESS = 2
_DATED = (CONTENT, NAMES, MODE, VERSION)
_MASK = (1 << 63) - 1


class Trace:
    """What was asked, in order, each question once: `questions` as `KIND + path`, `stamps` as three numbers each.

    `sure` is False where an answer came from elsewhere, such as from a program that was run: it can't be compared.
    `touched` is the latest change of what is known by its stamp alone.
    """

    __slots__ = ("_digest", "questions", "seen", "stamps", "sure", "touched")

    def __init__(self) -> None:
        from _blake2 import blake2b

        self.questions: list[str] = []
        self.stamps = array("q")
        self.sure = True
        self.touched = 0
        self.seen: set[str] = set()
        self._digest: blake2b = blake2b(digest_size=16)

    def freshest(self) -> int:
        """The time, in nanoseconds, at which the latest change was made to anything of it; small where none has one."""
        return max(self.stamps[::WIDTH], default=0)

    def note(self, kind: str, path: str, stamp: tuple[int, int, int], answer: bytes) -> None:
        """Add a question with what is known of its answer; one that was asked before adds nothing."""
        question = kind + path
        # No path has a NUL in it: what is asked of one that a text has made up has the same answer always.
        if question in self.seen or "\0" in path:
            return
        self.seen.add(question)
        self.questions.append(question)
        self.stamps.extend(stamp)
        self._digest.update(b"%d:" % len(answer))
        self._digest.update(answer)

    @property
    def digest(self) -> bytes:
        """A digest of the answers alone, in the order of the questions: hex digits."""
        return self._digest.hexdigest().encode()


_trace: ContextVar[Trace | None] = ContextVar("trace", default=None)


@contextlib.contextmanager
def recording() -> Iterator[Trace]:
    """Within the block, what is asked of the disk is noted in the trace that is given; an inner record has its own."""
    trace = Trace()
    token = _trace.set(trace)
    try:
        yield trace
    finally:
        _trace.reset(token)


def mark_uncacheable() -> None:
    """Say that an answer comes from where no stamp can be taken."""
    trace = _trace.get()
    if trace is not None:
        trace.sure = False


def current() -> Trace | None:
    """The trace that is being recorded."""
    return _trace.get()


def stamp_of(status: os.stat_result) -> tuple[int, int, int]:
    """The stamp of a regular file or folder: any change of what it holds, or of its mode, changes it."""
    return status.st_ctime_ns, status.st_ino & _MASK, status.st_size


def exists(path: str) -> bool:
    """Whether anything is at `path`, a link that leads nowhere among it."""
    return _kind(path) != 0


def target_exists(path: str) -> bool:
    """Whether anything is at `path`, or where the link leads that is there."""
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


def real(path: str) -> str:
    """The real path."""
    answer = os.path.realpath(path)
    trace = _trace.get()
    if trace is not None:
        trace.note(REAL, path, _hashed(answer), os.fsencode(answer))
    return answer


def link(path: str) -> str | None:
    """What the link at `path` says; None where there is none."""
    answer = _link(path)
    trace = _trace.get()
    if trace is not None:
        trace.note(LINK, path, _hashed(answer or ""), os.fsencode(answer or ""))
    return answer


def _link(path: str) -> str | None:
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return None


def within(root: str, path: str) -> bool:
    """Whether the real path of `path` is the real path of `root` or lies below it."""
    top, place = real(root), real(path)
    return place == top or place.startswith(top.rstrip(os.sep) + os.sep)


def mode(path: str) -> int | None:
    """The mode of `path`, not of what a link leads to; None where there is nothing. Its owner is asked for besides."""
    trace = _trace.get()
    before = _nothing() if trace is None else stamp(MODE, path)
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        found = None
    if trace is not None:
        trace.note(MODE, path, before, b"%d %d" % (found.st_mode, found.st_uid) if found else b"")
    return found.st_mode if found else None


def version(path: str) -> int | None:
    """The mode of `path`, or of what a link leads to, where any touch of it is another answer: None for nothing.

    For what is too large to be compared, or is no text of ours: programs, an index of git's.
    """
    trace = _trace.get()
    before = _nothing() if trace is None else stamp(VERSION, path)
    try:
        found: int | None = os.stat(path).st_mode
    except (OSError, ValueError):
        found = None
    if trace is not None:
        trace.touched = max(trace.touched, before[0])
        trace.note(VERSION, path, before, f"{before}".encode())
    return found


def entries(path: str) -> list[os.DirEntry[str]]:
    """What lies in the folder `path`.

    Raises:
        OSError: as `os.scandir`.
    """
    trace = _trace.get()
    if trace is None:
        with os.scandir(path) as children:
            return list(children)
    # The stamp comes first: what changes while the names are read changes it.
    before = stamp(NAMES, path)
    try:
        with os.scandir(path) as children:
            found = list(children)
    except OSError as error:
        trace.note(NAMES, path, before, b"-" + _number(error.errno or 0))
        raise
    trace.note(NAMES, path, before, _listing(found))
    for entry in found:
        if entry.is_symlink():
            # What a link leads to may change while its folder does not.
            _kind(entry.path)
    return found


def probe_dir(path: str) -> None:
    """Ask what lies in a folder, for the sake of the record."""
    with contextlib.suppress(OSError):
        entries(path)


def names(path: str) -> list[str]:
    """The names in the folder `path`. Raises as `entries`."""
    return [entry.name for entry in entries(path)]


def _kind(path: str, follow: bool = False) -> int:
    found, target = _kinds(path)
    trace = _trace.get()
    if trace is not None:
        trace.note(KIND, path, (1, found, target), b"%d,%d" % (found, target))
    return target if follow else found


def _kinds(path: str) -> tuple[int, int]:
    """The type of what is at `path`, and of what that leads to; 0 for nothing."""
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


def _listing(found: Iterable[os.DirEntry[str]]) -> bytes:
    lines = [f"f{e.name}" if e.is_file(follow_symlinks=False) else f"{_letter(e)}{e.name}" for e in found]
    return "\0".join(sorted(lines)).encode("utf-8", "surrogatepass")


def _letter(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "l"
    return "d" if entry.is_dir(follow_symlinks=False) else "o"


def stamp(kind: str, path: str) -> tuple[int, int, int]:
    """The stamp of a question's answer as it is now; the same as long as the answer is."""
    if kind == KIND:
        return (1, *_kinds(path))
    if kind == REAL:
        return _hashed(os.path.realpath(path))
    if kind == LINK:
        return _hashed(_link(path) or "")
    try:
        status = os.lstat(path)
    except (OSError, ValueError) as error:
        return _nothing(error)
    if not stat.S_ISLNK(status.st_mode):
        return stamp_of(status)
    # A link changes with what it leads to.
    try:
        target: tuple[int, ...] = stamp_of(os.stat(path))
    except (OSError, ValueError) as error:
        target = _nothing(error)
    latest = max(status.st_ctime_ns, target[0])
    return latest, *_hashed(f"{stamp_of(status)} {target} {os.path.realpath(path)}")[1:]


def _nothing(error: Exception | None = None) -> tuple[int, int, int]:
    """The stamp of what can't be looked at: why not is part of the answer."""
    return 0, (error.errno or 0) if isinstance(error, OSError) else 0, 0


def _hashed(text: str) -> tuple[int, int, int]:
    from _blake2 import blake2b

    digest = array("q", blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
    return _TIMELESS, digest[0], digest[1]


def _number(value: int) -> bytes:
    return b"%d" % value


def stamps(questions: Iterable[str]) -> array[int]:
    """The stamps of all these questions as they are now."""
    found = array("q")
    extend, look = found.extend, os.lstat
    for question in questions:
        kind = question[0]
        if kind in _DATED:
            try:
                status = look(question[1:])
            except (OSError, ValueError) as error:
                extend(_nothing(error))
                continue
            if not stat.S_ISLNK(status.st_mode):
                extend((status.st_ctime_ns, status.st_ino & _MASK, status.st_size))
                continue
        extend(stamp(kind, question[1:]))
    return found
