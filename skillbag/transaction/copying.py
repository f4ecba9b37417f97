"""Copying a skill: each file is read once, and the hash is of what was written."""

from __future__ import annotations

import os

from skillbag.workspace.tree import LINK, left_out, list_tree
from skillbag.workspace.tree_hash import ContentHash, TreeHash, pieces, tree_files

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def copy_tree(source: str, destination: str) -> str:
    """Copy the files and links that make up the tree at `source` to the new folder `destination`; its tree hash.

    Permissions are the umask's, with the executable bit kept; times are new. Both paths are absolute.

    Raises:
        OSError: something can't be read or written.
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
            tree.add_link(entry.relative, _copy_link(entry.path, path))
        else:
            tree.add_file(entry.relative, _copy_file(entry.path, path))
    return tree.value()


def move_tree(source: str, destination: str) -> bool:
    """Move the folder `source` to `destination`, if nothing but its tree would come along; whether that was done.

    It is not where it lies on another file system.
    """
    if os.path.islink(source) or any(left_out(entry.relative) for entry in list_tree(source).entries):
        return False
    try:
        os.rename(source, destination)
    except OSError:
        return False
    return True


def _copy_link(source: str, path: str) -> str:
    target = os.readlink(source)
    os.symlink(target, path, target_is_directory=os.path.isdir(source))
    return target


def _copy_file(source: str, path: str) -> str:
    executable = os.lstat(source).st_mode & 0o100
    content = ContentHash()
    descriptor = os.open(path, _FLAGS, 0o777 if executable else 0o666)
    try:
        for piece in pieces(source):
            content.update(piece)
            _write(descriptor, piece, path)
    finally:
        os.close(descriptor)
    return content.value()


def write_new(path: str, data: bytes) -> None:
    """Write the new file `path`, with the permissions of the umask.

    Raises:
        OSError: what the system says; FileExistsError where something is there.
    """
    descriptor = os.open(path, _FLAGS, 0o666)
    try:
        _write(descriptor, data, path)
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes, path: str) -> None:
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
