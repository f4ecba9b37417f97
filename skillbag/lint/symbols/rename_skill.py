"""The rename of a skill: its folder, its name, the catalog in its order, and everything that names it."""

from __future__ import annotations

import os
from bisect import bisect_left

from skillbag.kernel.documents.catalog import CatalogLine, parse_catalog
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.standard.names import fixable, is_name, name_fault
from skillbag.kernel.workspace.lock_file import BadLockError, Lock, read_lock
from skillbag.kernel.workspace.skills_home import skills_folder
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CATALOG_PATH, SKILL_FILE
from skillbag.lint.checks.catalog import misplaced
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.plan import (
    Move,
    NameEdit,
    RenamePlan,
    RenameRefusedError,
    is_plain_text,
    name_edits,
    relative,
    relative_place,
)
from skillbag.lint.symbols.units import SkillUnit
from skillbag.lint.symbols.values import Role, Symbol, skill_symbol


def plan_skill(index: SymbolIndex, symbol: Symbol, name: str) -> RenamePlan:
    """The plan for the new name of a skill.

    Raises:
        RenameRefusedError: it can't be renamed, or not to `name`.
    """
    unit = unit_to_rename(index, symbol)
    _check_name(index, unit, name)
    edits = list(name_edits(index.occurrences(symbol), name))
    catalog = index.target.root + os.sep + CATALOG_PATH.replace("/", os.sep)
    document = read_document(catalog, index.target.root)
    if isinstance(document, Document):
        inside = [edit for edit in edits if edit.path == catalog]
        edits = [edit for edit in edits if edit.path != catalog] + in_order(document, inside)
    move = Move(unit.folder.path, os.path.join(os.path.dirname(unit.folder.path), name))
    return RenamePlan(tuple(edits), () if move.old == move.new else (move,))


def unit_to_rename(index: SymbolIndex, symbol: Symbol) -> SkillUnit:
    """The one skill of a name.

    Raises:
        RenameRefusedError: there is none or are several, or it is not the user's to rename.
    """
    units = index.units_of(symbol)
    if not units:
        raise RenameRefusedError(f"no skill is named `{symbol.name[:80]}`")
    if len(units) > 1:
        places = " and ".join(relative(index, unit.folder.path) for unit in units[:3])
        raise RenameRefusedError(
            f"several skills are named `{symbol.name}`: {places}; what uses the name does not say which one it means"
        )
    unit = units[0]
    if unit.folder.name == BOOTSTRAP_SKILL:
        raise RenameRefusedError(f"`{BOOTSTRAP_SKILL}` is the name that the standard reserves for this skill")
    _check_document(index, unit)
    _check_place(index, unit)
    return unit


def _check_document(index: SymbolIndex, unit: SkillUnit) -> None:
    definitions = [each for file in unit.files for each in file.occurrences if each.role is Role.DEFINITION]
    if all(each.end == each.start for each in definitions if each.symbol == unit.symbol):
        document = read_document(os.path.join(unit.folder.path, SKILL_FILE), index.target.root)
        why = document.detail if isinstance(document, DocumentProblem) else "its front matter has no `name`"
        raise RenameRefusedError(f"{relative(index, unit.folder.path)}/{SKILL_FILE}: {why}; correct that first")


def _check_place(index: SymbolIndex, unit: SkillUnit) -> None:
    root, folder = index.target.root, unit.folder.path
    if folder == root:
        raise RenameRefusedError("the skill is the folder that was opened: open the folder that holds it")
    if os.path.islink(folder) or not is_within(root, folder):
        raise RenameRefusedError(f"{relative(index, folder)} is a link; rename the skill that it leads to")
    if os.path.dirname(folder) == os.path.join(root, *skills_folder(root).split("/")):
        _check_lock(root, unit.folder.name)


def _check_lock(root: str, name: str) -> None:
    check_not_installed(root, name)
    lock = _lock(root)
    if lock and lock.links and any(path.rpartition("/")[2] == name for path in lock.links.made):
        raise RenameRefusedError(
            f"`{name}` is linked for agents: run `skillbag agent unlink`, rename it, and `skillbag agent link` again"
        )


