"""What a rename is made of: edits of texts, moves of folders, and why there is none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Scalar, foreign_type
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.values import Form, Occurrence, Role


class RenameRefusedError(UserError):
    """Why a symbol can't be renamed, or not so; and what to do."""


class NameEdit(NamedTuple):
    """Replace the code points `start` to `end` of a file by `text`.

    `certain` says that programs read the name there; the others are in words for readers.
    """

    path: str
    start: int
    end: int
    text: str
    certain: bool = True


class Move(NamedTuple):
    """Rename a folder; both paths are absolute."""

    old: str
    new: str


class RenamePlan(NamedTuple):
    """The edits by their files' paths before the move, in order, and the folders that are renamed."""

    edits: tuple[NameEdit, ...]
    moves: tuple[Move, ...]


def name_edits(occurrences: Iterable[Occurrence], name: str) -> Iterator[NameEdit]:
    """The edits that write another name at all places."""
    for each in occurrences:
        text = name.replace("-", "_") if each.form is Form.IDENTIFIER else name
        yield NameEdit(each.path, each.start, each.end, text, each.role is not Role.MENTION)


def relative_place(index: SymbolIndex, occurrence: Occurrence) -> str:
    """Where something is, for messages: the path within the target, and the line."""
    return f"{relative(index, occurrence.path)}:{occurrence.line}"


def is_plain_text(name: str) -> bool:
    """Whether every reader of YAML takes a name without quotes for text: `true` and `1e3` are none."""
    return foreign_type(Scalar(name, 0, len(name), True)) is None


def relative(index: SymbolIndex, path: str) -> str:
    """A path within the target, for messages."""
    return os.path.relpath(path, index.target.root).replace(os.sep, "/")
