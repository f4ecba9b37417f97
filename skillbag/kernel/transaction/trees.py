"""Copying, moving and deleting skill folders, and the states of paths.

Each file is read once, and the hash is of what was written.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from hashlib import sha256

from skillbag.kernel.fs import durable
from skillbag.kernel.fs.atomic import move
from skillbag.kernel.fs.changes import copy_folder, write_new
from skillbag.kernel.transaction.locations import FILE_STATE, LINK_STATE
from skillbag.kernel.workspace.tree import LINK, left_out, list_tree
from skillbag.kernel.workspace.tree_hash import LARGEST, ContentHash, TreeHash, file_hash, pieces, tree_files, tree_hash

_REPOSITORIES = frozenset({".git", ".hg", ".svn"})


def copy_tree(source: str, destination: str) -> str:
    """Copy the skill at `source` to the new folder `destination`, both absolute; the tree hash of the copy.

    Permissions follow the umask, with the executable bit kept; times are new.
    """
    tree = TreeHash()
    os.mkdir(destination)
    made = {""}
    for entry in tree_files(source):
        parent = entry.relative.rpartition("/")[0]
        if parent not in made:
            os.makedirs(os.path.join(destination, parent), exist_ok=True)
            made.add(parent)
        path = os.path.join(destination, entry.relative)
        if entry.kind == LINK:
            target = os.readlink(entry.path)
            os.symlink(target, path, target_is_directory=os.path.isdir(entry.path))
            tree.add_link(entry.relative, target)
        else:
            tree.add_file(entry.relative, _copy_file(entry.path, path))
    return tree.value()


def _copy_file(source: str, path: str) -> str:
    executable = os.lstat(source).st_mode & 0o100
    content = ContentHash()
    write_new(path, _hashed(source, content), 0o777 if executable else 0o666)
    return content.value() if os.lstat(path).st_size <= LARGEST else file_hash(path)


def _hashed(path: str, content: ContentHash) -> Iterator[bytes]:
    for piece in pieces(path):
        content.update(piece)
        yield piece


def move_tree(source: str, destination: str) -> bool:
    """Move the folder `source` if it is on the same file system and holds only its tree; whether it was moved."""
    if os.path.islink(source) or any(left_out(entry.relative) for entry in list_tree(source).entries):
        return False
    try:
        move(source, destination)
    except OSError:
        return False
    return True


def move_away(path: str, to: str) -> None:
    """Move what is at `path` to the free path `to` on the same file system, both absolute."""
    try:
        move(path, to)
    except OSError as error:
        if error.errno != errno.EXDEV or os.path.islink(path) or not os.path.isdir(path):
            raise
        _copy_away(path, to)


def _copy_away(folder: str, to: str) -> None:
    """Copy, then delete: overlayfs in a container can't rename folders that came with the image."""
    part = f"{to}.part"
    copy_folder(folder, part)
    if state_of(part) != state_of(folder):
        raise OSError(errno.EBUSY, "another process is changing it; run the command again", folder)
    durable.sync_tree(part)
    move(part, to)
    durable.sync(os.path.dirname(to))
    delete(folder)


def drop_rest(path: str, whole: str) -> bool:
    """Delete the folder at `path` if `whole` holds all of it; whether it did.

    An interrupted `move_away` leaves a part of a folder; a user may also have copied all of it back.
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
    """Delete the folder with its content, read-only or not; links are not followed."""
    import shutil

    try:
        shutil.rmtree(folder)
    except PermissionError:
        os.chmod(folder, 0o700)
        for path, folders, names in os.walk(folder):
            for name in folders if os.name != "nt" else folders + names:
                below = os.path.join(path, name)
                if not os.path.islink(below):
                    os.chmod(below, 0o700)
        shutil.rmtree(folder)


def state_of(path: str, *, others: bool = False) -> str | None:
    """The state of the absolute `path`; None if nothing is there.

    The tree hash of a folder; `file:` and the SHA-256 of a file's bytes; `link:` and the SHA-256 of a symbolic link's
    target, which is not followed. With `others`, a device, pipe or socket counts as an empty file, and is skipped
    within a folder; such a state is for comparisons only.
    """
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(mode):
        return LINK_STATE + sha256(os.fsencode(os.readlink(path))).hexdigest()
    if stat.S_ISDIR(mode):
        return tree_hash(path, others=others)
    content = sha256()
    if stat.S_ISREG(mode) or not others:
        for piece in pieces(path):
            content.update(piece)
    return FILE_STATE + content.hexdigest()


def state_of_bytes(data: bytes) -> str:
    """The state of a file with this content."""
    return FILE_STATE + sha256(data).hexdigest()


def may_be_deleted(path: str, state: str | None) -> bool:
    """Whether `path` still has this state and holds no repository: a tree hash leaves out a repository's history."""
    try:
        if state_of(path) != state:
            return False
        entries = list_tree(path).entries if os.path.isdir(path) and not os.path.islink(path) else ()
        return not any(entry.relative.rpartition("/")[2] in _REPOSITORIES for entry in entries)
    except OSError:
        return False
