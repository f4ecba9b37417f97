"""Installed skills compared with the lock, and the lock with itself."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.extras import Addition, additions, modes_count
from skillbag.kernel.workspace.lock_file import LOCK, Locked
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CATALOG, SKILL_ROOT
from skillbag.kernel.workspace.tree import JUNK
from skillbag.supply.install.outcome import Problem, ProblemKind
from skillbag.supply.install.problems import quoted
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.fetched import pinned_hash


def lock_faults(state: InstalledState) -> Iterator[Problem]:
    """Faults of the lock, and of locked skills whose tree hash is right.

    Raises:
        BadSourceError: the lock has an address or a version that can't be used.
    """
    for name, locked in sorted(state.lock.skills.items()):
        yield from contradictions(state, name, locked)
    for name, found in _additions(state):
        if not found.harmless:
            yield addition_problem(name, found)


def lock_notes(state: InstalledState) -> Iterator[str]:
    """Harmless additions to skills, and what is not locked."""
    for name, found in _additions(state):
        if found.harmless:
            yield f"`{SKILL_ROOT}/{name}/{found.path}` {found.what}."
    known = {CATALOG, BOOTSTRAP_SKILL, *JUNK, *state.lock.skills}
    folder = state.workspace.path(SKILL_ROOT)
    names = tracked.names(folder) if tracked.is_folder(folder) else []
    if others := [f"{SKILL_ROOT}/{name}" for name in sorted(names) if name not in known]:
        yield f"Not in {LOCK}, so not verified: {quoted(others)}."


def edited_problem(name: str) -> Problem:
    """The problem of a skill that differs from the lock."""
    fix = f"skillbag diff {name} shows what differs; skillbag install --overwrite {name} restores it."
    message = f"{name}: what is on the disk is not what {LOCK} says"
    return Problem(ProblemKind.DRIFT, message, path=f"{SKILL_ROOT}/{name}", fix=fix)


def addition_problem(name: str, found: Addition) -> Problem:
    """The problem of a file that the skill's source did not have."""
    path = f"{SKILL_ROOT}/{name}/{found.path}"
    return Problem(
        ProblemKind.DRIFT, f"{name}: `{found.path}` {found.what}", path=path, fix=found.fix.format(path=path)
    )


def _additions(state: InstalledState) -> Iterator[tuple[str, Addition]]:
    modes = modes_count(state.root, state.workspace.path(LOCK))
    for name, locked in sorted(state.lock.skills.items()):
        if state.is_installed(name):
            # A skill that differs is reported as a whole.
            known = locked.executable if state.is_as_locked(name) else None
            for found in additions(state.folder(name), known, modes=modes):
                yield name, found


def contradictions(state: InstalledState, name: str, locked: Locked) -> Iterator[Problem]:
    """The problem of a locked archive that is not the one that the version pins.

    Raises:
        BadSourceError: the lock has an address or a version that can't be used.
    """
    pin = pinned_hash(state.source_of(name), locked.requested)
    if pin is not None and pin != locked.resolved:
        yield Problem(
            ProblemKind.DRIFT,
            f"{name}: {LOCK} says that the archive {locked.resolved} is installed, where its version is {pin}: it "
            "was edited, tampered with, or written by a version that did not check the hashes of archives",
            source=locked.source,
            fix=f"Find out which archive is right; skillbag install --overwrite {name} takes that of the version.",
        )
