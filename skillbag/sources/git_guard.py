"""That no git outlives us, however we end: a shell waits for the end of its pipe, and then kills what is still at work.

Nobody can act on SIGKILL, and what git has started (ssh, a helper for HTTP) does not look for who started it. A small
shell can: it gets each group of processes when it begins and ends, and its pipe closes when this process ends.
There is one for all of a run, started with the first git that contacts a remote. For POSIX systems.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator

_WATCH = """
left=" "
while read -r word group; do
  case $word in
    begun) left="$left$group " ;;
    ended) left="${left%% $group *} ${left#* $group }" ;;
  esac
done
for group in $left; do kill -KILL "-$group"; done
"""

_lock = threading.Lock()
_shell: list[subprocess.Popen[bytes]] = []


@contextlib.contextmanager
def guarded(group: int) -> Iterator[None]:
    """Within the block, the group of processes is killed as soon as this process is no more."""
    _tell(f"begun {group}\n")
    try:
        yield
    finally:
        _tell(f"ended {group}\n")


def _tell(line: str) -> None:
    if os.name != "posix":
        return
    with _lock, contextlib.suppress(OSError):
        # Without the shell, git is still ended with us in every case but SIGKILL.
        if not _shell:
            _shell.append(_started())
        pipe = _shell[0].stdin
        assert pipe is not None  # noqa: S101 -- asked for as a pipe
        os.write(pipe.fileno(), line.encode())


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", _WATCH],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={},
        # A signal to our group, such as that of Ctrl-C, is none to it.
        start_new_session=True,
    )
