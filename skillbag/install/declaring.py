"""`add` and `remove` in `CONTEXT.md`: the declarations of several skills as one change of the file."""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillbag import files
from skillbag.errors import UserError
from skillbag.install.address import Source, SourceKind, parse_source
from skillbag.install.declare import FileChange, declare, undeclare
from skillbag.install.fetch import Fetcher
from skillbag.install.plan import FileStep
from skillbag.install.resolve import Chosen, Resolution
from skillbag.install.state import State
from skillbag.workspace.target import CONTEXT

_UNVERSIONED = "latest"
"""What is declared for a zip or a folder without a version: `CONTEXT.md` wants one (clause context.shape)."""


def declared_file(state: State, names: Iterable[str], resolution: Resolution, fetcher: Fetcher) -> FileStep:
    """`CONTEXT.md` with a declaration of each of the names, as they were resolved.

    Raises:
        UserError: it can't be edited safely, or nothing is known of where a skill comes from.
        FetchError: the name of a default branch can't be had.
    """
    step = _unchanged(state)
    for name in names:
        source, version = _origin(state, resolution.chosen.get(name), name, fetcher)
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


def _origin(state: State, chosen: Chosen | None, name: str, fetcher: Fetcher) -> tuple[str, str]:
    """The source and version to declare for a skill that was just resolved, or that the lock knows."""
    if chosen is not None and chosen.fetched is not None:
        source, version = chosen.fetched.source, chosen.fetched.requested
    elif locked := state.locked(name):
        source, version = parse_source(locked.source, state.root), locked.requested
    else:
        raise UserError(f"{name}: it is your own, and no source says where it comes from; --overwrite {name} takes one")
    return source.declared, version or _default_version(source, fetcher)


def _default_version(source: Source, fetcher: Fetcher) -> str:
    if source.kind is not SourceKind.GIT:
        return _UNVERSIONED
    return fetcher.default_branch(source)
