"""A session for hosts that name none, identified by the parent process."""

from __future__ import annotations

import os


def host_session() -> str:
    """An id of the parent process, which is the same at each of its calls and is not reused."""
    parent = os.getppid()
    return f"host-{parent}-{_start_of(parent)}"


def _start_of(process: int) -> str:
    """When a process started, in any unit. Process ids are reused; a pair of id and start is not."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            # The name of the program comes second, in parentheses, and may hold anything.
            fields = file.read().rpartition(b")")[2].split()
        return fields[19].decode("ascii")
    except (OSError, IndexError):
        return _start_by_ps(process)


def _start_by_ps(process: int) -> str:
    import subprocess

    try:
        result = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(process)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=5,
            env={**os.environ, "LC_ALL": "C", "TZ": "UTC"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return "-".join(result.stdout.split()) or "unknown"
