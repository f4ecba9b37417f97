"""From a resolution to a plan: what happens to each skill, and what the lock records of it."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from skillbag.kernel.documents.edit.lines import FileChange
from skillbag.kernel.transaction.journal import refuse_link
from skillbag.kernel.workspace.extras import executables
from skillbag.kernel.workspace.lock_file import LOCK, Locked
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.install.changed_versions import changed_version, is_of_lock
from skillbag.supply.install.integrity import contradictions, mismatch
from skillbag.supply.install.outcome import SkillRow, Status, StoppedError
from skillbag.supply.install.plan import InstallPlan, MergedSkill, SkillChange, SkillChangeKind
from skillbag.supply.install.plan_files import catalog_files, lock_files
from skillbag.supply.install.resolve import Chosen, Resolution
from skillbag.supply.install.state import LEFT_OVER, STALE, STALE_FIX, WAS_EDITED, InstalledState, locked_row
from skillbag.supply.sources.address import without_credentials
from skillbag.supply.sources.fetched import Fetched
from skillbag.supply.sources.skill_layout import PLAIN, folder_in_source, skill_folder


def plan_install(
    state: InstalledState,
    resolution: Resolution,
    overwrite: Container[str],
    merged: Mapping[str, MergedSkill],
    reserved: str | None,
    extra: Iterable[FileChange] = (),
) -> InstallPlan:
    """Decide each skill's step, then the reserved skill, the catalog and the lock.

    Clauses install.place, install.bootstrap, install.catalog. `overwrite` names the skills whose local edits may be
    replaced; `merged` are the merged skills by name; `reserved` is a folder with the reserved skill if the workspace
    lacks it; `extra` are further files.

    Raises:
        StoppedError: a source differs from what the lock recorded of the same commit or archive.
        UserError, OSError: as `finished_plan`; or a skill can't be read.
    """
    steps = [_step(state, chosen, overwrite, merged) for _, chosen in sorted(resolution.chosen.items())]
    if reserved is not None and BOOTSTRAP_SKILL not in resolution.chosen:
        steps.append(SkillChange(BOOTSTRAP_SKILL, SkillChangeKind.PUT, None, reserved, tree_hash(reserved)))
    lock = () if resolution.frozen else lock_files(state, steps, resolution.excluded)
    return finished_plan(state, steps, (*lock, *extra), frozen=resolution.frozen)


def finished_plan(
    state: InstalledState, steps: Iterable[SkillChange], files: Iterable[FileChange] = (), *, frozen: bool = False
) -> InstallPlan:
    """The plan of these steps and files, and of the catalog that follows from them.

    Raises:
        UserError: the catalog can't be read.
        RefusedWriteError: a file that would be written is a link.
    """
    steps = tuple(steps)
    changed = tuple(file for file in (*catalog_files(state, steps, frozen=frozen), *files) if file.before != file.after)
    for file in changed:
        # As the transaction does, but before anything is asked, and in a dry run as well.
        refuse_link(f"{state.root}/{file.path}")
    return InstallPlan(state.root, state.home, steps, changed)


def _step(
    state: InstalledState, chosen: Chosen, overwrite: Container[str], merged: Mapping[str, MergedSkill]
) -> SkillChange:
    if chosen.fetched is None:
        return _kept(state, chosen)
    name, fetched = chosen.name, chosen.fetched
    folder = skill_folder(fetched, name)
    tree, before, locked = tree_hash(folder), state.tree(name), state.locked(name)
    check_recorded(state, name, fetched, tree)
    new = recorded(state, name, fetched, folder, tree, _requesters(chosen))._replace(accepted=chosen.accepted or None)
    row = locked_row(name, Status.INSTALLED, new)
    was = locked.resolved if locked and before is not None and not state.is_stale(name) else None
    row = row._replace(was=was, needs=_needs(chosen), why=_variant(fetched, name))
    changed = changed_version(state, name, fetched, tree)
    if before == tree:
        row = row._replace(status=Status.CURRENT, why="")
        return SkillChange(name, SkillChangeKind.KEEP, row, locked=new, fetched=fetched, changed=changed)
    put = SkillChange(
        name, SkillChangeKind.PUT, row, folder, tree, before, locked=new, fetched=fetched, changed=changed
    )
    if before is None:
        return put
    if locked is not None and not state.is_edited(name) and name not in overwrite:
        why = put.changed.how if put.changed else row.why
        return replace(put, row=row._replace(status=Status.UPGRADED, why=why))
    return _replacing(put, row, locked, overwrite, merged, state.how_it_differs(name))


def _variant(fetched: Fetched, name: str) -> str:
    """Which of the different skills of one name it is, where nothing but the rank of its folder has decided."""
    if fetched.plain is None or name not in fetched.plain.ambiguous:
        return ""
    return f"its source has different skills of this name; this is the one in `{folder_in_source(fetched, name)}`"


def _replacing(
    put: SkillChange,
    row: SkillRow,
    locked: Locked | None,
    overwrite: Container[str],
    merged: Mapping[str, MergedSkill],
    how: str,
) -> SkillChange:
    """The step for a skill that was edited (`how`: as far as is known), or is the user's own."""
    name = put.name
    if name in overwrite:
        row = row._replace(status=Status.OVERWRITTEN, why="a copy of what was there is kept")
        return replace(put, row=row, backup=True)
    if name in merged:
        folder, marked = merged[name]
        choose = f"; both sides are marked in {', '.join(marked)}: choose there" if marked else ""
        why = f"local edits and the new version are joined{choose}; a copy is kept"
        row = row._replace(status=Status.MERGED, why=why)
        return replace(put, row=row, folder=folder, tree=tree_hash(folder), backup=True)
    if locked is None:
        row = SkillRow(name, Status.SKIPPED, tree=put.before, asked_by=row.asked_by, needs=row.needs)
        return SkillChange(name, SkillChangeKind.KEEP, row._replace(why=_OWN.format(name=name)))
    why = (_EDITED_ALONE if put.tree == locked.tree else _EDITED).format(how=how, name=name)
    return _staying(name, locked, row._replace(status=Status.EDITED, why=why, was=None), put.before)