def check_not_installed(root: str, name: str) -> None:
    """Refuse to change the names of an installed skill.

    Raises:
        RenameRefusedError: the lock has it, or can't be read.
    """
    lock = _lock(root)
    if lock and name in lock.skills:
        raise RenameRefusedError(
            f"`{name}` was installed from {lock.skills[name].source}, which decides about it: "
            "renamed here, it would no longer be updated. Rename it in its source"
        )


def _lock(root: str) -> Lock | None:
    try:
        return read_lock(root)
    except BadLockError as error:
        raise RenameRefusedError(str(error)) from error


def _check_name(index: SymbolIndex, unit: SkillUnit, name: str) -> None:
    """Refuse a name that the standard does not allow (clause root.name-pattern), or that is taken."""
    if not is_name(name):
        better = fixable(name)
        advice = f"write `{better}`" if better else "use a-z, 0-9 and single hyphens between them, 64 at most"
        fault = name_fault(name) or "is empty"
        raise RenameRefusedError(f"`{name[:80]}` can't be a skill's name: it {fault}; {advice}")
    if not is_plain_text(name):
        raise RenameRefusedError(f"`{name}` can't be a skill's name here: YAML reads it as something else than text")
    if name == BOOTSTRAP_SKILL:
        raise RenameRefusedError(f"the standard reserves `{BOOTSTRAP_SKILL}`")
    path = os.path.join(os.path.dirname(unit.folder.path), name)
    others = [other for other in index.units_of(skill_symbol(name)) if other.folder.path != unit.folder.path]
    if others:
        raise RenameRefusedError(f"there is a skill `{name}` already: {relative(index, others[0].folder.path)}")
    if path != unit.folder.path and os.path.lexists(path) and not _is_same(path, unit.folder.path):
        raise RenameRefusedError(f"{relative(index, path)} exists already")
    used = index.references(skill_symbol(name))
    if used and name not in (unit.name, unit.folder.name):
        place = relative_place(index, used[0])
        raise RenameRefusedError(
            f"`{name}` is already used for a skill that is not here ({place}): choose another name"
        )


def _is_same(path: str, other: str) -> bool:
    """Whether both are names of one folder, as where the file system ignores case."""
    return os.path.samefile(path, other)


def in_order(document: Document, edits: list[NameEdit]) -> list[NameEdit]:
    """The edits of a catalog, with each line whose name they change moved to where its new name belongs."""
    lines = parse_catalog(document).lines
    renamed = {edit.start: edit.text for edit in edits}
    names = [renamed.get(line.start, line.name) for line in lines]
    if len(misplaced(names)) <= len(misplaced([line.name for line in lines])):
        return edits
    others = [line for line in lines if line.start not in renamed]
    wrong = set(misplaced([line.name for line in others]))
    kept = [line for number, line in enumerate(others) if number not in wrong]
    result: list[NameEdit] = []
    for line in lines:
        inside = [edit for edit in edits if line.start <= edit.start < line.end]
        if line.start in renamed:
            result += _moved(document, line, inside, _place(document, kept, renamed[line.start]))
        else:
            result += inside
    return result


def _place(document: Document, kept: list[CatalogLine], name: str) -> int:
    """The offset at which a line with this name belongs among the lines `kept`, which are in order."""
    number = bisect_left([line.name for line in kept], name)
    if number < len(kept):
        return kept[number].start
    end = document.text.find("\n", kept[-1].end) if kept else -1
    return end + 1 if end >= 0 else len(document.text)


def _moved(document: Document, line: CatalogLine, inside: list[NameEdit], target: int) -> list[NameEdit]:
    """The edits that take a line out, and put it in at `target` with its own edits made."""
    text, at, pieces = document.text, line.start, []
    for edit in sorted(inside, key=lambda edit: edit.start):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    moved = "".join([*pieces, text[at : line.end]])
    end = text.find("\n", line.end)
    removed = NameEdit(document.path, line.start, end + 1 if end >= 0 else len(text), "")
    is_after_line = target == 0 or text[target - 1] == "\n"
    added = moved + document.newline if is_after_line else document.newline + moved
    return [removed, NameEdit(document.path, target, target, added)]
