"""The rename of a skill on the disk: all texts and files in one transaction, which a killed process leaves whole or not
started.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.fs.atomic import move
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.locations import CHECKED_FOLDER
from skillbag.kernel.transaction.store import TransactionStore
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.tree import FILE, FOLDER, LINK, TreeEntry, left_out, list_tree
from skillbag.lint.symbols.plan import Move, NameEdit, RenamePlan, RenameRefusedError


class _Text(NamedTuple):
    """A file's bytes before and after."""

    before: bytes
    after: bytes


def carry_out(root: str, plan: RenamePlan) -> None:
    """Make the edits and the moves of a plan below the absolute `root`.

    Raises:
        RenameRefusedError: the folder holds what can't be moved as a part of it.
        OSError: a file could not be written, or has changed since the plan was made; everything is as it was.
    """
    root = os.path.realpath(root)
    moves = [Move(os.path.realpath(move.old), _beside(move)) for move in plan.moves]
    texts = _texts(root, plan.edits)
    files = {path: target for move in moves for path, target in _files(root, move)}
    with writing(root, locations=CHECKED_FOLDER), Transaction(root, CHECKED_FOLDER) as whole:
        for path in sorted(files.keys() | texts.keys()):
            _stage(whole, root, path, files.get(path, path), texts)
        whole.commit()
    for old, new in moves:
        if not os.path.lexists(TransactionStore(root, CHECKED_FOLDER).stage):
            _move_rest(old, new)


def _beside(move: Move) -> str:
    """The real path of the new folder. Raises where it is the old one in other letters."""
    if os.path.lexists(move.new):
        raise OSError(errno.EEXIST, "it exists already; rename the skill to another name first", move.new)
    return os.path.join(os.path.realpath(os.path.dirname(move.old)), os.path.basename(move.new))


def _texts(root: str, edits: Iterable[NameEdit]) -> dict[str, _Text]:
    """The texts that the edits change, by real path: one file may have several names."""
    found: dict[str, _Text] = {}
    ordered = sorted(edits, key=lambda edit: (edit.path, edit.start, edit.end))
    for path, group in groupby(ordered, key=lambda edit: edit.path):
        document = read_document(path, root)
        if not isinstance(document, Document):
            raise OSError(errno.EBUSY, f"{document.detail}, so nothing was changed; run the command again", path)
        pieces, at = [], 0
        for edit in group:
            pieces += [document.text[at : edit.start], edit.text]
            at = edit.end
        text = "".join([*pieces, document.text[at:]])
        found.setdefault(os.path.realpath(path), _Text(document.raw, document.encode(text)))
    return found


def _files(root: str, move: Move) -> Iterator[tuple[str, str]]:
    """The files of a folder, each with its new path. What is part of no skill follows later."""
    listing = list_tree(move.old)
    closed = [(path, "a folder that can't be opened") for path in listing.closed]
    odd = [(entry.path, "a link" if entry.kind is LINK else "no file") for entry in listing.entries if _is_odd(entry)]
    for path, what in (*closed, *odd):
        name = os.path.relpath(path, root).replace(os.sep, "/")
        raise RenameRefusedError(f"{name} is {what}, which can't be renamed with its skill; take it out first")
    for entry in listing.entries:
        if entry.kind is FILE and not left_out(entry.relative):
            yield entry.path, os.path.join(move.new, *entry.relative.split("/"))


def _is_odd(entry: TreeEntry) -> bool:
    return entry.kind not in (FILE, FOLDER) and not left_out(entry.relative)


def _stage(whole: Transaction, root: str, path: str, target: str, texts: Mapping[str, _Text]) -> None:
    text = texts.get(path) or _unchanged(path)
    if path == target:
        whole.put_file(_relative(root, path), text.after, expected=text.before)
        return
    whole.remove_file(_relative(root, path), expected=text.before)
    mode = stat.S_IMODE(os.stat(path).st_mode)
    whole.put_file(_relative(root, target), text.after, expected=None, mode=mode)


def _unchanged(path: str) -> _Text:
    with open(path, "rb") as file:
        data = file.read()
    return _Text(data, data)


def _relative(root: str, path: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")


def _move_rest(old: str, new: str) -> None:
    """Move what is part of no skill, such as `__pycache__`, and remove the folders that are empty then."""
    with contextlib.suppress(OSError):
        for entry in [*os.scandir(old)]:
            target = os.path.join(new, entry.name)
            if entry.is_dir(follow_symlinks=False) and os.path.isdir(target):
                _move_rest(entry.path, target)
            elif not os.path.lexists(target):
                move(entry.path, target)
        os.rmdir(old)
