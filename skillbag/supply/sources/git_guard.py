"""No git process outlives this one, even after SIGKILL: a shell waits for the end of its pipe, then kills the rest.

Processes that git has started (ssh, a helper for HTTP) do not notice that their parent is gone. The shell is given each
process group when it begins and ends, and its pipe closes with this process. One shell, started with the first git
that contacts a remote, serves the whole run. POSIX only.
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
    """Within the block, the process group is killed when this process ends."""
    _send(f"begun {group}\n")
    try:
        yield
    finally:
        _send(f"ended {group}\n")


def _send(line: str) -> None:
    if os.name != "posix":
        return
    with _lock, contextlib.suppress(OSError):
        # Without the shell, git still ends with this process in every case but SIGKILL.
        if not _shell:
            command, pipe, null = ["/bin/sh", "-c", _WATCH], subprocess.PIPE, subprocess.DEVNULL
            # In a session of its own: a signal to our group, such as Ctrl-C, must not reach it.
            _shell.append(
                subprocess.Popen(
                    command, bufsize=0, stdin=pipe, stdout=null, stderr=null, cwd="/", env={}, start_new_session=True
                )
            )
        stdin = _shell[0].stdin
        assert stdin is not None  # noqa: S101 -- asked for as a pipe
        os.write(stdin.fileno(), line.encode())
