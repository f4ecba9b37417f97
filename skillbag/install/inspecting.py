"""Looking at what is installed, and at what a source offers. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.errors import UserError
from skillbag.install.address import SourceKind, parse_source
from skillbag.install.declarations import skill_wants
from skillbag.install.fetch import Fetcher
from skillbag.install.fetched import FetchError
from skillbag.install.fetching import Wish, fetch_one
from skillbag.install.outcome import Outcome, SkillRow, Status, Trouble, TroubleKind
from skillbag.install.removing import requesters
from skillbag.install.state import State
from skillbag.workspace.discovery import enclosing_root
from skillbag.workspace.lock_file import COMMAND_LINE, LOCK, Locked
from skillbag.workspace.model import Workspace, take_inventory
from skillbag.workspace.skill import Card
from skillbag.workspace.target import BOOTSTRAP_SKILL, CONTEXT, SKILL_ROOT, Kind, installed
from skillbag.workspace.tree_hash import tree_hash


def list_skills(root: str) -> Outcome:
    """The installed skills, each with its origin and whether it was edited here."""
    state = State(root)
    names = {card.folder for card in state.inventory.cards} | set(state.lock.skills)
    return Outcome("list", root, tuple(_row(state, name) for name in sorted(names)))


def list_offered(root: str, address: str, version: str | None, fetcher: Fetcher) -> Outcome:
    """The skills that a source offers, with their descriptions; `root` is what relative paths count from."""
    answer = fetch_one(fetcher, Wish(parse_source(address, root), version, None))
    if isinstance(answer, tuple):
        return Outcome("list", root, troubles=answer)
    cards = take_inventory(Workspace(installed(Kind.SOURCE, answer.root))).cards
    rows = [
        SkillRow(
            card.folder,
            Status.OFFERED,
            answer.source.declared,
            version,
            answer.resolved,
            needs=_needs(card),
            description=card.description.value if card.description else "",
        )
        for card in cards
        if card.valid
    ]
    return Outcome("list", root, tuple(rows))


def _row(state: State, name: str) -> SkillRow:
    locked, card = state.locked(name), state.card(name)
    row = SkillRow(name, Status.OWN, tree=state.tree(name))
    if card is not None:
        row = row._replace(needs=_needs(card), description=card.description.value if card.description else "")
    if locked is None:
        return row
    row = row._replace(
        source=locked.source, version=locked.requested, resolved=locked.resolved, asked_by=locked.asked_by
    )
    return row._replace(status=_status(state, name))


def _status(state: State, name: str) -> Status:
    if not state.is_present(name):
        return Status.MISSING
    return Status.EDITED if state.is_edited(name) else Status.CURRENT


def _needs(card: Card) -> tuple[str, ...]:
    return tuple(sorted({wanted.name for wanted in skill_wants(card) if wanted.required})) if not card.problem else ()


def verify(root: str) -> Outcome:
    """Whether the disk holds what the lock says, offline; only of what the lock knows.

    Raises:
        UserError: there is no lock.
    """
    state = State(root)
    if not state.has_lock:
        raise UserError(f"{LOCK}: there is none, so there is nothing to verify; skillbag install writes it")
    rows = tuple(_verified(state, name, locked) for name, locked in sorted(state.lock.skills.items()))
    return Outcome("verify", root, rows, tuple(_drifted(rows)))


def _verified(state: State, name: str, locked: Locked) -> SkillRow:
    row = SkillRow(name, _status(state, name), locked.source, locked.requested, locked.resolved, tree=state.tree(name))
    return row._replace(asked_by=locked.asked_by)


def _drifted(rows: tuple[SkillRow, ...]) -> Iterator[Trouble]:
    for row in rows:
        if row.status is Status.MISSING:
            message, fix = "it is locked, but not on the disk", "skillbag install brings it back."
        elif row.status is Status.EDITED:
            message = f"what is on the disk is not what {LOCK} says"
            fix = f"skillbag diff {row.name} shows what differs; skillbag install --overwrite {row.name} restores it."
        else:
            continue
        yield Trouble(TroubleKind.DRIFT, f"{row.name}: {message}", path=f".skills/{row.name}", fix=fix)


def tree(root: str) -> Outcome:
    """Who asked for what, as a drawing and as rows."""
    state = State(root)
    rows = list_skills(root).skills
    by_name = {row.name: row for row in rows}
    return Outcome("tree", root, rows, text="".join(f"{line}\n" for line in _drawn(state, by_name)))


def _drawn(state: State, rows: dict[str, SkillRow]) -> Iterator[str]:
    declared = [wanted.name for wanted in state.declarations.dependencies]
    by_hand = [name for name, row in rows.items() if COMMAND_LINE in row.asked_by]
    groups = {CONTEXT: declared, COMMAND_LINE: by_hand}
    reached = _reached([*declared, *by_hand], rows)
    groups["asked for by nobody"] = [
        name
        for name in rows
        if name not in (*reached, BOOTSTRAP_SKILL) and not any(name in row.needs for row in rows.values())
    ]
    for title, names in groups.items():
        if names:
            yield title
            yield from _branches(sorted(set(names)), rows, "", ())


def _reached(names: list[str], rows: dict[str, SkillRow]) -> set[str]:
    found: set[str] = set()
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            names += rows[name].needs if name in rows else ()
    return found


def _branches(names: list[str], rows: dict[str, SkillRow], indent: str, above: tuple[str, ...]) -> Iterator[str]:
    for number, name in enumerate(names):
        last = number == len(names) - 1
        row = rows.get(name)
        yield f"{indent}{'└── ' if last else '├── '}{_leaf(name, row, name in above)}"
        if row is not None and name not in above:
            yield from _branches(list(row.needs), rows, indent + ("    " if last else "│   "), (*above, name))


def _leaf(name: str, row: SkillRow | None, again: bool) -> str:
    if row is None:
        return f"{name}  (missing)"
    said = [row.version or "", "" if row.status is Status.CURRENT else f"({row.status})", "(a circle)" if again else ""]
    return "  ".join(filter(None, (name, *said)))


def why(root: str, name: str) -> Outcome:
    """Every chain of requesters that leads to the skill.

    Raises:
        UserError: there is no such skill.
    """
    state = State(root)
    declared = [wanted for wanted in state.declarations.dependencies if wanted.name == name]
    if not state.is_present(name) and state.locked(name) is None and not declared:
        raise UserError(f"{name}: no such skill is installed or declared; skillbag list shows what there is")
    row = _row(state, name)
    chains = sorted(_chains(state, name, ()))
    said = "\n".join(" -> ".join(chain) for chain in chains) or f"{name}: nobody asks for it"
    return Outcome("why", root, (row,), text=f"{said}\n", values={"chains": len(chains)})


def _chains(state: State, name: str, below: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The chains that end in `name` and what is below it; a circle ends where it began."""
    chain = (name, *below)
    for wanted in state.declarations.dependencies:
        if wanted.name == name:
            yield (str(wanted.place), *chain)
    locked = state.locked(name)
    if locked is not None and COMMAND_LINE in locked.asked_by:
        yield (COMMAND_LINE, *chain)
    for user in requesters(state, name):
        if user not in chain:
            yield from _chains(state, user, chain)


