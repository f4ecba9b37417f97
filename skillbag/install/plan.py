"""From origins to steps: what happens to each skill, and the catalog and lock that follow. A plan is a value."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.documents.catalog import render
from skillbag.documents.source import Document, DocumentProblem
from skillbag.fs.atomic import RefusedWriteError
from skillbag.fs.read import read
from skillbag.install.integrity import contradictions
from skillbag.install.outcome import SkillRow, Status, StoppedError
from skillbag.install.recorded import check_recorded, moved_tag, recorded
from skillbag.install.resolve import Chosen, Resolution
from skillbag.install.source_selection import source_key
from skillbag.install.state import InstalledState
from skillbag.sources.address import without_credentials
from skillbag.sources.fetched import Fetched
from skillbag.sources.skill_layout import skill_folder
from skillbag.workspace.lock_file import LOCK, Lock, Locked, render_lock
from skillbag.workspace.skill import SkillSummary, read_skill
from skillbag.workspace.target import BOOTSTRAP_SKILL, CATALOG, SKILL_ROOT
from skillbag.workspace.tree_hash import tree_hash


class Act(StrEnum):
    """What a step does to `.skills/<name>/`."""

    KEEP = "keep"
    PUT = "put"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class SkillChange:
    """One skill: what is done, and the row of the report (None for the reserved skill, which nobody asked for).

    `folder` (absolute) is what is put there, `tree` its tree hash, `before` that of what is there now (None: nothing).
    `backup` keeps a copy of what gives way. `locked` is the lock's new entry, None where it has none. `moved` says that
    a tag means another content than it did, where it does.
    """

    name: str
    act: Act
    row: SkillRow | None
    folder: str = ""
    tree: str = ""
    before: str | None = None
    backup: bool = False
    locked: Locked | None = None
    fetched: Fetched | None = None
    moved: str = ""


@dataclass(frozen=True, slots=True)
class FileRewrite:
    """One file that is written as a whole; `path` relative with `/`, `before` None where there is none yet."""

    path: str
    before: bytes | None
    after: bytes


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """All that is to be done in the workspace `root`, decided before anything is."""

    root: str
    steps: tuple[SkillChange, ...]
    files: tuple[FileRewrite, ...]

    @property
    def changes(self) -> tuple[SkillChange, ...]:
        """The steps that touch a skill's folder."""
        return tuple(step for step in self.steps if step.act is not Act.KEEP)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be written."""
        return not self.changes and not self.files

    @property
    def fetched(self) -> dict[str, tuple[Fetched, list[str]]]:
        """The sources that something is taken from, with the names taken, by their folders."""
        sources: dict[str, tuple[Fetched, list[str]]] = {}
        for step in self.steps:
            if step.fetched is not None:
                sources.setdefault(step.fetched.root, (step.fetched, []))[1].append(step.name)
        return sources


@dataclass(frozen=True, slots=True)
class OverwritePolicy:
    """Which local states may give way: names to overwrite, and names to merge."""

    overwrite: frozenset[str] = frozenset()
    merge: frozenset[str] = frozenset()


class MergedSkill(NamedTuple):
    """A folder (absolute) in which local edits and a new version are joined, and its files with conflict markers."""

    folder: str
    marked: tuple[str, ...]


def plan_install(
    state: InstalledState,
    resolution: Resolution,
    permits: OverwritePolicy,
    merged: Mapping[str, MergedSkill],
    reserved: str | None,
    extra: Iterable[FileRewrite] = (),
) -> InstallPlan:
    """Decide each skill's step, then the reserved skill, the catalog and the lock.

    Clauses install.place, install.bootstrap, install.catalog.

    `merged` is what `--merge` has joined local and new states to, by skill; `reserved` a folder that holds the
    reserved skill, where the workspace lacks it; `extra` further files.

    Raises:
        StoppedError: a source does not hold what the lock recorded of the same commit or archive.
        UserError, OSError: as `finished_plan`; or a skill can't be read.
    """
    steps = [_step(state, chosen, permits, merged) for _, chosen in sorted(resolution.chosen.items())]
    if reserved is not None and BOOTSTRAP_SKILL not in resolution.chosen:
        steps.append(SkillChange(BOOTSTRAP_SKILL, Act.PUT, None, reserved, tree_hash(reserved)))
    lock = () if resolution.frozen else lock_steps(state, steps, resolution.excluded)
    return finished_plan(state, steps, (*lock, *extra), frozen=resolution.frozen)


def finished_plan(
    state: InstalledState, steps: Iterable[SkillChange], files: Iterable[FileRewrite] = (), *, frozen: bool = False
) -> InstallPlan:
    """The plan of these steps and files, and of the catalog that follows from them; as `catalog_steps`.

    Raises:
        UserError: the catalog can't be read.
        RefusedWriteError: a file that would be written is a link.
    """
    steps = tuple(steps)
    changed = tuple(file for file in (*catalog_steps(state, steps, frozen=frozen), *files) if file.before != file.after)
    for file in changed:
        _refuse_link(f"{state.root}/{file.path}")
    return InstallPlan(state.root, steps, changed)


def _refuse_link(path: str) -> None:
    # As the transaction does, but before anything is asked, and in a dry run as well.
    if os.path.islink(path):
        told = "refused: it is a link, and would become a file; put the file that it leads to in its place"
        raise RefusedWriteError(errno.EPERM, told, path)


def _step(
    state: InstalledState, chosen: Chosen, permits: OverwritePolicy, merged: Mapping[str, MergedSkill]
) -> SkillChange:
    if chosen.fetched is None:
        return _kept(state, chosen)
    name, fetched = chosen.name, chosen.fetched
    folder = skill_folder(fetched, name)
    tree, before, locked = tree_hash(folder), state.tree(name), state.locked(name)
    check_recorded(name, fetched, tree, locked)
    new = recorded(state, name, fetched, folder, tree, _asked_by(chosen))
    row = SkillRow(
        name,
        Status.INSTALLED,
        new.source,
        new.requested,
        new.resolved,
        locked.resolved if locked and before is not None else None,
        tree,
        new.asked_by,
        _needs(chosen),
    )
    moved = moved_tag(state, name, fetched, tree)
    put = SkillChange(name, Act.PUT, row, folder, tree, before, locked=new, fetched=fetched, moved=moved)
    if before is None:
        return put
    if before == tree:
        return SkillChange(
            name, Act.KEEP, row._replace(status=Status.CURRENT), locked=new, fetched=fetched, moved=moved
        )
    return _replacing(put, locked, permits, merged)


def _replacing(
    put: SkillChange, locked: Locked | None, permits: OverwritePolicy, merged: Mapping[str, MergedSkill]
) -> SkillChange:
    """The step for a skill whose folder holds something else than the source offers."""
    name, row = put.name, put.row or SkillRow(put.name, Status.INSTALLED)
    if name in permits.overwrite:
        row = row._replace(status=Status.OVERWRITTEN, why="a copy of what was there is kept")
        return replace(put, row=row, backup=True)
    if locked is not None and put.before == locked.tree:
        why = f"its version {put.moved}" if put.moved else ""
        return replace(put, row=row._replace(status=Status.UPGRADED, why=why))
    if name in merged:
        folder, marked = merged[name]
        mend = f"; both sides are marked in {', '.join(marked)}: choose there" if marked else ""
        why = f"local edits and the new version are joined{mend}; a copy is kept"
        row = row._replace(status=Status.MERGED, why=why)
        return replace(put, row=row, folder=folder, tree=tree_hash(folder), backup=True)
    if locked is None:
        row = SkillRow(name, Status.SKIPPED, tree=put.before, asked_by=row.asked_by, needs=row.needs)
        return SkillChange(name, Act.KEEP, row._replace(why=_OWN.format(name=name)))
    why = _EDITED_ALONE if put.tree == locked.tree else _EDITED
    return _staying(name, locked, row._replace(status=Status.EDITED, why=why.format(name=name), was=None), put.before)


def _staying(name: str, locked: Locked, row: SkillRow, tree: str | None) -> SkillChange:
    """The step for a skill that stays as the lock has it, or edited; `row` says why and who asks for it."""
    row = row._replace(source=locked.source, version=locked.requested, resolved=locked.resolved, tree=tree)
    return SkillChange(name, Act.KEEP, row, locked=locked._replace(asked_by=row.asked_by))


_EDITED = "edited here, so it stays; --merge joins both, --overwrite {name} takes the source's and keeps a copy"
_EDITED_ALONE = (
    "edited here, so it stays; the source has nothing newer; --overwrite {name} restores it and keeps a copy"
)
_OWN = "it is your own, so it stays; --overwrite {name} takes the source's and keeps a copy"
_UNREADABLE = "what is there is no skill that can be read; --overwrite {name} takes a source's and keeps a copy"


def _kept(state: InstalledState, chosen: Chosen) -> SkillChange:
    """The step for a skill that is there and not looked for elsewhere (clause install.place)."""
    name, locked = chosen.name, state.locked(chosen.name)
    row = SkillRow(name, Status.CURRENT, tree=state.tree(name), asked_by=_asked_by(chosen), needs=_needs(chosen))
    if locked is None:
        return SkillChange(name, Act.KEEP, row._replace(status=Status.SKIPPED, why=_why_own(state, chosen)))
    if problems := tuple(contradictions(state, name, locked)):
        raise StoppedError(*problems)
    if state.is_edited(name):
        row = row._replace(status=Status.EDITED, why="edited here, so it stays")
    elif wanted := _otherwise_declared(state, chosen, locked):
        row = row._replace(status=Status.SKIPPED, why=f"it is there; {wanted} is declared: --upgrade takes it")
    return _staying(name, locked._replace(requested=chosen.requested or locked.requested), row, row.tree)


def _why_own(state: InstalledState, chosen: Chosen) -> str:
    if state.card(chosen.name) is None:
        return _UNREADABLE.format(name=chosen.name)
    offered = any(requirement.source for requirement in chosen.requirements)
    return _OWN.format(name=chosen.name) if offered else "it is your own, so it stays"


def _otherwise_declared(state: InstalledState, chosen: Chosen, locked: Locked) -> str:
    """The source or version that is declared where it is not the locked one."""
    # Where there are several declarations, they mean the same, or the run would have stopped.
    declared = [requirement for requirement in chosen.requirements if requirement.source is not None]
    source = next((requirement.source for requirement in declared if requirement.source), None)
    version = next((requirement.version for requirement in declared if requirement.version), None)
    if source is not None and source_key(state.source(source)) != source_key(state.source_of(chosen.name)):
        return " ".join(filter(None, (without_credentials(source), version)))
    return "" if version in (None, locked.requested, locked.resolved, chosen.requested) else version


def _asked_by(chosen: Chosen) -> tuple[str, ...]:
    return tuple(sorted({requirement.by for requirement in chosen.requirements if requirement.by}))


def _needs(chosen: Chosen) -> tuple[str, ...]:
    return tuple(sorted({wanted.name for wanted in chosen.wants if wanted.required}))


def catalog_steps(
    state: InstalledState, steps: Iterable[SkillChange], *, frozen: bool = False
) -> Iterator[FileRewrite]:
    """The catalog of what will be there; one that says the same already stays as it is, to the byte.

    With `frozen` nothing gets into it by merely lying in `.skills/`: what the steps bring is added to what it says.

    Raises:
        UserError: the one that is there can't be read.
    """
    old = state.workspace.catalog_document
    if isinstance(old, DocumentProblem):
        raise UserError(f"{SKILL_ROOT}/{CATALOG}:{old.line}: {old.detail}; mend it, or delete it: it is written anew")
    steps = tuple(steps)
    if frozen and all(step.act is Act.KEEP for step in steps):
        return
    lines = _frozen_lines(state) if frozen else dict(state.inventory.catalog_lines())
    for step in steps:
        if step.act is Act.REMOVE:
            lines.pop(step.name, None)
        elif step.act is Act.PUT and (card := _card(step)) and card.valid and card.description:
            lines[step.name] = card.description.value
    if old is not None:
        yield FileRewrite(f"{SKILL_ROOT}/{CATALOG}", old.raw, _in_sync(state, old, lines))
    elif lines or state.workspace.has_skill_root:
        yield FileRewrite(f"{SKILL_ROOT}/{CATALOG}", None, render(lines.items()).encode("utf-8"))


def _frozen_lines(state: InstalledState) -> dict[str, str]:
    """The catalog as it is; where there is none, the lines of what the lock vouches for."""
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


def _card(step: SkillChange) -> SkillSummary | None:
    return read_skill(step.folder, step.folder.rpartition("/")[0], step.folder.rpartition("/")[0]).card


def lock_steps(
    state: InstalledState, steps: Iterable[SkillChange], excluded: Collection[str] = ()
) -> Iterator[FileRewrite]:
    """The lock of what will be there; what is neither there nor asked for, nor `excluded`, is in it no more."""
    skills = {
        name: locked if name in excluded else locked._replace(asked_by=())
        for name, locked in state.lock.skills.items()
        if name in excluded or state.is_present(name)
    }
    for step in steps:
        if step.row is None:
            continue
        skills.pop(step.name, None)
        if step.locked is not None and step.act is not Act.REMOVE:
            skills[step.name] = step.locked
    after = render_lock(Lock(skills, state.lock.links))
    path = f"{state.root}/{LOCK}"
    before = read(path, state.root) if state.has_lock else None
    if before is not None or skills:
        yield FileRewrite(LOCK, before if isinstance(before, bytes) else None, after)
