"""`skillbag rename`: the rename of a skill that an editor offers, planned and made from a folder's files."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Annotated, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import fits
from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.workspace.discovery import enclosing_root, find_targets
from skillbag.kernel.workspace.target import installed
from skillbag.lint.symbols.carry_out import carry_out
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.plan import Move, NameEdit, RenameRefusedError, relative
from skillbag.lint.symbols.rename_skill import plan_skill
from skillbag.lint.symbols.values import SymbolKind, skill_symbol

_DOCUMENTS = ("README.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""At the root, for people and agents: what names a skill there is reported, and not changed."""


class RenamedFile(NamedTuple):
    """The lines that a rename changes in a file; in `words` the name is in words for readers, which may mean else.

    `path` is relative to the root, with `/`, before the rename.
    """

    path: Annotated[str, "Relative to the root, with `/`, before the rename."]
    lines: Annotated[tuple[Annotated[int, fits(minimum=1)], ...], "The lines that change."]
    words: Annotated[tuple[Annotated[int, fits(minimum=1)], ...], "Those with the name in words for readers."]


class Renamed(NamedTuple):
    """What the rename changed, or would change."""

    root: Annotated[str, "The absolute path of the workspace, source or folder of skills."]
    old: Annotated[str, "The skill's folder, relative to the root, with `/`."]
    new: Annotated[str, "Its folder after the rename; equal to `old` if only the name differed."]
    files: tuple[RenamedFile, ...]
    left: Annotated[tuple[str, ...], "`PATH:LINE` of the documents at the root that still have the old name."]
    dry_run: Annotated[bool, "Nothing was written."]


def rename_skill(folder: str, old: str, new: str, *, dry_run: bool) -> Renamed:
    """Rename the skill `old` of the workspace, source or folder of skills around the absolute `folder`.

    Raises:
        UserError: there is no such skill, or it can't be renamed so; says why, and nothing was changed.
        OSError: the environment failed; nothing was changed.
    """
    index = _index_with(folder, old)
    symbol = skill_symbol(old)
    plan = plan_skill(index, symbol, new)
    (unit,) = index.units_of(symbol)
    files = tuple(_files(index, plan.edits))
    if not plan.moves and not files:
        raise RenameRefusedError(f"the skill is named `{new}` already")
    (before, after), *_ = *plan.moves, Move(unit.folder.path, unit.folder.path)
    left = tuple(_left(index, {old, unit.folder.name, unit.name} - {new}, {file.path: file.lines for file in files}))
    if not dry_run:
        carry_out(index.target.root, plan)
    return Renamed(index.target.root, relative(index, before), relative(index, after), files, left, dry_run)


def _index_with(folder: str, name: str) -> SymbolIndex:
    """The index of the one target around a folder that has the skill."""
    root = enclosing_root(folder) or folder
    indexes = [SymbolIndex(target) for target in find_targets([root])]
    for index in indexes:
        index.refresh()
    symbol = skill_symbol(name)
    found = [index for index in indexes if index.units_of(symbol)]
    # A plain skill of the same name beside a workspace is another one.
    own = [index for index in found if index.target.skill_roots == installed(index.target.kind, root).skill_roots]
    found = own or found
    if len(found) > 1:
        roots = " and ".join(index.target.root for index in found[:3])
        raise UserError(f"several folders have a skill `{symbol.name[:80]}`: {roots}; name one with --workspace")
    if not found:
        known = [each.name for index in indexes for each in index.symbols(SymbolKind.SKILL)]
        meant = difflib.get_close_matches(name[:80], known, 1)
        advice = f"Did you mean `{meant[0]}`?" if meant else "`skillbag list` shows the skills of a workspace."
        raise UserError(f"no skill in {root} is named `{name[:80]}`. {advice}")
    return found[0]


def _files(index: SymbolIndex, edits: Iterable[NameEdit]) -> Iterator[RenamedFile]:
    for path, group in groupby(sorted(edits, key=lambda edit: edit.path), key=lambda edit: edit.path):
        document = read_document(path, index.target.root)
        if isinstance(document, Document):
            # What names it in another spelling may have the new one already.
            changes = [edit for edit in group if document.text[edit.start : edit.end] != edit.text]
            places = [(document.position(edit.start).line, edit.certain) for edit in changes]
            words = {line for line, certain in places if not certain}
            lines = {line for line, _ in places}
            if lines:
                yield RenamedFile(relative(index, path), tuple(sorted(lines)), tuple(sorted(words)))


def _left(index: SymbolIndex, names: Iterable[str], changed: Mapping[str, tuple[int, ...]]) -> Iterator[str]:
    """The places of the old names that stay: what people write of a skill may mean something else."""
    # No name at all, where only the spelling changes, is found nowhere.
    old = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names)) or '(?!)'})(?![\w-])")
    for path in _DOCUMENTS:
        document = read_document(f"{index.target.root}/{path}", index.target.root)
        for number, line in enumerate(document.text.split("\n") if isinstance(document, Document) else (), 1):
            if number not in changed.get(path, ()) and old.search(line):
                yield f"{path}:{number}"
