"""From origins to steps: what happens to each skill, and the catalog and lock that follow. A plan is a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from skillbag import files
from skillbag.documents.catalog import render
from skillbag.documents.source import Document
from skillbag.install.fetched import Fetched
from skillbag.install.outcome import SkillRow, Status, StoppedError, Trouble, TroubleKind
from skillbag.install.resolve import Chosen, Resolution
from skillbag.install.state import State
from skillbag.workspace.lock_file import LOCK, Lock, Locked, render_lock
from skillbag.workspace.skill import Card, read_skill
from skillbag.workspace.target import BOOTSTRAP_SKILL, CATALOG, SKILL_ROOT
from skillbag.workspace.tree_hash import tree_hash


class Act(StrEnum):
    """What a step does to `.skills/<name>/`."""

    KEEP = "keep"
    PUT = "put"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Step:
    """One skill: what is done, and the row of the report (None for the reserved skill, which nobody asked for).

    `folder` (absolute) is what is put there, `tree` its tree hash, `before` that of what is there now (None: nothing).
    `backup` keeps a copy of what gives way. `locked` is the lock's new entry, None where it has none.
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


@dataclass(frozen=True, slots=True)
class FileStep:
    """One file that is written as a whole; `path` relative with `/`, `before` None where there is none yet."""

    path: str
    before: bytes | None
    after: bytes


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is to be done in the workspace `root`, decided before anything is."""

    root: str
    steps: tuple[Step, ...]
    files: tuple[FileStep, ...]

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that touch a skill's folder."""
        return tuple(step for step in self.steps if step.act is not Act.KEEP)

    @property
    def only_adds(self) -> bool:
        """Whether no skill that is there gives way."""
        return all(step.before is None for step in self.changes)

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
class Permits:
    """Which local states may give way: names to overwrite, and names to merge."""

    overwrite: frozenset[str] = frozenset()
    merge: frozenset[str] = frozenset()


def plan_install(
    state: State,
    resolution: Resolution,
    permits: Permits,
    merged: Mapping[str, str],
    reserved: str | None,
    extra: Iterable[FileStep] = (),
) -> Plan:
    """Decide each skill's step, then the reserved skill, the catalog and the lock.

    Clauses install.place, install.bootstrap, install.catalog.

    `merged` are the folders in which `--merge` has joined local and new states, by skill; `reserved` one that holds the
    reserved skill, where the workspace lacks it; `extra` further files.

    Raises:
        StoppedError: a source does not hold what the lock recorded of the same commit or archive.
        OSError: a skill can't be read.
    """
    steps = [_step(state, chosen, permits, merged) for _, chosen in sorted(resolution.chosen.items())]
    if reserved is not None and BOOTSTRAP_SKILL not in resolution.chosen:
        steps.append(Step(BOOTSTRAP_SKILL, Act.PUT, None, reserved, tree_hash(reserved)))
    return finished_plan(state, steps, extra)


def finished_plan(state: State, steps: list[Step], extra: Iterable[FileStep] = ()) -> Plan:
    """The plan of these steps, with the files that follow from them."""
    written = [*catalog_steps(state, steps), *_lock(state, steps), *extra]
    return Plan(state.root, tuple(steps), tuple(file for file in written if file.before != file.after))


def _step(state: State, chosen: Chosen, permits: Permits, merged: Mapping[str, str]) -> Step:
    if chosen.fetched is None:
        return _kept(state, chosen)
    name, fetched = chosen.name, chosen.fetched
    folder = f"{fetched.root}/{SKILL_ROOT}/{name}"
    tree, before, locked = tree_hash(folder), state.tree(name), state.locked(name)
    _check_recorded(chosen, fetched, tree, locked)
    new = Locked(
        fetched.source.declared,
        fetched.source.kind.lock_kind,
        fetched.requested,
        fetched.resolved,
        tree,
        _asked_by(chosen),
    )
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
    put = Step(name, Act.PUT, row, folder, tree, before, locked=new, fetched=fetched)
    if before is None:
        return put
    if before == tree:
        return Step(name, Act.KEEP, row._replace(status=Status.CURRENT), locked=new, fetched=fetched)
    return _replacing(put, locked, permits, merged)


def _replacing(put: Step, locked: Locked | None, permits: Permits, merged: Mapping[str, str]) -> Step:
    """The step for a skill whose folder holds something else than the source offers."""
    name, row = put.name, put.row or SkillRow(put.name, Status.INSTALLED)
    if name in permits.overwrite:
        row = row._replace(status=Status.OVERWRITTEN, why="a copy of what was there is kept")
        return _with(put, row, backup=True)
    if locked is not None and put.before == locked.tree:
        return _with(put, row._replace(status=Status.UPGRADED))
    if name in merged:
        row = row._replace(status=Status.MERGED, why="local edits and the new version are joined; a copy is kept")
        return Step(
            name, Act.PUT, row, merged[name], tree_hash(merged[name]), put.before, True, put.locked, put.fetched
        )
    row = row._replace(
        resolved=locked.resolved if locked else None, version=locked.requested if locked else None, was=None
    )
    if locked is None:
        row = row._replace(source=None, tree=put.before, status=Status.SKIPPED, why=_OWN.format(name=name))
    else:
        why = _EDITED_ALONE if put.tree == locked.tree else _EDITED
        row = row._replace(tree=put.before, status=Status.EDITED, why=why.format(name=name))
    return Step(name, Act.KEEP, row, locked=locked)


