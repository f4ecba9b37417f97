"""The token that clients over HTTP send: made at each start, in a file that only its owner can read.

Every account on this machine can connect to a port, and the tools act as the user who started the server.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from skillbag.base.user_dirs import state_folder

_FOLDER = "mcp"


@dataclass(frozen=True, slots=True)
class Token:
    """`path` (absolute) is the file with the `value`, which is never printed."""

    value: str = field(repr=False)
    path: str


@contextlib.contextmanager
def token_file(name: str) -> Iterator[Token]:
    """A new token, in the file `<name>.token` of the user's state folder during the block.

    The file of a killed server is replaced: only one server can have the port.

    Raises:
        UserError: the variable that names the state folder holds no absolute path.
        OSError: the file can't be written, or its folder belongs to another user.
    """
    import secrets

    from skillbag.fs.atomic import write_atomic

    folder = os.path.join(state_folder(), _FOLDER)
    token = Token(secrets.token_urlsafe(32), os.path.join(folder, f"{name}.token"))
    _make_private(folder)
    # An existing file would keep its mode.
    with contextlib.suppress(FileNotFoundError):
        os.unlink(token.path)
    data = f"{token.value}\n".encode("ascii")
    write_atomic(token.path, data, root=folder, mode=0o600, overwrite=False, durable=False)
    try:
        yield token
    finally:
        _remove(token.path, data)


def _make_private(folder: str) -> None:
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, mode=0o700)
    if os.name != "posix":
        return
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        message = "it is no folder of yours, so that somebody else could read the token; take it away"
        raise PermissionError(1, message, folder)
    if stat.S_IMODE(status.st_mode) & 0o077:
        os.chmod(folder, 0o700)


def _remove(path: str, data: bytes) -> None:
    """Delete the file, unless another server has written its own there since."""
    with contextlib.suppress(OSError):
        with open(path, "rb") as file:
            is_ours = file.read(len(data) + 1) == data
        if is_ours:
            os.unlink(path)
