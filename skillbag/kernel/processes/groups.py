"""Process groups of child processes: none outlives its use, or this process (POSIX only).

A child gets its own session. Its process group is killed at the end of its use, when anything fails here, and when this
process dies in any way. A process that calls `setsid` escapes that.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence

from skillbag.kernel.base.posix import need_posix
from skillbag.kernel.base.verbose import log_step

_WATCH = 'read -r group && { read -r _; kill -KILL "-$group"; }'
"""A watcher: when this process dies, its pipe closes and it kills the group that it read from it."""


def kill_running(thread: int | None = None) -> None:
    """Kill the process groups of all running commands, or of the one that the thread `thread` runs."""
    with _lock:
        for group, runner in _groups.items():
            if thread is None or thread == runner:
                _kill(group)


def kill_group(group: int) -> None:
    """Kill a group that `started` gave and that is still in use, from any thread."""
    with _lock:
        if group in _groups:
            _kill(group)


_lock = threading.RLock()
_groups: dict[int, int | None] = {}
"""The running process groups, each with the thread that waits for it, if it is one."""


@contextlib.contextmanager
def started(
    words: Sequence[str], environment: Mapping[str, str], folder: str | None, thread: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a child in a process group of its own, with unbuffered pipes; its group is killed after the block.

    If this process is killed in the moment of the start, the child survives; it finds its standard input closed.
    `thread`: `kill_running` ends it for this thread.

    Raises:
        OSError, ValueError: it can't be started.
    """
    need_posix("a process of its own")
    log_step("runs {}", words[0])
    # The watcher is there first: between the start of the child and its number there is one system call.
    with (
        _watcher() as watcher,
        subprocess.Popen(
            words,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            start_new_session=True,
        ) as process,
    ):
        try:
            with _lock:
                _groups[process.pid] = thread
            with contextlib.suppress(BrokenPipeError):
                os.write(watcher, b"%d\n" % process.pid)
            yield process
        finally:
            _end(process)


@contextlib.contextmanager
def _watcher() -> Iterator[int]:
    """Yield a descriptor: the process group written to it is killed if this process dies during the block."""
    with subprocess.Popen(
        ["/bin/sh", "-c", _WATCH],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        start_new_session=True,
    ) as watcher:
        assert watcher.stdin  # noqa: S101 - for the type checker
        try:
            yield watcher.stdin.fileno()
        finally:
            watcher.kill()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the group, once."""
    with _lock:
        if process.pid not in _groups:
            return
        del _groups[process.pid]
        _kill(process.pid)
    process.wait()
    # As process 1 of a container, reap the orphans.
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-process.pid, 0)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Checked without reaping, so that the process id still identifies the group."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


def how_ended(process: int) -> str:
    """How a process ended, which is not reaped by this; empty if it has not."""
    status = os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if status is None:
        return ""
    if status.si_code == os.CLD_EXITED:
        return f"ended with exit code {status.si_status}"
    return f"was ended by {_signal_name(status.si_status)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
