"""Moving what is displaced out of the way whole, and deleting it in the end."""

from __future__ import annotations

import errno
import os

from skillbag.transaction import durable
from skillbag.transaction.state import state_of


def move_away(path: str, to: str) -> None:
    """Move what is at `path` to the free path `to` on the same file system, both absolute.

    Raises:
        OSError: what the system says; it is still at `path`.
    """
    try:
        os.rename(path, to)
    except OSError as error:
        if error.errno != errno.EXDEV or os.path.islink(path) or not os.path.isdir(path):
            raise
        _copy_away(path, to)


def _copy_away(folder: str, to: str) -> None:
    """In a container, a folder that came with the image can't be renamed (overlayfs): one that was made since can."""
    import shutil

    part = f"{to}.part"
    shutil.copytree(folder, part, symlinks=True)
    if state_of(part) != state_of(folder):
        raise OSError(errno.EBUSY, "it is being changed by somebody else; run the command again", folder)
    durable.sync_tree(part)
    os.rename(part, to)
    durable.sync(os.path.dirname(to))
    delete(folder)


def drop_rest(path: str, whole: str) -> bool:
    """Delete what is at `path` if it is a part of the folder `whole`, or all of it: a copy away that was interrupted.

    Whether it was one. The same, put back by hand meanwhile, is one as well.
    """
    if os.path.islink(path) or not (os.path.isdir(path) and os.path.isdir(whole)) or not _is_part(path, whole):
        return False
    delete(path)
    return True


def _is_part(folder: str, whole: str) -> bool:
    for path, folders, names in os.walk(folder):
        twin = os.path.join(whole, os.path.relpath(path, folder))
        for name in [*names, *(name for name in folders if os.path.islink(os.path.join(path, name)))]:
            if state_of(os.path.join(path, name)) != state_of(os.path.join(twin, name)):
                return False
    return True


def delete(folder: str) -> None:
    """Delete the folder and all below it, read-only or not; no link is followed.

    Raises:
        OSError: something can't be deleted.
    """
    import shutil

    try:
        shutil.rmtree(folder)
    except PermissionError:
        _open_up(folder)
        shutil.rmtree(folder)


def _open_up(folder: str) -> None:
    """Give ourselves what deleting takes."""
    os.chmod(folder, 0o700)
    for path, folders, names in os.walk(folder):
        for name in folders if os.name != "nt" else folders + names:
            below = os.path.join(path, name)
            if not os.path.islink(below):
                os.chmod(below, 0o700)
