"""Running a command with a limit of time and of output, so that nothing of it stays behind.

It gets a session of its own. Its whole process group is killed when it has ended, when its time is over, when anything
goes wrong here, and when this process itself dies, however that happens. Only what makes a session of its own in turn
(`setsid`) is out of reach; it can't hold up the call.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from subprocess import Popen

MOST_KEPT = 256 << 10
"""Bytes that are kept of each stream (256 KiB): the first half and the last."""

_CONTINUING = bytes(range(0x80, 0xC0))
"""Bytes that no character of UTF-8 begins with."""

_PIECE = 1 << 16
_GLANCE = 0.05
"""Seconds after which it is seen that a command has ended whose output somebody else still holds open."""
_GRACE = 0.3
"""Seconds that are left to those to write their last."""

# A shell that starts a guard into the command's own process group and then becomes the command. The guard waits for the
# end of a pipe whose other end is in this process alone, and kills its group. It is nobody's child, so that a command
# that waits for all of its children does not wait for it; as a member of the group it keeps the group's number taken.
_GUARDED = """
( { trap "" HUP INT TERM; exec 3<"$1" && { read -r _ <&3; kill -s KILL 0; } } </dev/null >/dev/null 2>&1 & )
shift
exec "$@"
"""


class OutOfTimeError(Exception):
    """The command took longer than it may."""


class Ran(NamedTuple):
    """What a command wrote, cut where it was too much, and its exit code: below zero, the signal that ended it."""

    stdout: str
    stderr: str
    code: int


def run(command: Sequence[str], folder: str, environment: Mapping[str, str], stdin: bytes | None, limit: float) -> Ran:
    """Run the command in `folder`, with nothing to read where `stdin` is None, for at most `limit` seconds.

    Raises:
        OutOfTimeError: it took longer, and is dead.
        OSError: it can't be started.
    """
    deadline = time.monotonic() + limit
    with _started(command, folder, environment, stdin is not None) as process:
        stdout, stderr = _exchange(process, stdin or b"", deadline)
        code = _wait(process, deadline)
    return Ran(stdout.text(), stderr.text(), code)


def kill_running_scripts(thread: int | None = None) -> None:
    """Kill all that is being run, or what this thread runs, with its process group: nobody waits for it any more."""
    with _lock:
        for group, runner in list(_groups.items()):
            if thread in (None, runner):
                _kill(group)


_lock = threading.RLock()
_groups: dict[int, int] = {}


@contextlib.contextmanager
def _started(
    command: Sequence[str], folder: str, environment: Mapping[str, str], reads: bool
) -> Iterator[Popen[bytes]]:
    from subprocess import DEVNULL, PIPE, Popen

    theirs, ours = os.pipe()
    try:
        process = Popen(
            ["/bin/sh", "-c", _GUARDED, "sh", f"/dev/fd/{theirs}", *command],
            bufsize=0,
            stdin=PIPE if reads else DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            cwd=folder,
            env=environment,
            start_new_session=True,
            pass_fds=(theirs,),
        )
        try:
            with _lock:
                _groups[process.pid] = threading.get_ident()
            yield process
        finally:
            _end(process)
    finally:
        os.close(theirs)
        os.close(ours)


def _end(process: Popen[bytes]) -> None:
    """Kill what is left of the group."""
    with _lock:
        _groups.pop(process.pid, None)
        _kill(process.pid)
    process.wait()
    # The first process of a container inherits what was left, and has to bury it.
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-process.pid, 0)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _exchange(process: Popen[bytes], stdin: bytes, deadline: float) -> tuple[Kept, Kept]:
    """Write and read until all is written and read, or the time is over."""
    from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector

    stdout, stderr = Kept(), Kept()
    ended = False
    with DefaultSelector() as streams:
        for stream, kept in ((process.stdout, stdout), (process.stderr, stderr)):
            if stream:
                streams.register(stream, EVENT_READ, kept.take)
        if process.stdin:
            os.set_blocking(process.stdin.fileno(), False)
            streams.register(process.stdin, EVENT_WRITE, _Fed(stdin).give)
        while streams.get_map() and (now := time.monotonic()) < deadline:
            if not ended and process.poll() is not None:
                ended, deadline = True, min(deadline, now + _GRACE)
            for key, _ in streams.select(min(deadline - now, _GLANCE)):
                if not key.data(key.fd):
                    streams.unregister(key.fileobj)
                    if key.fileobj is process.stdin:
                        process.stdin.close()
    return stdout, stderr


def _wait(process: Popen[bytes], deadline: float) -> int:
    """The exit code of what has closed its output, or has no time left."""
    from subprocess import TimeoutExpired

    try:
        return process.wait(max(0.0, deadline - time.monotonic()))
    except TimeoutExpired as error:
        raise OutOfTimeError from error


class _Fed:
    """What a command is still to read."""

    def __init__(self, data: bytes) -> None:
        self._rest = memoryview(data)

    def give(self, descriptor: int) -> bool:
        """Write what it takes; whether there is more."""
        try:
            self._rest = self._rest[os.write(descriptor, self._rest[:_PIECE]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        return bool(self._rest)


class Kept:
    """The beginning and the end of a stream; what lies between is counted, and not kept."""

    def __init__(self) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._left_out = 0

    def take(self, descriptor: int) -> bool:
        """Read what there is; whether more may come."""
        data = os.read(descriptor, _PIECE)
        half = MOST_KEPT // 2
        room = half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * half:
            self._cut(len(self._tail) - half)
        return bool(data)

    def text(self) -> str:
        """All of it as text, with a mark where something was left out; what is no UTF-8 is replaced."""
        self._cut(max(0, len(self._tail) - MOST_KEPT // 2))
        if not self._left_out:
            return (self._head + self._tail).decode("utf-8", "replace")
        # A character that the cut went through is left out as a whole.
        decoder = getincrementaldecoder("utf-8")("replace")
        head, begun = decoder.decode(bytes(self._head)), len(decoder.getstate()[0])
        tail = self._tail.lstrip(_CONTINUING)
        left_out = self._left_out + begun + len(self._tail) - len(tail)
        return f"{head}\n[… {left_out:,} bytes left out …]\n{tail.decode('utf-8', 'replace')}"

    def _cut(self, count: int) -> None:
        self._left_out += count
        del self._tail[:count]
