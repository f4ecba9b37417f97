"""`outdated`: newer content of locked skills, whether an update takes it or a pin excludes it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.kernel.workspace.lock_file import COMMIT, TAG, Locked
from skillbag.kernel.workspace.target import CONTEXT
from skillbag.supply.install.changed_versions import ChangedVersion, changed_problems, changed_version
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status
from skillbag.supply.install.problems import absent, fetch_problems
from skillbag.supply.install.queries import present_row
from skillbag.supply.install.request import InstallRequest, is_of_registry
from skillbag.supply.install.resolve import Resolution, resolve
from skillbag.supply.install.state import STALE, STALE_FIX, InstalledState, tree_in
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_all, fetch_one, latest_all
from skillbag.supply.sources.fetched import Answer, Fetched, FetchError, FetchFailure, FetchSpec, pinned_hash
from skillbag.supply.sources.registry_versions import LATEST, parse_resolved
from skillbag.supply.sources.skill_layout import PLAIN

_Newest = dict[str, Answer | str | None]
"""By skill: the answer of its source, or the commit of a version that has not moved."""

_LONG = 40
"""Characters of the shortest hash that a version can be."""


class _Found(NamedTuple):
    """A row; if something newer exists, what it is and how to take it (`advice`); or that the version has changed."""

    row: SkillRow
    newer: str = ""
    advice: str = ""
    changed: ChangedVersion | None = None


def outdated(root: str, fetcher: Fetcher, *, strict: bool = False) -> Outcome:
    """What `update` would take of each locked skill, and what is newer than its pinned version.

    With `strict` both are problems; a version that has changed is one in any case.

    Raises:
        BadSourceError: an address or a version of the lock can't be used.
        OSError: an installed skill can't be read.
    """
    state = InstalledState(root)
    resolution = resolve(state, InstallRequest(upgrade=True), fetcher)
    newest, failures = _newest(state, resolution, fetcher)
    found = [_compared(state, name, newest[name]) for name in sorted(state.lock.skills)]
    found = [_unpinned(state, skill.row, fetcher) if skill.row.status is Status.CURRENT else skill for skill in found]
    stops = (ProblemKind.CONFLICT, ProblemKind.CYCLE, ProblemKind.UNRESOLVED)
    notes = tuple(f"skillbag update would stop: {stop.message}." for stop in resolution.problems if stop.kind in stops)
    failures = (*failures, *changed_problems(skill.changed for skill in found if skill.changed is not None))
    if strict:
        return Outcome("outdated", root, tuple(skill.row for skill in found), (*failures, *_problems(found)), notes)
    return Outcome("outdated", root, tuple(map(_advised, found)), failures, notes)


def newer_notes(root: str, names: Iterable[str], fetcher: Fetcher) -> Iterator[str]:
    """What is newer than the fixed versions of skills that an update has left as they are, and the command for it."""
    state = InstalledState(root)
    for name in names:
        found = _unpinned(state, present_row(state, name), fetcher) if name in state.lock.skills else None
        if found and found.newer:
            yield f"{name}: {found.newer}; {found.advice}"


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


def _compared(state: InstalledState, name: str, answer: Answer | str | None) -> _Found:
    """A skill and what its source answered; it is outdated if the tree differs."""
    row, locked = present_row(state, name), state.lock.skills[name]
    if isinstance(answer, FetchFailure):
        return _Found(_unknown(row, "its source could not be reached"))
    if not isinstance(answer, Fetched) or pinned_hash(answer.source, locked.requested):
        return _Found(row)
    answer = state.located(answer, name)
    tree = tree_in(answer, name)
    if tree is not None and (changed := changed_version(state, name, answer, tree)):
        row = row._replace(status=Status.OUTDATED, was=locked.resolved, resolved=answer.resolved, why=changed.how)
        return _Found(row, changed=changed)
    if tree is None:
        gone = absent(answer, name)
        return _Found(row._replace(status=Status.OUTDATED, why=gone), gone, "Declare where it is now, or remove it.")
    if tree == locked.tree:
        return _Found(row, STALE, f"{STALE_FIX}.") if row.status is Status.OUTDATED else _Found(row)
    why = [state.how_it_differs(name)] if row.status is Status.EDITED else []
    if answer.requested != locked.requested:
        why.append(f"{answer.requested or 'the default branch'} is asked for now")
    row = row._replace(status=Status.OUTDATED, was=locked.resolved, resolved=answer.resolved, why="; ".join(why))
    return _Found(row, "there is a newer version", f"skillbag update {name} takes it.")


def _unknown(row: SkillRow, why: str) -> SkillRow:
    """The row of a skill that could not be compared; that it is edited or missing is certain all the same."""
    return row._replace(status=Status.UNKNOWN if row.status is Status.CURRENT else row.status, why=why)


def _unpinned(state: InstalledState, row: SkillRow, fetcher: Fetcher) -> _Found:
    """A current skill, pinned if something newer than its fixed version exists."""
    locked = state.lock.skills[row.name]
    try:
        label, spec = _beyond(state, row.name, locked, fetcher)
    except FetchError:
        return _Found(_unknown(row, "could not find out whether there is a newer version"))
    if spec is None or spec.version == locked.requested:
        return _Found(row)
    answer = fetch_one(fetcher, spec)
    if not isinstance(answer, Fetched) or tree_in(state.located(answer, row.name), row.name) in (None, locked.tree):
        return _Found(row)
    found = parse_resolved(answer.resolved or "")
    newer = f"{found.version if found else label} is newer, but {_fixed(locked)} is asked for"
    row = row._replace(status=Status.PINNED, was=locked.resolved, resolved=answer.resolved, why=newer)
    return _Found(row, newer, f"{_taking(locked, row.name, spec.version or answer.resolved or '')} takes it.")


def _taking(locked: Locked, name: str, version: str) -> str:
    """The command that takes another version of a skill; `add` declares it as well, which plain sources can't be."""
    is_plain = locked.layout == PLAIN and not is_of_registry(locked.source)
    command = "add" if CONTEXT in locked.asked_by and not is_plain else "update"
    return f"skillbag {command} {name} --version {shlex.quote(version)}"


