"""The cache file of one request, and the folder of these files, from which the least recently used ones are evicted.

A file has columns with one checksum, and is replaced atomically, so without a lock. A damaged file, or one that
somebody else could have written, is ignored.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import sys
import time
import zlib
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from skillbag.kernel.base.ownership import is_ours
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.base.user_dirs import named_cache_folder
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import FLAGS, NO_FOLLOW
from skillbag.kernel.workspace import git_state
from skillbag.lint.cache.entry import SEPARATOR, STAMP, CacheEntry, PackedResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAGIC = b"skillbag checks 6\n"
_LIMIT = 1 << 29
_NEXT = SEPARATOR * 2
"""Between the questions of two entries."""
_FIGURES = 11
"""Width of a number in the last line: thirty-two bits have ten digits."""
_HOUR = 3600
_PRIVATE = 0o600


class Snapshot(NamedTuple):
    """What a file holds: entries in order, and the targets that they are of, each with two digests and their number.

    The result is None if an entry has no digest; with a `day` it is valid only then.
    """

    entries: Sequence[CacheEntry] = ()
    targets: Sequence[Sequence[Any]] = ()
    result: PackedResult | None = None
    day: str | None = None


def write_snapshot(path: str, snapshot: Snapshot) -> None:
    """Write it to `path`, readable by the user alone.

    Raises:
        OSError: the system's error, or that it is too large to be read again; the old file is untouched.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        # The new file would be written through a link, or get the mode of a file that is not private.
        if not _is_own(status) or (os.name != "nt" and stat.S_IMODE(status.st_mode) != _PRIVATE):
            os.unlink(path)
    write_atomic(path, _pieces(os.path.basename(path), snapshot), root=folder, mode=_PRIVATE, durable=False)


def _pieces(name: str, snapshot: Snapshot) -> Iterator[bytes]:
    """The content of the file in pieces: the whole would need the memory twice."""
    yield _MAGIC
    sizes, check = [], 0
    for column in _columns(snapshot.entries):
        sizes.append(len(column))
        check = zlib.crc32(column, check)
        if sum(sizes) > _LIMIT:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        yield column
    _, *facts = snapshot
    head = {"name": name, "facts": facts, "sizes": sizes}
    tail = json.dumps(head, separators=(",", ":")).encode()
    yield tail
    yield b"%*d%*d\n" % (_FIGURES, len(tail), _FIGURES, zlib.crc32(tail, check))


def _columns(entries: Sequence[CacheEntry]) -> Iterator[bytes]:
    questions, stamps, files, *lines = zip(*entries, strict=True)
    yield _NEXT.join(questions).encode("utf-8", "surrogatepass")
    yield b"".join(stamps)
    yield array("I", files).tobytes()
    for column in lines:
        yield b"\n".join(column)


def read_snapshot(path: str) -> Snapshot | None:
    """What `write_snapshot` wrote to `path`; None if it is damaged, or might not be ours."""
    try:
        data = _own_bytes(path)
        return _parsed(data, os.path.basename(path)) if data is not None else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError):
        return None


