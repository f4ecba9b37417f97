"""Queries about installed skills and what a source offers. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from skillbag.base.errors import UserError
from skillbag.install.fetch_problems import fetch_problems
from skillbag.install.integrity import lock_faults, lock_notes
from skillbag.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status
from skillbag.install.state import InstalledState
from skillbag.install.tree_view import Needs, draw, reached, ways
from skillbag.sources.address import parse_source
from skillbag.sources.fetch import Fetcher, fetch_one
from skillbag.sources.fetched import Fetched, FetchFailure, FetchSpec
from skillbag.sources.skill_layout import offered_skills, plain_hint
from skillbag.standard.declarations import skill_wants
from skillbag.workspace.discovery import enclosing_root
from skillbag.workspace.lock_file import COMMAND_LINE, LOCK
from skillbag.workspace.skill import SkillSummary, read_skill
from skillbag.workspace.target import BOOTSTRAP_SKILL, CONTEXT

_MOST_CHAINS = 100
"""Chains that are shown of one skill."""
_NOBODY = "asked for by nobody"


def list_skills(root: str) -> Outcome:
    """The installed skills, each with its origin and whether it was edited here."""
    state = InstalledState(root)
    names = {card.folder for card in state.inventory.cards} | set(state.lock.skills)
    return Outcome("list", root, tuple(_row(state, name) for name in sorted(names)))


def list_offered(root: str, address: str, version: str | None, fetcher: Fetcher, *, plain: bool = False) -> Outcome:
    """The skills that a source offers, with their descriptions; `root` is what relative paths count from.

    With `plain` it may be a plain repository of Agent Skills.
    """
    answer = fetch_one(fetcher, FetchSpec(replace(parse_source(address, root), plain=plain), version, None))
    if isinstance(answer, FetchFailure):
        return Outcome("list", root, problems=fetch_problems(answer))
    folders = offered_skills(answer).items()
    cards = {name: read_skill(folder, os.path.dirname(folder), answer.root).card for name, folder in folders}
    rows = [
        SkillRow(
            name,
            Status.OFFERED,
            answer.source.declared,
            version,
            answer.resolved,
            needs=_needs(card),
            description=card.description.value if card.description else "",
        )
        for name, card in cards.items()
        if card.valid
    ]
    broken = [name for name, card in cards.items() if not card.valid]
    return Outcome("list", root, tuple(rows), notes=tuple(_offer_notes(answer, broken)))


def _offer_notes(fetched: Fetched, broken: list[str]) -> Iterator[str]:
    """What can't be installed from a source, and why."""
    if fetched.plain is None:
        if broken:
            yield f"Not valid skills, so nothing can be installed from here: {', '.join(broken)}."
        elif not offered_skills(fetched) and (hint := plain_hint(fetched)):
            yield hint
        return
    if unfit := [*broken, *fetched.plain.nameless]:
        yield f"Not valid skills: {', '.join(unfit)}."
    for path, reason in fetched.plain.refused.items():
        yield f"{path} can't be installed: {reason}."
    for name, folders in fetched.plain.ambiguous.items():
        yield f"Several folders hold different skills named {name}, so it can't be installed: {', '.join(folders)}."


def _row(state: InstalledState, name: str) -> SkillRow:
    locked, card = state.locked(name), state.card(name)
    row = SkillRow(name, Status.OWN, tree=state.tree(name))
    if card is not None:
        about = card.description.value if card.description else ""
        row = row._replace(needs=state.needs(name), description=about)
    if locked is None:
        return row
    row = row._replace(
        source=locked.source, version=locked.requested, resolved=locked.resolved, asked_by=locked.asked_by
    )
    return row._replace(status=_status(state, name))


def _status(state: InstalledState, name: str) -> Status:
    if not state.is_present(name):
        return Status.MISSING
    return Status.EDITED if state.is_edited(name) else Status.CURRENT


def _needs(card: SkillSummary) -> tuple[str, ...]:
    return tuple(sorted({wanted.name for wanted in skill_wants(card) if wanted.required})) if not card.problem else ()


def verify(root: str, fetcher: Fetcher | None = None) -> Outcome:
    """Whether the disk holds what the lock says, and nothing besides; with a fetcher also whether the sources do.

    What the lock does not know is named, and not judged.

    Raises:
        UserError: there is no lock.
    """
    state = InstalledState(root)
    if not state.has_lock:
        raise UserError(f"{LOCK}: there is none, so there is nothing to verify; skillbag install writes it")
    rows = tuple(locked_row(state, name) for name in sorted(state.lock.skills))
    problems = [*_drifted(rows), *lock_faults(state)]
    if fetcher is not None:
        from skillbag.install.against_source import source_faults

        problems += source_faults(state, fetcher)
    return Outcome("verify", root, rows, tuple(problems), tuple(lock_notes(state)))


