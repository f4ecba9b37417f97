"""Copies of skills by their content: what was approved is what runs (skill runtime, section 5).

A skill's folder may be exchanged at any moment: after a question, after the hash, between two files that its code
loads. So its files are copied to `content/HASH` in the folder of the state, and what runs is read from there.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.base.posix import is_posix
from skillbag.kernel.base.time_limit import rest
from skillbag.kernel.base.user_dirs import STATE_VARIABLE
from skillbag.kernel.fs.changes import put_folder, remove, write_new
from skillbag.kernel.workspace.tree_hash import pieces
from skillbag.runtime.broker.content import content_hash, paths
from skillbag.runtime.broker.database_file import locked, make_private
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.skill import FoundSkill

with contextlib.suppress(ImportError):
    # Windows has none, and runs no skills.
    import fcntl

FOLDER = "content"
MAX, _UNUSED, _WAIT = 100, 30 * 24 * 3600.0, 60.0
"""Copies that are kept; seconds after which one that nobody has used is deleted, and in which one is made."""


@contextlib.contextmanager
def held_copy(found: FoundSkill, digest: str, state: str) -> Iterator[FoundSkill]:
    """The skill with its copy of the content of this hash, which nobody deletes within the block. A missing or damaged
    one is made of the skill's folder. Without a hash, or on a system that runs no skills, there is no copy.

    Raises:
        RuntimeFaultError: the folder has another content by now, or can't be copied.
    """
    if not digest or not found.directory or not is_posix():
        yield found
        return
    copies = os.path.realpath(os.path.join(state, FOLDER))
    path = os.path.join(copies, digest)
    with contextlib.ExitStack() as held:
        try:
            if not _hold(path, digest, held):
                make_private(state)
                make_private(copies)
                with locked(copies, rest(_WAIT)):
                    # Another process may have made it meanwhile.
                    if not _hold(path, digest, held):
                        _make(found, digest, path)
                        if not _hold(path, digest, held):
                            raise RuntimeFaultError(f"{path} was changed by another program just now; try again")
        except OSError as error:
            reason = f"the skill \"{found.name}\" can't be started, since its files can't be copied to {path}"
            what = f"make room for it, or set {STATE_VARIABLE} to a folder of your own that can be written"
            raise RuntimeFaultError(f"{reason}: {format_error(error)}; {what}") from error
        yield found._replace(copy=path)


def _hold(path: str, digest: str, held: contextlib.ExitStack) -> bool:
    """Keep the copy from being deleted until the stack is closed; whether there is a sound one."""
    with contextlib.suppress(OSError), contextlib.ExitStack() as undo:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        undo.callback(os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            os.utime(path)
        except BlockingIOError:
            # It is just being deleted.
            return False
        except OSError:
            # Where the file system has no such locks, nobody gets the one to delete it either.
            pass
        # It may have been deleted before it was locked.
        if os.path.samestat(os.fstat(descriptor), os.lstat(path)) and content_hash(path) == digest:
            held.push(undo.pop_all())
            return True
    return False


def _make(found: FoundSkill, digest: str, path: str) -> None:
    """Copy the skill's folder, and put the copy in its place."""
    new = f"{path}.new"
    _evict(os.path.dirname(path))
    try:
        _copy(found.directory, new)
        if content_hash(new) != digest:
            raise RuntimeFaultError(f'the files of the skill "{found.name}" have changed; activate it again')
        put_folder(new, path)
    finally:
        remove(new)


def _copy(folder: str, new: str) -> None:
    """Copy a folder; nobody but this user can read it, and nobody writes its files by accident."""
    os.mkdir(new, 0o700)
    for path in paths(folder):
        mode, place = os.lstat(path).st_mode, new + path[len(folder) :]
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink(path), place)
        elif stat.S_ISDIR(mode):
            os.mkdir(place, 0o700)
            os.chmod(place, 0o700 | mode & 0o111)
        else:
            write_new(place, pieces(path), 0o400)
            if mode & 0o111:
                os.chmod(place, 0o400 | mode & 0o111)


def _evict(copies: str) -> None:
    """Delete what was not used for long, or for the longest time beyond `MAX`, unless a process uses it now; also
    what a process that was killed has left."""
    used = sorted(((os.lstat(entry).st_mtime, entry.path) for entry in os.scandir(copies)), reverse=True)
    for number, (last, path) in enumerate(used):
        if number >= MAX or last < time.time() - _UNUSED or "." in os.path.basename(path):
            with contextlib.suppress(OSError), contextlib.ExitStack() as undo:
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
                undo.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(path)
