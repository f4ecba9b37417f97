"""The plugin as a host finds it: `plugins/agent-skills/agent-skills`, a script of two lines that runs this program."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Sequence
from typing import NamedTuple

from skillbag.base.errors import UserError

NAME = "agent-skills"
"""Of the folder and of the executable in it."""

_MARKER = "# Made by `skillbag plugin install`, which writes it anew; `skillbag plugin uninstall` takes it away."
_MODE = 0o755


class ForeignPluginError(UserError):
    """Something stands in the plugin's place that is not ours."""


class PluginChange(NamedTuple):
    """What became of the plugin at the absolute `path`: `installed`, `replaced`, `unchanged`, `removed` or `absent`."""

    path: str
    status: str


def install_plugin(folder: str, options: Sequence[str] = ()) -> PluginChange:
    """Write the plugin into the absolute plugins folder, which is made where it is not there.

    `options` are given to `skillbag plugin serve` at each call, before what the host gives.

    Raises:
        ForeignPluginError: something else stands in its place, which stays as it is.
        UserError: this system has no executable scripts.
        OSError: it can't be written; what was there is there.
    """
    if os.name != "posix":
        raise UserError("a plugin is an executable script, which this system does not know; use skillbag mcp instead")
    from skillbag.fs.atomic import write_atomic

    path = _path(folder)
    text = _script(options).encode("utf-8", "surrogateescape")
    held = _held(path, folder)
    if held != text:
        write_atomic(path, text, root=folder, mode=_MODE, overwrite=held is not None)
    elif stat.S_IMODE(os.stat(path).st_mode) & _MODE == _MODE:
        return PluginChange(path, "unchanged")
    os.chmod(path, _MODE)
    return PluginChange(path, "installed" if held is None else "replaced")


def uninstall_plugin(folder: str) -> PluginChange:
    """Take the plugin out of the absolute plugins folder, and its own folder too if nothing else is in it.

    Raises:
        ForeignPluginError: something else stands in its place, which stays as it is.
        OSError: it can't be deleted.
    """
    path = _path(folder)
    if _held(path, folder) is None:
        return PluginChange(path, "absent")
    os.unlink(path)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(path))
    return PluginChange(path, "removed")


def _path(folder: str) -> str:
    return os.path.join(folder, NAME, NAME)


def _script(options: Sequence[str]) -> str:
    import shlex

    # `exec` leaves the host as our parent, by which its session is known.
    command = shlex.join([sys.executable, "-P", "-m", "skillbag", "plugin", "serve", *options])
    return f'#!/bin/sh\n{_MARKER}\nexec {command} "$@"\n'


def _held(path: str, folder: str) -> bytes | None:
    """Our own script as it stands there, None where nothing does."""
    from skillbag.fs.read import Unread, Unreadable, read

    if os.path.islink(path) or os.path.islink(os.path.dirname(path)):
        raise ForeignPluginError(f"{path}: a link stands there, which is not ours; take it away first")
    data = read(path, folder)
    if isinstance(data, Unreadable):
        if data.reason is Unread.MISSING and not _stands_in_the_way(path):
            return None
    elif data.split(b"\n", 2)[1:2] == [_MARKER.encode()]:
        return data
    raise ForeignPluginError(f"{path}: something stands there that is not ours; take it away first")


def _stands_in_the_way(path: str) -> bool:
    """Whether the plugin's folder is there and is none."""
    place = os.path.dirname(path)
    return os.path.lexists(place) and not os.path.isdir(place)
