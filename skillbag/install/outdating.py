"""`outdated`: newer content of locked skills, whether an update takes it or a pin excludes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status
from skillbag.install.problems import fetch_problems
from skillbag.install.queries import present_row
from skillbag.install.recorded import moved_tag
from skillbag.install.releases import newest_release
from skillbag.install.requirements import RequestSet
from skillbag.install.resolve import Resolution, resolve
from skillbag.install.state import InstalledState
from skillbag.sources.fetch import Fetcher, fetch_all, fetch_one, latest_all
from skillbag.sources.fetched import Answer, Fetched, FetchError, FetchFailure, FetchSpec, pinned_hash
from skillbag.sources.skill_layout import find_skill
from skillbag.workspace.lock_file import COMMIT, TAG, Locked
from skillbag.workspace.tree_hash import tree_hash

_GONE = "its source does not hold it any more"
_MOVED = "its publisher has rewritten it, or somebody tampered with the source"


_Newest = dict[str, Answer | str | None]
"""By skill: the answer of its source, or the commit of a version that has not moved."""


def outdated(root: str, fetcher: Fetcher, *, strict: bool = False) -> Outcome:
    """What `update` would take of each locked skill, and what is newer than its pinned version.

    With `strict` both are problems.

    Raises:
        BadSourceError: an address or a version of the lock can't be used.
        OSError: an installed skill can't be read.
    """
    state = InstalledState(root)
    resolution = resolve(state, RequestSet(upgraded=None), fetcher)
    newest, failures = _newest(state, resolution, fetcher)
    rows = [_row(state, name, newest[name]) for name in sorted(state.lock.skills)]
    rows = [_unpinned(state, row, fetcher) if row.status is Status.CURRENT else row for row in rows]
    stops = (ProblemKind.CONFLICT, ProblemKind.CYCLE, ProblemKind.UNRESOLVED)
    notes = [f"skillbag update would stop: {found.message}." for found in resolution.problems if found.kind in stops]
    return Outcome("outdated", root, tuple(rows), (*failures, *(_behind(rows) if strict else ())), tuple(notes))


def _newest(state: InstalledState, resolution: Resolution, fetcher: Fetcher) -> tuple[_Newest, tuple[Problem, ...]]:
    """What an update would take, or else the current content of the locked versions; and failed fetches."""
    found: _Newest = {}
    if not resolution.problems:
        chosen = {name: skill.fetched for name, skill in resolution.chosen.items() if name in state.lock.skills}
        found |= {name: fetched for name, fetched in chosen.items() if fetched is not None}
    locks = {name: locked for name, locked in sorted(state.lock.skills.items()) if name not in found}
    specs = {}
    for name, locked in locks.items():
        source = state.source_of(name)
        # The newest content of an archive, without its pinned hash.
        specs[name] = FetchSpec(source, None if pinned_hash(source, locked.requested) else locked.requested, None)
    newest = latest_all(fetcher, specs.values())
    answers = fetch_all(fetcher, (spec for name, spec in specs.items() if _has_moved(newest[spec], locks[name])))
    found |= {name: answers.get(spec, newest[spec]) for name, spec in specs.items()}
    failures = (
        problem
        for answer in (*newest.values(), *answers.values())
        if isinstance(answer, FetchFailure)
        for problem in fetch_problems(answer)
    )
    return found, tuple(dict.fromkeys(failures))


def _has_moved(newest: str | FetchFailure | None, locked: Locked) -> bool:
    """Whether a version may have other content now, as a folder, which has no versions, always may."""
    return not isinstance(newest, FetchFailure) and (newest is None or newest != locked.resolved)


def _row(state: InstalledState, name: str, answer: Answer | str | None) -> SkillRow:
    """The row of a skill whose source gave this answer; it is outdated if the tree differs."""
    row, locked = present_row(state, name), state.lock.skills[name]
    if isinstance(answer, FetchFailure):
        return row._replace(why="its source could not be reached")
    if not isinstance(answer, Fetched) or pinned_hash(answer.source, locked.requested):
        return row
    folder = find_skill(answer, row.name)
    if folder is None:
        return row._replace(status=Status.OUTDATED, why=_GONE)
    tree = tree_hash(folder)
    if tree == locked.tree:
        return row
    why = ["edited here"] if row.status is Status.EDITED else []
    if moved := moved_tag(state, name, answer, tree):
        why.append(f"its version {moved}: {_MOVED}")
    elif answer.requested != locked.requested:
        why.append(f"{answer.requested or 'the default branch'} is asked for now")
    return row._replace(status=Status.OUTDATED, was=locked.resolved, resolved=answer.resolved, why="; ".join(why))


def _unpinned(state: InstalledState, row: SkillRow, fetcher: Fetcher) -> SkillRow:
    """The row of a current skill, pinned if something newer than its fixed version exists."""
    locked = state.lock.skills[row.name]
    try:
        label, spec = _beyond(state, row.name, locked, fetcher)
    except FetchError:
        return row._replace(why="could not find out whether there is a newer version")
    if spec is None or spec.version == locked.requested:
        return row
    answer = fetch_one(fetcher, spec)
    folder = find_skill(answer, row.name) if isinstance(answer, Fetched) else None
    if not isinstance(answer, Fetched) or folder is None or tree_hash(folder) == locked.tree:
        return row
    command = f"skillbag add {row.name} --version {label}" if label == spec.version else ""
    why = f"pinned; newer: {label}" + (f" ({command} takes it)" if command else "")
    return row._replace(status=Status.PINNED, was=locked.resolved, resolved=answer.resolved, why=why)


def _beyond(state: InstalledState, name: str, locked: Locked, fetcher: Fetcher) -> tuple[str, FetchSpec | None]:
    """The name and spec of what may be newer than a fixed version: a later release, the default branch, the archive."""
    source = state.source_of(name)
    if pinned_hash(source, locked.requested):
        return "the archive that is there now", FetchSpec(source, None, None)
    if locked.kind != "git" or locked.requested is None:
        return "", None
    if locked.ref == COMMIT or locked.requested == locked.resolved:
        return "what the default branch holds", FetchSpec(source, None, None)
    if locked.ref not in (TAG, None):
        return "", None
    release = newest_release(locked.requested, fetcher.tags(source))
    return (release, FetchSpec(source, release, None)) if release else ("", None)


def _behind(rows: Iterable[SkillRow]) -> Iterator[Problem]:
    for row in rows:
        if row.status is Status.PINNED:
            message, fix = row.why, f"skillbag add {row.name} --version VERSION declares and takes another version."
        elif row.status is not Status.OUTDATED:
            continue
        elif row.why == _GONE:
            message, fix = _GONE, "Declare where it is now, or remove it."
        elif _MOVED in row.why:
            message = row.why
            fix = f"Compare: skillbag diff {row.name} --upstream. skillbag update --accept-moved takes it."
        else:
            message, fix = "there is a newer version", f"skillbag update {row.name} takes it."
        yield Problem(ProblemKind.DRIFT, f"{row.name}: {message}", source=row.source or "", fix=fix)