def _own_bytes(path: str) -> bytes | None:
    descriptor = os.open(path, FLAGS | NO_FOLLOW)
    with open(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if not _is_own(status) or status.st_size > _LIMIT or os.read(descriptor, len(_MAGIC)) != _MAGIC:
            return None
        if status.st_mtime < time.time() - _HOUR:
            # The least recently used file is evicted first.
            with contextlib.suppress(OSError):
                os.utime(path)
        return file.read()


def _is_own(status: os.stat_result) -> bool:
    """Whether a file is ours, and nobody else could have written it."""
    return stat.S_ISREG(status.st_mode) and is_ours(status)


def _parsed(data: bytes, name: str) -> Snapshot | None:
    """The content after the first line: columns, their description, then its length and the checksum of them all."""
    view = memoryview(data)
    end = len(data) - len(b"%*d%*d\n" % (_FIGURES, 0, _FIGURES, 0))
    size, check = int(view[end : end + _FIGURES]), int(view[end + _FIGURES :])
    start = end - size
    if not 0 <= start < end or zlib.crc32(view[:end]) != check:
        return None
    head = json.loads(bytes(view[start:end]))
    ends = [*accumulate(head["sizes"], initial=0)]
    # Somebody may have renamed another of our files.
    if head["name"] != name or ends[-1] != start:
        return None
    targets, result, day = head["facts"]
    entries = _entries(*[bytes(view[one:other]) for one, other in pairwise(ends)])
    return Snapshot(entries, targets, result and PackedResult(*result), day)


def _entries(questions: bytes, stamps: bytes, files: bytes, *lines: bytes) -> list[CacheEntry]:
    """The entries of these columns.

    Raises:
        ValueError, TypeError: the columns do not fit together.
    """
    groups = str(questions, "utf-8", "surrogatepass").split(_NEXT)
    ends = [*accumulate([text.count(SEPARATOR) + 1 if text else 0 for text in groups], initial=0)]
    if ends[-1] * STAMP != len(stamps):
        raise ValueError("stamps")
    own = [stamps[start * STAMP : end * STAMP] for start, end in pairwise(ends)]
    rows = zip(groups, own, array("I", files), *[column.split(b"\n") for column in lines], strict=True)
    return [*map(CacheEntry._make, rows)]


FOLDER = "checks"
"""The folder of cache files, in the user's cache folder."""

MAX = 200
"""Files that are kept."""
MAX_BYTES = 1 << 29
"""Bytes of all files together (512 MiB)."""

_UNFINISHED = 600.0
"""Seconds after which an unfinished file is taken for that of a killed process."""


def evict(folder: str, now: float, most: int | None = None) -> None:
    """Keep the folder within its bounds; the most recently used file stays, whatever its size."""
    total = 0
    for number, (used, size, path) in enumerate(_within(folder)):
        total += size
        is_left = path.endswith(".tmp") and used < now - _UNFINISHED
        if is_left or number >= (most or MAX) or (total > MAX_BYTES and number):
            _remove(path)


def clear(folder: str, before: float) -> None:
    """Delete the files that were not used since `before`."""
    for used, _, path in _within(folder):
        if used <= before:
            _remove(path)


def count(folder: str) -> int:
    """The number of files."""
    return len(_within(folder))


def _within(folder: str) -> list[tuple[float, int, str]]:
    """The time of last use, size and path of each file, the most recently used one first."""
    files = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime, status.st_size, entry.path))
    return sorted(files, reverse=True)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def place_of(request: Sequence[object]) -> str:
    """The absolute path of the file for a request (plain values), for this user, program version and environment.

    Raises:
        UserError: the configured cache folder is not an absolute path.
    """
    from _blake2 import blake2b

    ids = (os.geteuid(), os.getegid(), os.getgroups()) if hasattr(os, "geteuid") else ()
    environment = [os.environ.get(name) for name in ("PATH", "HOME", "XDG_CONFIG_HOME")]
    text = repr((_program(), (*ids, *environment, git_state.settings()), tuple(request)))
    name = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return os.path.join(named_cache_folder(), FOLDER, f"{name}.checks")


JUDGING = (
    *("kernel/base", "kernel/documents", "kernel/fs", "kernel/manifest", "kernel/model", "kernel/secrets"),
    *("kernel/hosts", "kernel/standard", "kernel/workspace"),
    *("lint/cache", "lint/checks", "lint/checks/children", "lint/engine", "lint/facts", "lint/rules", "lint/signals"),
)
"""The packages on which a verdict depends."""


def _program() -> list[object]:
    """The version of this program: interpreter, libraries, modules and rules."""
    found: list[object] = [sys.version, sys.platform, sys.getfilesystemencoding()]
    # Installing another version of a library changes the names in the folder of libraries.
    for path in sys.path:
        if path.endswith("-packages") and os.path.isdir(path):
            found += path, os.stat(path).st_mtime_ns
    top = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    for name in JUDGING:
        found += _stamps(os.path.join(top, name))
    if not os.path.isdir(os.path.join(top, "data")):
        # A checkout: an edit of a rule counts at once (`rules.builtin`), and one of a schema of files around skills.
        rules = os.path.join(os.path.dirname(top), "rules")
        found += _stamps(os.path.join(os.path.dirname(top), "schemas", "hosts"))
        with os.scandir(rules) as families:
            for folder in [rules, *(family.path for family in families if family.is_dir())]:
                found += _stamps(folder)
    return found


def _stamps(folder: str) -> list[object]:
    """The folder with its time, which a renamed file changes, and the times and sizes of its files."""
    found: list[object] = [folder, os.stat(folder).st_mtime_ns]
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".yaml", ".json")):
                status = entry.stat()
                found += status.st_mtime_ns, status.st_size
    return found
