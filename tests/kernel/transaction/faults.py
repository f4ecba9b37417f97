"""Every call by which this process changes the disk, counted; and what happens at the one that is chosen."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

from skillbag.kernel.fs import durable

CALLS = ("mkdir", "rename", "replace", "unlink", "remove", "rmdir", "symlink", "link", "write", "fsync", "chmod")
"""Functions of `os` that change the disk, or make a change durable; `os.open` is one where it creates a file."""

Act = Callable[[str, tuple[Any, ...]], None]
"""Called in place of a call, with its name and arguments, before it; it may not return."""


def at_calls(acts: Mapping[int, Act], trace: list[str] | None = None, lasting: bool = False) -> None:
    """Have each act called before the call with its number (from 1), or with `lasting` before all that follow too.

    Numbers are for tests that counted the calls before: they differ from one machine to the next.
    """
    count = 0

    def before(name: str, args: tuple[Any, ...]) -> None:
        nonlocal count
        count += 1
        if trace is not None:
            trace.append(f"{name} {_place(args)}")
        if count in acts or (lasting and count > max(acts)):
            acts.get(count, acts[max(acts)])(name, args)

    _watch(before)


def at_point(point: str, act: Act) -> None:
    """Have the act called before calls by their name and the end of their path: `rename old/0001`."""
    called, end = point.split(" ", 1)

    def before(name: str, args: tuple[Any, ...]) -> None:
        if name == called and _place(args).endswith(f"/{end}"):
            act(name, args)

    _watch(before)


def _watch(before: Act) -> None:
    def watched(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **named: Any) -> Any:
            if name != "open" or (len(args) > 1 and args[1] & os.O_CREAT):
                before(name, args)
            return call(*args, **named)

        return wrapper

    for name in (*CALLS, "open"):
        setattr(os, name, watched(name, getattr(os, name)))
    # The same for a call that is made in C.
    durable._sync_file_system = watched("syncfs", durable._sync_file_system)


def _place(args: tuple[Any, ...]) -> str:
    """What is changed, or what it becomes."""
    place = args[1] if len(args) > 1 and isinstance(args[1], str) else args[0]
    if isinstance(place, int) and sys.platform == "linux":
        return os.readlink(f"/proc/self/fd/{place}")
    return str(place)


def as_in_a_container() -> None:
    """From here on, folders can't be renamed out of the workspace's own places, as those of an image can't."""
    rename = os.rename

    def refused(old: str, new: str) -> None:
        if "/old/" in new and os.path.isdir(old) and not os.path.islink(old) and not old.endswith(".part"):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), old, None, new)
        rename(old, new)

    os.rename = refused  # type: ignore[assignment]


def kill(_name: str, _args: tuple[Any, ...]) -> None:
    """End this process as nothing else does: no clean-up, no buffer written."""
    os.kill(os.getpid(), signal.SIGKILL)


def tear(name: str, args: tuple[Any, ...]) -> None:
    """As `kill`, with half of it written."""
    if name == "write":
        os.pwrite(args[0], bytes(args[1])[: len(args[1]) // 2], 0)
    kill(name, args)


def fail(code: int) -> Act:
    """The system refuses with this error."""

    def act(_name: str, _args: tuple[Any, ...]) -> None:
        raise OSError(code, os.strerror(code))

    return act


ACTS: dict[str, Act] = {
    "kill": kill,
    "tear": tear,
    **{name: fail(getattr(errno, name)) for name in ("ENOSPC", "EACCES", "EIO", "EROFS")},
}