def locked_row(state: InstalledState, name: str) -> SkillRow:
    """What the lock knows of a skill, and whether the disk agrees."""
    locked = state.lock.skills[name]
    row = SkillRow(name, _status(state, name), locked.source, locked.requested, locked.resolved, tree=state.tree(name))
    return row._replace(asked_by=locked.asked_by)


def _drifted(rows: tuple[SkillRow, ...]) -> Iterator[Problem]:
    for row in rows:
        if row.status is Status.MISSING:
            message = "it is locked, but not on the disk"
            fix = "skillbag install brings it back." if row.asked_by else "skillbag install takes it out of the lock."
        elif row.status is Status.EDITED:
            message = f"what is on the disk is not what {LOCK} says"
            fix = f"skillbag diff {row.name} shows what differs; skillbag install --overwrite {row.name} restores it."
        else:
            continue
        yield Problem(ProblemKind.DRIFT, f"{row.name}: {message}", path=f".skills/{row.name}", fix=fix)


def tree(root: str) -> Outcome:
    """The tree of requirements, as a drawing and as rows."""
    state = InstalledState(root)
    rows = list_skills(root).skills
    return Outcome("tree", root, rows, text="".join(f"{line}\n" for line in _drawn(state, rows)))


def _drawn(state: InstalledState, rows: tuple[SkillRow, ...]) -> Iterator[str]:
    declared = sorted({wanted.name for wanted in state.declarations.dependencies})
    by_hand = [row.name for row in rows if COMMAND_LINE in row.asked_by]
    asked_for = reached([*declared, *by_hand], state.needs)
    others = _unasked(state, asked_for)
    labels = {row.name: _label(row) for row in rows}
    shown: set[str] = set()
    for title, names in ((CONTEXT, declared), (COMMAND_LINE, by_hand), (_NOBODY, others)):
        if names:
            yield title
            yield from draw(names, state.needs, lambda name: labels.get(name, f"{name}  (missing)"), shown)


def _unasked(state: InstalledState, asked_for: set[str]) -> list[str]:
    """The installed skills that nothing requires, without their own dependencies."""
    rest = {card.folder for card in state.inventory.cards} | set(state.lock.skills)
    return _roots(sorted(rest - asked_for - reached([BOOTSTRAP_SKILL], state.needs)), state.needs)


def _roots(names: list[str], needs: Needs) -> list[str]:
    """Those of the names that no other needs, and one for each circle that none of these leads to."""
    needed = {need for name in names for need in needs(name)}
    roots = [name for name in names if name not in needed]
    seen = reached(roots, needs)
    for name in names:
        if name not in seen:
            roots.append(name)
            seen |= reached([name], needs)
    return sorted(roots)


def _label(row: SkillRow) -> str:
    status = "" if row.status is Status.CURRENT else f"({row.status})"
    return "  ".join(filter(None, (row.name, row.version, status)))


def why(root: str, name: str) -> Outcome:
    """The chains of requesters that lead to the skill.

    Raises:
        UserError: there is no such skill.
    """
    state = InstalledState(root)
    beginnings = _beginnings(state)
    if not state.is_present(name) and state.locked(name) is None and name not in beginnings:
        raise UserError(f"{name}: no such skill is installed or declared; skillbag list shows what there is")
    unasked = {root: [_NOBODY] for root in _unasked(state, reached(beginnings, state.needs)) if root != name}
    # The number of ways from unrequired skills is unbounded: they come last.
    found = list(islice(chain(_ways(state, name, beginnings), _ways(state, name, unasked)), _MOST_CHAINS + 1))
    chains = sorted(found[:_MOST_CHAINS], key=lambda way: (way[0] == _NOBODY, len(way), way))
    lines = [" -> ".join(way) for way in chains] or [f"{name}: nobody asks for it"]
    if len(found) > _MOST_CHAINS:
        lines.append(f"… and more: {_MOST_CHAINS} are shown")
    return Outcome("why", root, (_row(state, name),), text="\n".join([*lines, ""]), values={"chains": len(chains)})


def _beginnings(state: InstalledState) -> dict[str, list[str]]:
    """Who asks for each skill without being one."""
    found: dict[str, list[str]] = {}
    for wanted in state.declarations.dependencies:
        found.setdefault(wanted.name, []).append(str(wanted.place))
    for name, locked in state.lock.skills.items():
        if COMMAND_LINE in locked.asked_by:
            found.setdefault(name, []).append(COMMAND_LINE)
    return found


def _ways(state: InstalledState, name: str, beginnings: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """The ways from these beginnings to a skill, over all that need it and are led to by one of them."""
    within = reached(beginnings, state.needs)
    users = {needed: [user for user in users if user in within] for needed, users in state.users.items()}
    return ways(name, beginnings, users)


def base_of(folder: str) -> str:
    """What relative addresses count from: the root of the workspace around `folder`, else the folder itself."""
    return enclosing_root(folder) or folder
