"""Copy a skill into the personal root, or remove one: checked first, then one transaction."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skillbag.agents.personal.folders import Folder, folders_in, named, read_folder
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.locations import SKILLS_FOLDER
from skillbag.kernel.transaction.steps import is_skill_location
from skillbag.kernel.transaction.trees import state_of
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.folder import check_plain
from skillbag.supply.sources.lfs_pointers import lfs_pointers


class SkillToAdd(NamedTuple):
    """The skill to add: its folder as given, the real path, and the name that it declares."""

    typed: str
    folder: str
    name: str


class Destination(NamedTuple):
    """Where a skill goes, and what it replaces; all paths are absolute.

    `displaced` is removed, after a backup of `kept`: of all but links, which lose nothing. `own`: the source is the
    installed folder itself, which stays.
    """

    target: str
    displaced: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()
    own: bool = False

    @property
    def taken(self) -> bool:
        """Whether there is something to replace."""
        return self.own or bool(self.displaced)


def source_of(root: str, typed: str) -> SkillToAdd:
    """Check the skill in the folder `typed` (relative to the current folder, or with `~`) before anything is written.

    Raises:
        UserError: it is no folder, contains the personal root, is no valid skill, or can't be copied safely.
        OSError: a part of it can't be read.
    """
    folder = _real_folder(typed)
    if is_within(folder, root):
        raise _refused(typed, "it holds the personal root itself; name the folder of one skill")
    return SkillToAdd(typed, folder, _checked(folder, typed))


def _real_folder(typed: str) -> str:
    try:
        folder = os.path.realpath(os.path.expanduser(typed)) if typed else ""
        if os.path.isdir(folder):
            return folder
        hint = "it is a file; name the folder that holds it" if os.path.isfile(folder) else ""
    except (ValueError, FileNotFoundError):
        # A NUL or invalid Unicode; or the current folder was removed.
        hint = ""
    raise _refused(typed, hint or "there is no such folder; name the one that holds the skill's SKILL.md")


def _checked(folder: str, typed: str) -> str:
    """The name of the skill in the real `folder`, checked to be valid and safe to copy."""
    read = read_folder(folder)
    if read.fault or read.declared is None:
        raise _refused(typed, f"it holds no valid skill: {read.fault}")
    try:
        check_plain(folder, [folder])
    except InvalidSourceError as error:
        more = f"; {len(error.faults) - 1} more like this" if len(error.faults) > 1 else ""
        raise _refused(typed, f"it is not copied, because of {error.faults[0]}{more}") from error
    if pointer := next(lfs_pointers(folder), None):
        raise _refused(typed, f"it is not copied, because of {pointer.path}: {pointer.fault}; run git lfs pull")
    return read.declared


def _refused(typed: str, fault: str) -> UserError:
    return UserError(f"{named(typed)}: {fault}")


def destination_of(root: str, source: SkillToAdd) -> Destination:
    """Where the skill goes in the personal root, and what it replaces.

    Of several folders that declare its name the first was the skill; the others, and what is no skill, are kept.

    Raises:
        UserError: its path is taken by another skill or a file, or the source lies in what it would replace.
    """
    folders = list(folders_in(root))
    target = os.path.join(root, source.name)
    declaring = [folder.path for folder in folders if folder.declared == source.name]
    own = [path for path in declaring if os.path.samefile(path, source.folder)]
    if own:
        others = tuple(path for path in declaring if path not in own)
        return Destination(own[0], others, frozenset(others), own=True)
    displaced = [target if _is_same(path, target) else path for path in declaring]
    if os.path.lexists(target) and target not in displaced:
        _check_occupant(target, next((folder for folder in folders if _is_same(folder.path, target)), None))
        displaced.append(target)
    for path in displaced:
        if not os.path.islink(path) and is_within(path, source.folder):
            raise _refused(source.typed, f"it lies in {path}, which it would replace; copy it elsewhere first")
    return Destination(target, tuple(displaced), not_links(displaced))


def not_links(paths: Iterable[str]) -> frozenset[str]:
    """Those of the paths that would be lost."""
    return frozenset(path for path in paths if not os.path.islink(path))


def _is_same(path: str, other: str) -> bool:
    """Whether both paths are the same entry, as on file systems that ignore case."""
    try:
        return os.path.samestat(os.lstat(path), os.lstat(other))
    except OSError:
        return False


def _check_occupant(target: str, occupant: Folder | None) -> None:
    """Refuse to replace another skill, or a file."""
    if occupant is not None and not occupant.fault:
        raise UserError(f"{target}: the personal skill {occupant.declared} is in this folder; rename the folder first")
    if occupant is None and not os.path.islink(target):
        raise UserError(f"{target}: a file is in the way of the skill; move it away first")


def put(root: str, source: SkillToAdd, destination: Destination) -> tuple[str, ...]:
    """Copy the skill and remove what it replaces; return the absolute paths of the backups.

    The caller holds the writer lock. The copy is checked again, since the source may have changed.

    Raises:
        UserError: the copy is not what was checked, or a replaced folder has a name that can't be handled.
        OSError: the root is unchanged.
    """
    target, displaced, kept, own = destination
    if own:
        return remove_folders(root, displaced, kept) if displaced else ()
    _check_names(displaced)
    with Transaction(root, SKILLS_FOLDER) as change:
        tree, before = tree_hash(source.folder), state_of(target)
        copy = change.put_folder(source.name, source.folder, tree=tree, expected=before)
        if _checked(copy, source.typed) != source.name:
            raise _refused(source.typed, "it has become another skill while it was copied; nothing was written")
        # The same again replaces nothing.
        lost = kept - {target} if before == tree else kept
        return _commit(root, change, [path for path in displaced if path != target], lost)


def remove_folders(root: str, displaced: Sequence[str], kept: Iterable[str]) -> tuple[str, ...]:
    """Remove the folders (absolute) from the personal root; return the absolute paths of the backups.

    The caller holds the writer lock.

    Raises:
        UserError: one of them has a name that can't be handled.
        OSError: the root is unchanged.
    """
    _check_names(displaced)
    with Transaction(root, SKILLS_FOLDER) as change:
        return _commit(root, change, displaced, kept)


def _check_names(paths: Iterable[str]) -> None:
    """Refuse folders whose names are not portable."""
    for path in paths:
        if not is_skill_location(os.path.basename(path), SKILLS_FOLDER):
            raise UserError(f"{named(path)}: skillbag does not change a folder of this name; rename or delete it")


def _commit(root: str, change: Transaction, removed: Iterable[str], kept: Iterable[str]) -> tuple[str, ...]:
    for path in removed:
        change.remove(os.path.basename(path), expected=state_of(path) or "")
    for path in kept:
        change.back_up(os.path.basename(path))
    return tuple(os.path.join(root, *path.split("/")) for path in change.commit())
