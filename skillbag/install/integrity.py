"""Installed skills compared with the lock, the lock with itself, and both with the sources.

Somebody who can write to a workspace can change a skill and its hash in the lock together, but not the source's content
at the locked commit: so `verify --source` fetches each locked skill again, at its commit or archive.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.fs import tracked
from skillbag.install.difference import compare
from skillbag.install.fetch_problems import fetch_problems
from skillbag.install.outcome import Problem, ProblemKind
from skillbag.install.problems import quoted
from skillbag.install.state import InstalledState
from skillbag.sources.fetch import Fetcher, fetch_all
from skillbag.sources.fetched import Fetched, FetchFailure, pinned_hash
from skillbag.sources.skill_layout import skill_folder_in
from skillbag.workspace.extras import Addition, additions, executables, modes_count
from skillbag.workspace.lock_file import LOCK, Locked
from skillbag.workspace.target import BOOTSTRAP_SKILL, CATALOG, SKILL_ROOT
from skillbag.workspace.tree import JUNK
from skillbag.workspace.tree_hash import tree_hash

_SHOWN = 5
"""The most paths that a message names."""


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
    modes = _modes_count(state)
    for name, locked in sorted(state.lock.skills.items()):
        if state.is_installed(name):
            # An edited skill is reported as a whole.
            known = None if state.is_edited(name) else locked.executable
            for found in additions(state.folder(name), known, modes=modes):
                yield name, found


def _modes_count(state: InstalledState) -> bool:
    """Whether executable bits mean something in this workspace."""
    return modes_count(state.root, state.workspace.path(LOCK))


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


def source_faults(state: InstalledState, fetcher: Fetcher) -> Iterator[Problem]:
    """Differences between the sources and the lock, and failed fetches, each once.

    Differences between the disk and the lock are not included: see `lock_faults` and the tree hash.

    Raises:
        BadSourceError: the lock has an address that can't be used.
        OSError: a skill can't be read.
    """
    # `lock_faults` reports a contradictory lock, which names no archive to compare with.
    names = [name for name, locked in sorted(state.lock.skills.items()) if not any(contradictions(state, name, locked))]
    specs = {name: state.locked_spec(name) for name in names}
    answers = fetch_all(fetcher, specs.values())
    failed: dict[Problem, None] = {}
    modes = _modes_count(state)
    for name in names:
        answer = answers[specs[name]]
        if isinstance(answer, FetchFailure):
            failed |= dict.fromkeys(fetch_problems(answer))
        else:
            yield from _compared(state, name, answer, modes)
    yield from failed


def _compared(state: InstalledState, name: str, fetched: Fetched, modes: bool) -> Iterator[Problem]:
    locked = state.lock.skills[name]
    folder = skill_folder_in(fetched, name)
    if folder is None:
        yield mismatch(state, name, f"{LOCK} says that it came from there, and there is no such skill")
        return
    if tree_hash(folder) != locked.tree:
        paths = [found.path for found in compare(folder, state.folder(name))] if state.is_installed(name) else []
        differ = f"; {quoted(paths, _SHOWN)} {'differs' if len(paths) == 1 else 'differ'} on the disk" if paths else ""
        yield mismatch(state, name, f"its content is not what {LOCK} says{differ}")
        return
    known = executables(folder)
    if locked.executable is not None and modes and (more := sorted(set(locked.executable) - set(known))):
        yield mismatch(state, name, f"{LOCK} lets be executed what is not executable there: {quoted(more, _SHOWN)}")
    if locked.executable is None and state.is_installed(name) and not state.is_edited(name):
        reported = {found.path for found in additions(state.folder(name), None, modes=False)}
        for found in additions(state.folder(name), known, modes=modes):
            if not found.harmless and found.path not in reported:
                yield addition_problem(name, found)


def mismatch(state: InstalledState, name: str, what: str) -> Problem:
    """The problem of a source that differs from the lock; `what` completes the sentence."""
    locked = state.lock.skills[name]
    if locked.resolved is None:
        message = (
            f"{name}: {what}. The folder has changed since, or the skill and the lock were edited or tampered with"
        )
        fix = f"Compare: skillbag diff {name} --upstream. If you trust the folder, skillbag update {name} accepts it."
    else:
        commit = locked.resolved.removeprefix("sha256:")[:10]
        message = (
            f"{name}: at {commit}, {what}. The skill and the lock were changed together or tampered with, or the "
            "history of the source was rewritten"
        )
        fix = (
            f"Look at what changed {LOCK} last, and restore it. If you trust the source instead, take {name} out of "
            f"{LOCK} and run skillbag install --overwrite {name}."
        )
    return Problem(ProblemKind.DRIFT, message, locked.source, f"{SKILL_ROOT}/{name}", fix=fix)
