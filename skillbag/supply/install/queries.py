"""Queries about installed skills and what a source offers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.discovery import enclosing_root
from skillbag.kernel.workspace.lock_file import COMMAND_LINE, LOCK
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CONTEXT
from skillbag.lint.skill_graph.build import build_graph
from skillbag.lint.skill_graph.needs import skill_needs
from skillbag.supply.install.choice import located, skills_in
from skillbag.supply.install.integrity import edited_problem, lock_faults, lock_notes, source_faults
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status, StoppedError
from skillbag.supply.install.problems import fetch_problems, quoted
from skillbag.supply.install.state import LEFT_OVER, STALE, STALE_FIX, WAS_EDITED, InstalledState, locked_row
from skillbag.supply.install.tree_view import chains_to, draw, reached
from skillbag.supply.sources.address import parse_source, without_credentials
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_one
from skillbag.supply.sources.fetched import Fetched, FetchFailure, FetchSpec
from skillbag.supply.sources.skill_layout import folder_in_source, offered_skills, plain_hint

_MAX_CHAINS = 100
_NOTHING = "required by nothing"
_ADOPT = f"{{file}} says where skills are from: skillbag adopt writes {LOCK} from it."


def list_skills(root: str) -> Outcome:
    """The installed skills, each with its source and whether it was edited here."""
    state = InstalledState(root)
    names = {card.folder for card in state.inventory.cards} | set(state.lock.skills)
    rows, file = tuple(_row(state, name) for name in sorted(names)), state.adoptable
    is_named = file and any(file in state.others_with(row.name) for row in rows if row.status is Status.OWN)
    return Outcome("list", root, rows, notes=(_ADOPT.format(file=file),) if is_named else ())


def list_offered(folder: str, address: str, version: str | None, fetcher: Fetcher) -> Outcome:
    """The skills that a source offers, with their descriptions.

    `address` is what the user wrote, relative to the workspace around `folder`, or without one to `folder`; of a folder
    of a source the skills in it are listed.
    """
    root = enclosing_root(folder) or folder
    try:
        location = located(address, version, root, fetcher)
    except StoppedError as stopped:
        return Outcome("list", root, problems=stopped.problems)
    version = location.version
    answer = fetch_one(fetcher, FetchSpec(replace(parse_source(location.address, root), plain=True), version, None))
    if isinstance(answer, FetchFailure):
        return Outcome("list", root, problems=fetch_problems(answer))
    rows, broken = [], []
    for name, folder in (skills_in(answer, location.folder) if location.folder else offered_skills(answer)).items():
        card = read_skill(folder, os.path.dirname(folder), answer.root).card
        if not card.valid:
            broken.append(name)
            continue
        row = SkillRow(name, Status.OFFERED, answer.source.declared, version, answer.resolved)
        needs = tuple(sorted({wanted.name for wanted in skill_needs(card) if wanted.required}))
        rows.append(row._replace(needs=needs, description=card.description.value if card.description else ""))
    shown = without_credentials(address)
    how = (
        f"skillbag add {shown} NAME installs one of them; skillbag run NAME --source {shown} tries it." if rows else ""
    )
    notes = filter(None, (location.note, *_offer_notes(answer, broken), how))
    return Outcome("list", root, tuple(rows), notes=tuple(notes))


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
        taken = folder_in_source(fetched, name)
        what = f"`{taken}` is taken" if taken else "it can't be installed"
        yield f"Several folders hold different skills named `{name}`, so {what}: {quoted(folders)}."


def _row(state: InstalledState, name: str) -> SkillRow:
    locked, card = state.locked(name), state.card(name)
    row = present_row(state, name) if locked else SkillRow(name, Status.OWN, tree=state.tree(name))
    if name in state.left_over:
        row = row._replace(why=LEFT_OVER.format(name=name))
    if card is None:
        return row
    return row._replace(needs=state.needs(name), description=card.description.value if card.description else "")


def verify(root: str, fetcher: Fetcher | None = None) -> Outcome:
    """Compare the disk with the lock; with a fetcher, the sources as well. Skills that are not locked are only named.

    Raises:
        UserError: there is no lock.
    """
    state = InstalledState(root)
    if not state.has_lock:
        how = f"skillbag adopt writes it from {state.adoptable}" if state.adoptable else "skillbag install writes it"
        raise UserError(f"{LOCK}: there is none, so there is nothing to verify; {how}")
    rows = tuple(present_row(state, name) for name in sorted(state.lock.skills))
    problems = [*_drifted(state, rows), *lock_faults(state)]
    if fetcher is not None:
        problems += source_faults(state, fetcher)
    return Outcome("verify", root, rows, tuple(problems), tuple(lock_notes(state)))


def present_row(state: InstalledState, name: str) -> SkillRow:
    """The row of a locked skill: whether it is missing, edited, stale or current, with its present tree hash."""
    status = Status.EDITED if state.is_edited(name) else Status.CURRENT if state.is_present(name) else Status.MISSING
    row = locked_row(name, status, state.lock.skills[name])._replace(tree=state.tree(name))
    if status is Status.EDITED and (how := state.how_it_differs(name)) != WAS_EDITED:
        row = row._replace(why=how)
    return row._replace(status=Status.OUTDATED, why=f"{STALE}; {STALE_FIX}") if state.is_stale(name) else row


def _drifted(state: InstalledState, rows: tuple[SkillRow, ...]) -> Iterator[Problem]:
    for row in rows:
        if row.status is Status.EDITED:
            yield edited_problem(state, row.name)
        elif row.status is Status.OUTDATED:
            message = f"{row.name}: {STALE}"
            yield Problem(ProblemKind.DRIFT, message, path=state.at(row.name), fix=f"{STALE_FIX}.")
        elif row.status is Status.MISSING:
            message = f"{row.name}: it is locked, but not on the disk"
            fix = "skillbag install brings it back." if row.asked_by else "skillbag install takes it out of the lock."
            yield Problem(ProblemKind.DRIFT, message, path=state.at(row.name), fix=fix)


def tree(root: str, *, with_graph: bool = False) -> Outcome:
    """The tree of requirements, as a drawing and as rows; if asked for, the graph of all skills as well."""
    state = InstalledState(root)
    rows = list_skills(root).skills
    graph = build_graph([state.workspace], root) if with_graph else None
    return Outcome("tree", root, rows, text="".join(f"{line}\n" for line in _tree_lines(state, rows)), graph=graph)


def _tree_lines(state: InstalledState, rows: tuple[SkillRow, ...]) -> Iterator[str]:
    declared = sorted({wanted.name for wanted in state.declarations.dependencies})
    requested = [row.name for row in rows if COMMAND_LINE in row.asked_by]
    others = _unrequired(state, reached([*declared, *requested], state.needs))
    labels = {}
    for row in rows:
        status = "" if row.status is Status.CURRENT else f"({row.status})"
        labels[row.name] = "  ".join(filter(None, (row.name, row.version, status)))
    shown: set[str] = set()
    for title, names in ((CONTEXT, declared), (COMMAND_LINE, requested), (_NOTHING, others)):
        if names:
            yield title
            yield from draw(names, state.needs, lambda name: labels.get(name, f"{name}  (missing)"), shown)


def _unrequired(state: InstalledState, required: set[str]) -> list[str]:
    """The installed skills that nothing requires, without their own dependencies; of a cycle only one skill."""
    skills = {card.folder for card in state.inventory.cards} | set(state.lock.skills)
    names = sorted(skills - required - reached([BOOTSTRAP_SKILL], state.needs))
    needed = {need for name in names for need in state.needs(name)}
    roots = [name for name in names if name not in needed]
    seen = reached(roots, state.needs)
    for name in names:
        if name not in seen:
            roots.append(name)
            seen |= reached([name], state.needs)
    return sorted(roots)


def why(root: str, name: str) -> Outcome:
    """The chains of requesters that lead to the skill.

    Raises:
        UserError: there is no such skill.
    """
    state = InstalledState(root)
    state.check_known(name)
    requesters = _requesters(state)
    unrequired = {root: [_NOTHING] for root in _unrequired(state, reached(requesters, state.needs)) if root != name}
    # Last, as there may be any number of chains from unrequired skills.
    found = list(islice(chain(_chains(state, name, requesters), _chains(state, name, unrequired)), _MAX_CHAINS + 1))
    chains = sorted(found[:_MAX_CHAINS], key=lambda names: (names[0] == _NOTHING, len(names), names))
    lines = [_shown_chain(names) for names in chains] or [f"{name}: nothing requires it"]
    if len(found) > _MAX_CHAINS:
        lines.append(f"… and more: {_MAX_CHAINS} are shown")
    return Outcome("why", root, (_row(state, name),), text="\n".join([*lines, ""]), values={"chains": len(chains)})


def _shown_chain(names: Sequence[str]) -> str:
    first, *rest = names
    return f"{' -> '.join(rest)}  ({_NOTHING})" if first == _NOTHING else " -> ".join(names)


def _requesters(state: InstalledState) -> dict[str, list[str]]:
    """The requesters of each skill that are no skills themselves."""
    requesters: dict[str, list[str]] = {}
    for wanted in state.declarations.dependencies:
        requesters.setdefault(wanted.name, []).append(str(wanted.place))
    for name, locked in state.lock.skills.items():
        if COMMAND_LINE in locked.asked_by:
            requesters.setdefault(name, []).append(COMMAND_LINE)
    return requesters


def _chains(state: InstalledState, name: str, requesters: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """The chains from these requesters to a skill, over the skills that they lead to."""
    within = reached(requesters, state.needs)
    users = {needed: [user for user in users if user in within] for needed, users in state.users.items()}
    return chains_to(name, requesters, users)