def _fixed(locked: Locked) -> str:
    """The version or the range that was asked for; a short name of a commit or an archive."""
    wanted = locked.requested
    return wanted if wanted and len(wanted) < _LONG else "a fixed content"


def _beyond(state: InstalledState, name: str, locked: Locked, fetcher: Fetcher) -> tuple[str, FetchSpec | None]:
    """The name and spec of what may be newer than a fixed version: a later release, the default branch, the archive."""
    source = state.source_of(name)
    if pinned_hash(source, locked.requested):
        return "the archive that is there now", FetchSpec(source, None, None)
    if source.kind.has_releases and locked.requested not in (None, LATEST):
        return "the latest version", FetchSpec(source, LATEST, None)
    if not source.kind.has_revisions or locked.requested is None:
        return "", None
    if locked.ref == COMMIT or locked.requested == locked.resolved:
        return "what the default branch holds", FetchSpec(source, None, None)
    if locked.ref not in (TAG, None):
        return "", None
    release = newest_release(locked.requested, fetcher.tags(source))
    return (release, FetchSpec(source, release, None)) if release else ("", None)


def _problems(found: Iterable[_Found]) -> Iterator[Problem]:
    for row, newer, advice, _ in found:
        if newer:
            yield Problem(ProblemKind.DRIFT, f"{row.name}: {newer}", source=row.source or "", fix=advice)


def _advised(found: _Found) -> SkillRow:
    """The row, of a pinned skill with the advice; what is outdated has one for all below the table."""
    row = found.row
    return row._replace(why=f"{row.why}; {found.advice.rstrip('.')}") if row.status is Status.PINNED else row


_TAG = re.compile(r"(\D*)(\d{1,18}(?:[._-]\d{1,18}){0,9})([-+._]?[A-Za-z][\w.+-]*)?")


class _Release(NamedTuple):
    """A tag such as `v1.2-rc1`: what stands before the numbers, the numbers, and whether it comes before a release."""

    series: str
    numbers: tuple[int, ...]
    early: bool


def newest_release(version: str, tags: Iterable[str]) -> str | None:
    """The latest release among the tags that is later than `version` and of its series; None where there is none.

    Tags without numbers, of another series (`w2` beside `v1`) and pre-releases are none.
    """
    here = _release(version)
    if here is None:
        return None
    found = [(release.numbers, tag) for tag in tags if (release := _release(tag)) and _is_later(release, here)]
    return max(found)[1] if found else None


def _is_later(release: _Release, here: _Release) -> bool:
    if release.early or release.series != here.series:
        return False
    return release.numbers > here.numbers or (here.early and release.numbers == here.numbers)


def _release(tag: str) -> _Release | None:
    match = _TAG.fullmatch(tag)
    if match is None:
        return None
    numbers = [int(number) for number in re.split(r"[._-]", match[2])]
    while numbers and not numbers[-1]:
        # v1 is v1.0.
        numbers.pop()
    return _Release(match[1], tuple(numbers), match[3] is not None)
