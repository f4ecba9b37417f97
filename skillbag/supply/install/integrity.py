"""The installed skills compared with the lock, the lock with itself, and both with the sources.

Somebody who can write to a workspace can change a skill and its hash in the lock together, but not the source's content
at the locked commit: so `verify --source` fetches each locked skill again, at its commit or archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.extras import Addition, additions, executables, modes_count
from skillbag.kernel.workspace.lock_file import COMMAND_LINE, LOCK, TAG, Locked, short
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CATALOG
from skillbag.kernel.workspace.tree import JUNK
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.install.changed_versions import changed_problems, changed_version, has_version
from skillbag.supply.install.difference import compare
from skillbag.supply.install.outcome import Problem, ProblemKind
from skillbag.supply.install.problems import fetch_problems, quoted
from skillbag.supply.install.state import InstalledState, tree_in
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_all
from skillbag.supply.sources.fetched import Answer, Fetched, FetchFailure, pinned_hash
from skillbag.supply.sources.skill_layout import skill_folder_in
from skillbag.supply.sources.source import install_command

_SHOWN = 5
"""The most paths that a message names."""


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
    fixed = [] if fetcher.offline else [name for name in names if _is_fixed(state, name)]
    # First what the versions mean now: an archive that is still the locked one is downloaded once.
    now = fetch_all(fetcher, (specs[name]._replace(resolved=None) for name in fixed))
    answers = fetch_all(fetcher, specs.values())
    failed: dict[Problem, None] = {}
    modes = modes_count(state.root, state.workspace.path(LOCK))
    for name in names:
        answer = answers[specs[name]]
        if isinstance(answer, FetchFailure):
            failed |= dict.fromkeys(fetch_problems(answer))
        else:
            yield from _compared(state, name, answer, modes)
    yield from failed
    # The failure of an archive that was replaced says so.
    fixed = [name for name in fixed if state.lock.skills[name].ref or isinstance(answers[specs[name]], Fetched)]
    changed = _changed(state, {name: now[specs[name]._replace(resolved=None)] for name in fixed})
    yield from (problem for problem in changed if problem not in failed)


def _is_fixed(state: InstalledState, name: str) -> bool:
    """Whether the version of a locked skill should always mean the same: a tag, or an archive of one version."""
    locked, source = state.lock.skills[name], state.source_of(name)
    if not source.kind.is_archive:
        return locked.ref == TAG
    return pinned_hash(source, locked.requested) is None and has_version(source, locked)


def _changed(state: InstalledState, answers: Mapping[str, Answer]) -> Iterator[Problem]:
    """Versions that mean other content now than what is locked, and why that can't be found out; by skill."""
    failures = [answer for answer in answers.values() if isinstance(answer, FetchFailure)]
    yield from dict.fromkeys(problem for failure in failures for problem in fetch_problems(failure))
    located = {name: state.located(each, name) for name, each in answers.items() if isinstance(each, Fetched)}
    found = [
        changed_version(state, name, answer, tree)
        for name, answer in located.items()
        if (tree := tree_in(answer, name)) is not None
    ]
    yield from changed_problems(change for change in found if change is not None)


def _compared(state: InstalledState, name: str, fetched: Fetched, modes: bool) -> Iterator[Problem]:
    locked = state.lock.skills[name]
    folder = skill_folder_in(state.located(fetched, name), name)
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
    if locked.executable is None and state.is_installed(name) and state.is_as_locked(name):
        reported = {found.path for found in additions(state.folder(name), None, modes=False)}
        for found in additions(state.folder(name), known, modes=modes):
            if not found.harmless and found.path not in reported:
                yield addition_problem(state, name, found)


def _again(state: InstalledState, name: str) -> str:
    """The command that installs a locked skill without its entry in the lock."""
    locked = state.lock.skills[name]
    if {*locked.asked_by} - {COMMAND_LINE}:
        return "skillbag install"
    return install_command(name, state.source_of(name), locked.requested)


def mismatch(state: InstalledState, name: str, what: str) -> Problem:
    """The problem of a source that differs from the lock; `what` completes the sentence."""
    locked = state.lock.skills[name]
    if locked.resolved is None:
        message = (
            f"{name}: {what}. The folder has changed since, or the skill and the lock were edited or tampered with"
        )
        fix = f"Compare: skillbag diff {name} --upstream. If you trust the folder, skillbag update {name} accepts it."
    else:
        message = (
            f"{name}: at {short(locked.resolved)}, {what}. The skill and the lock were changed together or tampered "
            "with, or the history of the source was rewritten"
        )
        fix = (
            f"Look at what changed {LOCK} last, and restore it. If you trust the source instead, take {name} out of "
            f"{LOCK} and run {_again(state, name)} --overwrite {name}."
        )
    return Problem(ProblemKind.DRIFT, message, locked.source, state.at(name), fix=fix)


def lock_faults(state: InstalledState) -> Iterator[Problem]:
    """Faults of the lock, and of locked skills whose tree hash is right.

    Raises:
        BadSourceError: the lock has an address or a version that can't be used.
    """
    for name, locked in sorted(state.lock.skills.items()):
        yield from contradictions(state, name, locked)
    for name, found in _additions(state):
        if not found.harmless:
            yield addition_problem(state, name, found)


def lock_notes(state: InstalledState) -> Iterator[str]:
    """Harmless additions to skills, and what is not locked."""
    for name, found in _additions(state):
        if found.harmless:
            yield f"`{state.at(name)}/{found.path}` {found.what}."
    known = {CATALOG, BOOTSTRAP_SKILL, *JUNK, *state.lock.skills}
    folder = state.workspace.path(state.home)
    names = tracked.names(folder) if tracked.is_folder(folder) else []
    if others := [state.at(name) for name in sorted(names) if name not in known]:
        yield f"Not in {LOCK}, so not verified: {quoted(others)}."


def edited_problem(state: InstalledState, name: str) -> Problem:
    """The problem of a skill that differs from the lock."""
    fix = f"skillbag diff {name} shows what differs; skillbag install --overwrite {name} restores it."
    message = f"{name}: what is on the disk is not what {LOCK} says"
    return Problem(ProblemKind.DRIFT, message, path=state.at(name), fix=fix)


def addition_problem(state: InstalledState, name: str, found: Addition) -> Problem:
    """The problem of a file that the skill's source did not have."""
    path = f"{state.at(name)}/{found.path}"
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
