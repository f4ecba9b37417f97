"""The files that follow from the changes of skills: the catalog and the lock."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.catalog import render
from skillbag.kernel.documents.edit.lines import FileChange
from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.fs.read import read
from skillbag.kernel.standard.left_over import catalog_lines
from skillbag.kernel.workspace.lock_file import LOCK, Lock, render_lock
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CATALOG, SKILL_ROOT
from skillbag.supply.install.plan import SkillChange, SkillChangeKind
from skillbag.supply.install.state import InstalledState


def catalog_files(state: InstalledState, steps: Iterable[SkillChange], *, frozen: bool = False) -> Iterator[FileChange]:
    """The catalog after the steps; a catalog that is in sync keeps every byte.

    With `frozen`, only the skills of the steps are added, not others in `.skills/`. Without a step, the lines of skills
    that are still to be installed stay.

    Raises:
        UserError: the present catalog can't be read.
    """
    if not state.is_workspace:
        return
    old = state.workspace.catalog_document
    if isinstance(old, DocumentProblem):
        raise UserError(
            f"{SKILL_ROOT}/{CATALOG}:{old.line}: {old.detail}; correct the file, or delete it: it is written again"
        )
    steps = tuple(steps)
    if frozen and all(step.act is SkillChangeKind.KEEP for step in steps):
        return
    lines = _frozen_lines(state) if frozen else dict(catalog_lines(state.inventory))
    if not steps:
        lines |= _lines_of_missing(state)
    for step in steps:
        if step.act is SkillChangeKind.REMOVE:
            lines.pop(step.name, None)
        elif step.act is SkillChangeKind.PUT:
            parent = step.folder.rpartition("/")[0]
            card = read_skill(step.folder, parent, parent).card
            if card.valid and card.description:
                lines[step.name] = card.description.value
    if old is not None:
        yield FileChange(f"{SKILL_ROOT}/{CATALOG}", old.raw, _in_sync(state, old, lines))
    elif lines or state.workspace.has_skill_root:
        yield FileChange(f"{SKILL_ROOT}/{CATALOG}", None, render(lines.items()).encode("utf-8"))


def _lines_of_missing(state: InstalledState) -> dict[str, str]:
    """The lines of skills that an installation would bring: after a clone or a pull they are not there yet."""
    known = {BOOTSTRAP_SKILL, *state.lock.skills}
    lines = state.workspace.catalog.lines if state.workspace.catalog else ()
    return {line.name: line.description for line in lines if line.name in known and not state.is_present(line.name)}


def _frozen_lines(state: InstalledState) -> dict[str, str]:
    """The lines of the catalog; without one, those of the locked skills."""
    if state.workspace.catalog is not None:
        return {line.name: line.description for line in state.workspace.catalog.lines}
    known = {BOOTSTRAP_SKILL, *state.lock.skills}
    return {name: line for name, line in state.inventory.catalog_lines() if name in known}


def _in_sync(state: InstalledState, old: Document, lines: Mapping[str, str]) -> bytes:
    catalog = state.workspace.catalog
    wanted = render(lines.items())
    if catalog is not None and not catalog.strays:
        listed = [(line.name, line.description) for line in catalog.lines]
        names = [name for name, _ in listed]
        if names == sorted(set(names)) and render(listed) == wanted:
            return old.raw
    return old.encode(wanted.replace("\n", old.newline))


def lock_files(
    state: InstalledState, steps: Iterable[SkillChange], excluded: Collection[str] = ()
) -> Iterator[FileChange]:
    """The lock after the steps, without skills that are neither installed nor required nor `excluded`.

    Where no workspace is, an empty one goes: it would be all that is left of the skills.
    """
    skills = {
        name: locked if name in excluded else locked._replace(asked_by=())
        for name, locked in state.lock.skills.items()
        if name in excluded or state.is_present(name)
    }
    for step in steps:
        if step.row is None:
            continue
        skills.pop(step.name, None)
        if step.locked is not None and step.act is not SkillChangeKind.REMOVE:
            skills[step.name] = step.locked
    after = render_lock(Lock(skills, state.lock.links, None if state.is_workspace else state.home))
    path = f"{state.root}/{LOCK}"
    before = read(path, state.root) if state.has_lock else None
    gone = not (skills or state.lock.links or state.is_workspace)
    if before is not None or skills:
        yield FileChange(LOCK, before if isinstance(before, bytes) else None, b"" if gone else after, gone)
