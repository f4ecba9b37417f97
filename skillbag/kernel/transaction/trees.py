"""Copying, moving and deleting skill folders: each file is read once, and the hash is of what was written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from skillbag.kernel.fs import durable
from skillbag.kernel.fs.changes import copy_folder, move, write_new
from skillbag.kernel.transaction.state import state_of
from skillbag.kernel.workspace.tree import LINK, left_out, list_tree
from skillbag.kernel.workspace.tree_hash import LARGEST, ContentHash, TreeHash, file_hash, pieces, tree_files


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
