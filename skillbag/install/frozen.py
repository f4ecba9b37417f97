"""`--frozen`: just what the lock says, or nothing. Whatever has drifted from it stops the run."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.errors import UserError
from skillbag.install.address import parse_source
from skillbag.install.claims import Asked, Claim
from skillbag.install.declarations import Level
from skillbag.install.fetch import Fetcher
from skillbag.install.fetched import Fetched
from skillbag.install.fetching import Wish, fetch_all
from skillbag.install.outcome import Trouble, TroubleKind
from skillbag.install.resolve import Chosen, Resolution
from skillbag.install.state import State
from skillbag.workspace.lock_file import LOCK, Locked
from skillbag.workspace.target import SKILL_ROOT
from skillbag.workspace.tree_hash import tree_hash


class NoLockError(UserError):
    """`--frozen` without a lock."""


def resolve_frozen(state: State, asked: Asked, fetcher: Fetcher) -> Resolution:
    """The locked commit or archive of every locked skill; drift of declarations or of the disk as troubles.

    What the lock does not know is not spoken of (decisions.md, Installation).

    Raises:
        NoLockError: there is no lock.
        BadSourceError: an address in the lock can't be used.
    """
    if not state.has_lock:
        raise NoLockError(
            f"{LOCK}: --frozen installs what it says, and there is none; run skillbag install once without --frozen"
        )
    troubles = [*_undeclared(state, asked), *_edited(state)]
    absent = {name: locked for name, locked in state.lock.skills.items() if not state.is_present(name)}
    wishes = {name: _wish(state, locked) for name, locked in absent.items()}
    answers = fetch_all(fetcher, wishes.values())
    chosen = {}
    for name, locked in sorted(state.lock.skills.items()):
        answer = answers[wishes[name]] if name in wishes else None
        if isinstance(answer, tuple):
            troubles += [trouble for trouble in answer if trouble not in troubles]
        elif answer is not None and _moved_on(answer, name, locked):
            troubles.append(_drift(f"{name}: its source no longer holds what {LOCK} says", source=locked.source))
        else:
            chosen[name] = Chosen(name, tuple(_claims(name, locked)), answer, ())
    return Resolution(chosen, (), tuple(troubles))


def _wish(state: State, locked: Locked) -> Wish:
    return Wish(parse_source(locked.source, state.root), locked.requested, locked.resolved)


def _claims(name: str, locked: Locked) -> Iterator[Claim]:
    for by in locked.asked_by:
        yield Claim(name, locked.source, locked.requested, by, (by,), Level.CONTEXT, LOCK, remembered=True)


def _undeclared(state: State, asked: Asked) -> Iterator[Trouble]:
    """Declarations that the lock does not answer to."""
    overrides = state.declarations.overrides
    for wanted in state.declarations.dependencies:
        override = overrides.get(wanted.name)
        source = (override and override.source) or wanted.source
        version = (override and override.version) or wanted.version
        if state.declarations.prohibits(wanted.name, Level.CONTEXT):
            continue
        if reason := _differs(state, wanted.name, source, version):
            yield _drift(f"{wanted.name}: {reason}", wanted.place.file, wanted.place.line)
    for ask in asked.skills:
        if reason := _differs(state, ask.name, ask.source, ask.version):
            yield _drift(f"{ask.name}: {reason}")


def _differs(state: State, name: str, source: str | None, version: str | None) -> str:
    locked = state.locked(name)
    if locked is None:
        return f"it is wanted, but {LOCK} does not know it"
    if (
        source is not None
        and parse_source(source, state.root).identity != parse_source(locked.source, state.root).identity
    ):
        return f"declared from {source}, locked from {locked.source}"
    if version is not None and version != locked.requested:
        return f"declared at {version}, locked at {locked.requested or 'no version'}"
    return ""


def _edited(state: State) -> Iterator[Trouble]:
    for name in sorted(state.lock.skills):
        if state.is_present(name) and state.is_edited(name):
            yield _drift(f"{name}: what is on the disk is not what {LOCK} says", f".skills/{name}")


def _moved_on(fetched: Fetched, name: str, locked: Locked) -> bool:
    """A folder has no versions, and a commit gives what it always gave: here the tree itself is held to the lock."""
    folder = f"{fetched.root}/{SKILL_ROOT}/{name}"
    return not os.path.isdir(folder) or tree_hash(folder) != locked.tree


def _drift(message: str, path: str = "", line: int = 0, source: str = "") -> Trouble:
    fix = "skillbag install (without --frozen) brings the lock up to date; skillbag diff shows local edits."
    return Trouble(TroubleKind.DRIFT, message, source, path, line, fix=fix)
