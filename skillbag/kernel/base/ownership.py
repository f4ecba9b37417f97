"""Whether files and folders are this user's own: the one check of owner and mode for caches and state."""

from __future__ import annotations

import os
import stat

_OTHERS_WRITE = 0o022


def is_ours(status: os.stat_result) -> bool:
    """Whether nobody but this user, or root, can have written what has this status (POSIX; elsewhere always true)."""
    return os.name != "posix" or (_is_owned(status) and not status.st_mode & _OTHERS_WRITE)


def is_own_folder(folder: str) -> bool:
    """Whether nobody else can have written in the absolute `folder`; true if it does not exist yet.

    If this user's group may write there, and nobody else has, it loses that right: a umask of 002 makes such folders.
    A folder that everybody may write in is made so for others, and stays as it is.
    """
    if os.name != "posix":
        return True
    try:
        status = os.lstat(folder)
        if stat.S_ISLNK(status.st_mode) and _is_owned(status):
            status = os.stat(folder)
    except OSError:
        # Whoever uses it will say what is wrong.
        return True
    if is_ours(status):
        # In the place of a folder a file of this user is no danger, but a fault that its reader names.
        return True
    for_the_group = status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWOTH | stat.S_ISVTX)
    return for_the_group and stat.S_ISDIR(status.st_mode) and _closed(folder)


def _is_owned(status: os.stat_result) -> bool:
    return status.st_uid in (os.geteuid(), 0)


def _closed(folder: str) -> bool:
    """Close the folder to others, unless one of them has something in it; whether it is closed."""
    try:
        for path, folders, names in os.walk(folder):
            if not all(_is_owned(os.lstat(os.path.join(path, name))) for name in (*folders, *names)):
                return False
        os.chmod(folder, 0o700)
    except OSError:
        return False
    return True