def _staying(name: str, locked: Locked, row: SkillRow, tree: str | None) -> SkillChange:
    """The step for a skill that stays, edited or not; `row` says why and who asks for it."""
    row = row._replace(source=locked.source, version=locked.requested, resolved=locked.resolved, tree=tree)
    return SkillChange(name, SkillChangeKind.KEEP, row, locked=locked._replace(asked_by=row.asked_by))


_EDITED = "{how}, so it stays; --merge {name} joins both, --overwrite {name} takes the source's and keeps a copy"
_EDITED_ALONE = "{how}, so it stays; the source has nothing newer; --overwrite {name} restores it and keeps a copy"
_OWN = "it is your own, so it stays; --overwrite {name} takes the source's and keeps a copy"


def _kept(state: InstalledState, chosen: Chosen) -> SkillChange:
    """The step for an installed skill that stays (clause install.place)."""
    name, locked = chosen.name, state.locked(chosen.name)
    row = SkillRow(name, Status.CURRENT, tree=state.tree(name), asked_by=_requesters(chosen), needs=_needs(chosen))
    if locked is None:
        has_source = any(requirement.source for requirement in chosen.requirements)
        what = "it is your own, so it stays" if state.card(name) is not None else "it can't be read as a skill"
        if state.adoptable in state.others_with(name):
            what = f"{state.adoptable} says where it is from, and not {LOCK}: skillbag adopt records it there"
        what = LEFT_OVER.format(name=name) if name in state.left_over else what
        why = f"{what}; --overwrite {name} takes the source's and keeps a copy" if has_source else what
        return SkillChange(name, SkillChangeKind.KEEP, row._replace(status=Status.SKIPPED, why=why))
    if problems := tuple(contradictions(state, name, locked)):
        raise StoppedError(*problems)
    if state.is_edited(name):
        how = state.how_it_differs(name)
        restores = "" if how == WAS_EDITED else f"; --overwrite {name} takes the recorded version and keeps a copy"
        row = row._replace(status=Status.EDITED, why=f"{how}, so it stays{restores}")
    elif state.is_stale(name):
        row = row._replace(status=Status.OUTDATED, why=f"{STALE}; {STALE_FIX}")
    elif wanted := _otherwise_declared(state, chosen, locked):
        why = f"it is there; {wanted} is declared: skillbag update {name} takes it"
        row = row._replace(status=Status.SKIPPED, why=why)
    return _staying(name, locked._replace(requested=chosen.requested or locked.requested), row, row.tree)


def _otherwise_declared(state: InstalledState, chosen: Chosen, locked: Locked) -> str:
    """The declared source or version if it is not the locked one."""
    # Several declarations mean the same, or the run would have stopped.
    declared = [requirement for requirement in chosen.requirements if requirement.source is not None]
    source = next((requirement.source for requirement in declared if requirement.source), None)
    version = next((requirement.version for requirement in declared if requirement.version), None)
    if source is not None and not state.came_from(chosen.name, source):
        return " ".join(filter(None, (without_credentials(source), version)))
    return "" if version in (None, locked.requested, locked.resolved, chosen.requested) else version


def _requesters(chosen: Chosen) -> tuple[str, ...]:
    return tuple(sorted({requirement.by for requirement in chosen.requirements if requirement.by}))


def _needs(chosen: Chosen) -> tuple[str, ...]:
    return tuple(sorted({wanted.name for wanted in chosen.wants if wanted.required}))


def recorded(
    state: InstalledState, name: str, fetched: Fetched, folder: str, tree: str, asked_by: tuple[str, ...]
) -> Locked:
    """The lock's entry of a skill from a source, which has it in the absolute `folder`."""
    # Windows has no executable bit.
    bits = executables(folder) if os.name == "posix" else None
    return Locked(
        fetched.source.declared,
        fetched.source.kind.lock_kind,
        fetched.requested,
        fetched.resolved,
        tree,
        asked_by,
        PLAIN if fetched.plain is not None else None,
        _ref(state, name, fetched),
        bits,
        folder=folder_in_source(fetched, name),
    )


def check_recorded(state: InstalledState, name: str, fetched: Fetched, tree: str) -> None:
    """Check that the same commit or archive has the same tree whenever it is fetched.

    Raises:
        StoppedError: it has not.
    """
    locked = state.locked(name)
    if locked is None or locked.resolved is None or locked.resolved != fetched.resolved or locked.tree == tree:
        return
    raise StoppedError(mismatch(state, name, f"its content is not what {LOCK} says")._replace(skills=(name,)))


def _ref(state: InstalledState, name: str, fetched: Fetched) -> str | None:
    """The kind of the version; of a locked commit, its kind when it was locked."""
    if fetched.ref is not None or not fetched.source.kind.has_revisions:
        return fetched.ref
    locked = state.locked(name)
    return locked.ref if locked is not None and is_of_lock(state, name, fetched) else None