def outdated(root: str, fetcher: Fetcher, *, strict: bool = False) -> Outcome:
    """What the locked versions mean now, for every skill of the lock; with `strict` an older one is a trouble."""
    state = State(root)
    rows, troubles = [], []
    for name, locked in sorted(state.lock.skills.items()):
        row = _verified(state, name, locked)
        try:
            row = _dated(state, row, locked, fetcher)
        except FetchError as error:
            troubles.append(Trouble(TroubleKind.FETCH, error.reason, source=locked.source))
        rows.append(row)
        if strict and row.status is Status.OUTDATED:
            fix = f"skillbag update {name} takes it."
            troubles.append(
                Trouble(TroubleKind.DRIFT, f"{name}: there is a newer version", source=locked.source, fix=fix)
            )
    return Outcome("outdated", root, tuple(rows), tuple(dict.fromkeys(troubles)))


def _dated(state: State, row: SkillRow, locked: Locked, fetcher: Fetcher) -> SkillRow:
    """The row with what its version means now. A folder has no versions: there the tree itself is looked at."""
    source = parse_source(locked.source, state.root)
    if source.kind is SourceKind.FOLDER:
        folder = f"{fetcher.fetch(source).root}/{SKILL_ROOT}/{row.name}"
        is_newer = os.path.isdir(folder) and tree_hash(folder) != locked.tree
        return row._replace(status=Status.OUTDATED) if is_newer else row
    now = fetcher.latest(source, locked.requested)
    if now is None or now == locked.resolved:
        return row
    return row._replace(status=Status.OUTDATED, was=locked.resolved, resolved=now)


def base_of(folder: str) -> str:
    """What relative addresses count from: the root of the workspace around `folder`, else the folder itself."""
    return enclosing_root(folder) or folder