_EDITED = "edited here, so it stays; --merge joins both, --overwrite {name} takes the source's and keeps a copy"
_EDITED_ALONE = (
    "edited here, so it stays; the source has nothing newer; --overwrite {name} restores it and keeps a copy"
)
_OWN = "it is your own, so it stays; --overwrite {name} takes the source's and keeps a copy"


def _with(step: Step, row: SkillRow, *, backup: bool = False) -> Step:
    return Step(step.name, step.act, row, step.folder, step.tree, step.before, backup, step.locked, step.fetched)


def _kept(state: State, chosen: Chosen) -> Step:
    """The step for a skill that is there and not looked for elsewhere (clause install.place)."""
    name, locked = chosen.name, state.locked(chosen.name)
    row = SkillRow(name, Status.SKIPPED, asked_by=_asked_by(chosen), needs=_needs(chosen), why=_PRESENT)
    if locked is None:
        return Step(
            name, Act.KEEP, row._replace(tree=state.tree(name), why="it is there, and not from a source: yours")
        )
    row = row._replace(
        source=locked.source,
        version=locked.requested,
        resolved=locked.resolved,
        tree=state.tree(name),
        status=Status.CURRENT,
    )
    if state.is_edited(name):
        row = row._replace(status=Status.EDITED, why="edited here, so it stays")
    elif wanted := _otherwise_declared(chosen, locked):
        row = row._replace(status=Status.SKIPPED, why=f"it is there; {wanted} is declared: --upgrade takes it")
    else:
        row = row._replace(why="")
    return Step(name, Act.KEEP, row, locked=_asked_again(locked, _asked_by(chosen)))


_PRESENT = "it is there"


def _otherwise_declared(chosen: Chosen, locked: Locked) -> str:
    """The version that a declaration gives where it is not the locked one."""
    for claim in chosen.claims:
        if claim.source is not None and not claim.remembered and claim.version not in (None, locked.requested):
            return claim.version or ""
    return ""


def _asked_by(chosen: Chosen) -> tuple[str, ...]:
    return tuple(sorted({claim.by for claim in chosen.claims}))


def _asked_again(locked: Locked, asked_by: tuple[str, ...]) -> Locked:
    return Locked(locked.source, locked.kind, locked.requested, locked.resolved, locked.tree, asked_by)


def _needs(chosen: Chosen) -> tuple[str, ...]:
    return tuple(sorted({wanted.name for wanted in chosen.wants if wanted.required}))


def _check_recorded(chosen: Chosen, fetched: Fetched, tree: str, locked: Locked | None) -> None:
    """The same commit or archive must give the same tree, whenever it is fetched."""
    if locked is None or locked.resolved is None or locked.resolved != fetched.resolved or locked.tree == tree:
        return
    raise StoppedError(
        Trouble(
            TroubleKind.DRIFT,
            f"{chosen.name}: the source gives another content than {LOCK} recorded for the same version",
            source=fetched.source.declared,
            fix=f"Restore {LOCK}; or, where the change is known, take {chosen.name} out of it and install again.",
        )
    )


def catalog_steps(state: State, steps: Iterable[Step]) -> Iterator[FileStep]:
    """The catalog of what will be there; one that says the same already stays as it is, to the byte."""
    lines = dict(state.inventory.catalog_lines())
    for step in steps:
        if step.act is Act.REMOVE:
            lines.pop(step.name, None)
        elif step.act is Act.PUT and (card := _card(step)) and card.valid and card.description:
            lines[step.name] = card.description.value
    old = state.workspace.catalog_document
    if not isinstance(old, Document):
        yield FileStep(f"{SKILL_ROOT}/{CATALOG}", None, render(lines.items()).encode("utf-8"))
        return
    yield FileStep(f"{SKILL_ROOT}/{CATALOG}", old.raw, _in_sync(state, old, lines))


def _in_sync(state: State, old: Document, lines: Mapping[str, str]) -> bytes:
    catalog = state.workspace.catalog
    wanted = render(lines.items())
    if catalog is not None and not catalog.strays:
        listed = [(line.name, line.description) for line in catalog.lines]
        names = [name for name, _ in listed]
        if names == sorted(set(names)) and render(listed) == wanted:
            return old.raw
    return old.encode(wanted.replace("\n", old.newline))


def _card(step: Step) -> Card | None:
    return read_skill(step.folder, step.folder.rpartition("/")[0], step.folder.rpartition("/")[0]).card


def _lock(state: State, steps: Iterable[Step]) -> Iterator[FileStep]:
    skills = {name: _asked_again(locked, ()) for name, locked in state.lock.skills.items()}
    for step in steps:
        if step.row is None:
            continue
        skills.pop(step.name, None)
        if step.locked is not None and step.act is not Act.REMOVE:
            skills[step.name] = step.locked
    after = render_lock(Lock(skills))
    path = f"{state.root}/{LOCK}"
    before = files.read(path, state.root) if state.has_lock else None
    if before is not None or skills:
        yield FileStep(LOCK, before if isinstance(before, bytes) else None, after)
