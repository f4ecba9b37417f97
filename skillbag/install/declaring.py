"""`add` and `remove` in `CONTEXT.md`: the declarations of several skills as one change of the file."""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillbag import files
from skillbag.errors import UserError
from skillbag.install.address import SourceKind, parse_source
from skillbag.install.claims import Ask
from skillbag.install.declare import FileChange, declare, undeclare
from skillbag.install.fetch import Fetcher
from skillbag.install.plan import FileStep
from skillbag.install.resolve import Chosen, Resolution
from skillbag.install.state import State
from skillbag.workspace.target import CONTEXT

_UNVERSIONED = "latest"
"""What is declared for a zip or a folder without a version: `CONTEXT.md` wants one (clause context.shape)."""


def declared_file(state: State, names: Iterable[str], resolution: Resolution) -> FileStep:
    """`CONTEXT.md` with a declaration of each of the names, as they were resolved.

    Raises:
        UserError: it can't be edited safely, or nothing is known of where a skill comes from.
    """
    step = _unchanged(state)
    for name in names:
        source, version = _origin(state, resolution.chosen.get(name), name)
        with files.overlay(_as_overlay(state, step)):
            step = _followed(step, declare(state.root, name, source, version))
    return step


def undeclared_file(state: State, names: Iterable[str]) -> FileStep:
    """`CONTEXT.md` without the names.

    Raises:
        UserError: it can't be edited safely.
    """
    step = _unchanged(state)
    for name in names:
        with files.overlay(_as_overlay(state, step)):
            step = _followed(step, undeclare(state.root, name))
    return step


def _unchanged(state: State) -> FileStep:
    raw = files.read(os.path.join(state.root, CONTEXT), state.root)
    return FileStep(CONTEXT, raw, raw) if isinstance(raw, bytes) else FileStep(CONTEXT, None, b"")


def _as_overlay(state: State, step: FileStep) -> dict[str, bytes]:
    return {} if step.after == (step.before or b"") else {os.path.join(state.root, CONTEXT): step.after}


def _followed(step: FileStep, change: FileChange | None) -> FileStep:
    return step if change is None else FileStep(CONTEXT, step.before, change.after)


def version_to_declare(state: State, ask: Ask, fetcher: Fetcher) -> Ask:
    """The ask with its source (the lock's, if it gives none) and a version (if none: the default branch).

    Raises:
        FetchError: the name of the default branch can't be had.
        BadSourceError: the address can't be used.
    """
    locked = state.locked(ask.name)
    if ask.source is None and locked is not None:
        ask = Ask(ask.name, locked.source, ask.version or locked.requested)
    if ask.source is None or ask.version is not None:
        return ask
    source = parse_source(ask.source, state.root)
    version = fetcher.default_branch(source) if source.kind is SourceKind.GIT else _UNVERSIONED
    return Ask(ask.name, ask.source, version)


def _origin(state: State, chosen: Chosen | None, name: str) -> tuple[str, str]:
    """The source and version to declare for a skill that was just resolved, or that the lock knows."""
    if chosen is not None and chosen.fetched is not None:
        return chosen.fetched.source.declared, chosen.fetched.requested or _UNVERSIONED
    if locked := state.locked(name):
        return locked.source, locked.requested or _UNVERSIONED
    raise UserError(f"{name}: it is your own, and no source says where it comes from; --overwrite {name} takes one")
