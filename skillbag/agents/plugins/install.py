"""Install the plugin into a host: `plugins/agent-skills/agent-skills`, a short script that runs this program."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Sequence
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.posix import need_posix

NAME = "agent-skills"
"""Of the folder and of the executable in it."""

_MARKER = (
    "# Made by `skillbag agent plugin install`, which overwrites it; `skillbag agent plugin uninstall` removes it."
)
_MODE = 0o755


class ForeignPluginError(UserError):
    """A file at the plugin's path was not written by us."""


class PluginChange(NamedTuple):
    """What was done with the plugin at `path`: `installed`, `replaced`, `unchanged`, `removed` or `absent`."""

    path: str
    status: str


def serves_otherwise(folder: str, options: Sequence[str] | None = None) -> bool:
    """Whether the plugin in the absolute plugins folder serves with other options than these; with None: is there.

    Raises:
        ForeignPluginError: another file has its path.
    """
    installed = _installed(_path(folder), folder)
    if installed is None or options is None:
        return installed is not None
    return _words(installed) != _words(_script(options).encode("utf-8", "surrogateescape"))


def _words(script: bytes) -> bytes:
    return script.partition(b" -m skillbag ")[2]


def install_plugin(folder: str, options: Sequence[str] = ()) -> PluginChange:
    """Write the plugin into the absolute plugins folder, which is created if needed.

    `options` are passed to `skillbag agent plugin serve` at each call, before those of the host.

    Raises:
        ForeignPluginError: another file has its path; it is not changed.
        OSError: it can't be written, or not on this system; an existing one is unchanged.
    """
    need_posix("an executable plugin")
    from skillbag.kernel.fs.atomic import write_atomic

    path = _path(folder)
    text = _script(options).encode("utf-8", "surrogateescape")
    installed = _installed(path, folder)
    if installed != text:
        write_atomic(path, text, root=folder, mode=_MODE, overwrite=installed is not None)
    elif stat.S_IMODE(os.stat(path).st_mode) & _MODE == _MODE:
        return PluginChange(path, "unchanged")
    os.chmod(path, _MODE)
    return PluginChange(path, "installed" if installed is None else "replaced")


def uninstall_plugin(folder: str) -> PluginChange:
    """Remove the plugin from the absolute plugins folder, and its own folder if that is empty then.

    Raises:
        ForeignPluginError: another file has its path; it is not changed.
        OSError: it can't be deleted.
    """
    path = _path(folder)
    if _installed(path, folder) is None:
        return PluginChange(path, "absent")
    os.unlink(path)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(path))
    return PluginChange(path, "removed")


def _path(folder: str) -> str:
    return os.path.join(folder, NAME, NAME)


def _script(options: Sequence[str]) -> str:
    import shlex

    # `exec` keeps the host as our parent process, which identifies its session.
    command = shlex.join([sys.executable, "-P", "-m", "skillbag", "agent", "plugin", "serve", *options])
    return f'#!/bin/sh\n{_MARKER}\nexec {command} "$@"\n'


def _installed(path: str, folder: str) -> bytes | None:
    """The installed script, None if there is none."""
    from skillbag.kernel.fs.read import Unread, Unreadable, read

    parent = os.path.dirname(path)
    if os.path.islink(path) or os.path.islink(parent):
        raise ForeignPluginError(f"{path}: skillbag did not make the link that is here; remove it first")
    data = read(path, folder)
    if isinstance(data, Unreadable):
        if data.reason is Unread.MISSING and (os.path.isdir(parent) or not os.path.lexists(parent)):
            return None
    elif data.split(b"\n", 2)[1:2] == [_MARKER.encode()]:
        return data
    raise ForeignPluginError(f"{path}: skillbag did not make what is here; remove it first")
