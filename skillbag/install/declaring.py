"""`add` and `remove` in `CONTEXT.md`: the declarations of several skills as one change of the file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.documents.edit.change import FileChange
from skillbag.fs.read import overlay, read
from skillbag.install.declare import declare, undeclare
from skillbag.install.outcome import Problem, ProblemKind, StoppedError
from skillbag.install.plan import FileRewrite
from skillbag.install.requirements import SkillRequest
from skillbag.install.source_selection import source_key
from skillbag.install.state import InstalledState
from skillbag.sources.address import Source, SourceKind
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import FetchError
from skillbag.standard.declarations import Level
from skillbag.workspace.lock_file import LOCK
from skillbag.workspace.target import CONTEXT

UNVERSIONED = "latest"
"""What is declared for a zip or a folder without a version: `CONTEXT.md` wants one (clause context.shape)."""


class Declaration(NamedTuple):
    """`CONTEXT.md` as it will be, and the workspace as if it were so already.

    `assumed` are the skills whose declared version nobody gave: it is the name of the default branch.
    """

    file: FileRewrite
    state: InstalledState
    assumed: frozenset[str]


def declared_file(state: InstalledState, asks: Iterable[SkillRequest], fetcher: Fetcher) -> Declaration:
    """`CONTEXT.md` with a declaration of each skill: as asked, else as it is declared already, else as it is locked.

    Raises:
        UserError: it can't be edited safely, nothing is known of where a skill comes from, or it is prohibited.
        StoppedError: the name of a default branch can't be had.
    """
    step = _unchanged(state)
    sources, assumed = [], set()
    for request in asks:
        source, version = _origin(state, request)
        if version is None:
            version = _default_version(source, fetcher)
            assumed.add(request.name)
        with overlay(_as_overlay(state, step)):
            step = _followed(step, declare(state.root, request.name, source.declared, version))
        sources.append(source)
    return Declaration(step, _state_with(state, step, sources), frozenset(assumed))


def undeclared_file(state: InstalledState, names: Iterable[str]) -> FileRewrite:
    """`CONTEXT.md` without the names.

    Raises:
        UserError: it can't be edited safely.
    """
    step = _unchanged(state)
    for name in names:
        with overlay(_as_overlay(state, step)):
            step = _followed(step, undeclare(state.root, name))
    return step


def _unchanged(state: InstalledState) -> FileRewrite:
    raw = read(os.path.join(state.root, CONTEXT), state.root)
    return FileRewrite(CONTEXT, raw, raw) if isinstance(raw, bytes) else FileRewrite(CONTEXT, None, b"")


def _as_overlay(state: InstalledState, step: FileRewrite) -> dict[str, bytes]:
    return {} if step.after == (step.before or b"") else {os.path.join(state.root, CONTEXT): step.after}


def _followed(step: FileRewrite, change: FileChange | None) -> FileRewrite:
    return step if change is None else FileRewrite(CONTEXT, step.before, change.after)


def _state_with(state: InstalledState, step: FileRewrite, sources: Iterable[Source]) -> InstalledState:
    after = InstalledState(state.root)
    with overlay(_as_overlay(state, step)):
        _ = after.declarations
    for source in sources:
        # Credentials of the command line are not written down, and needed for the fetch all the same.
        after.sources[source.declared] = source
    return after


def _origin(state: InstalledState, request: SkillRequest) -> tuple[Source, str | None]:
    """The source to declare, and the version if one is known."""
    if prohibition := state.declarations.prohibits(request.name, Level.CONTEXT):
        raise UserError(
            f"{request.name}: {prohibition.place} prohibits what {CONTEXT} would declare; change that first"
        )
    known = _known(state, request.name)
    if known is None and request.source is None:
        raise UserError(f"{request.name}: nothing says where it comes from; --source ADDRESS does")
    if known is None or (request.source and source_key(known[0]) != source_key(state.source(request.source))):
        return state.source(request.source or ""), request.version
    if known[0].plain:
        raise UserError(
            f"{request.name}: it came from a repository of plain Agent Skills, for which {CONTEXT} has no word; "
            f"it stays in {LOCK}, and skillbag install installs it from there"
        )
    return state.source(request.source) if request.source else known[0], request.version or known[1]


def _known(state: InstalledState, name: str) -> tuple[Source, str | None] | None:
    """What is declared of a skill, else what is locked."""
    for wanted in reversed(state.declarations.dependencies):
        if wanted.name == name and wanted.source is not None:
            return state.source(wanted.source), wanted.version
    locked = state.locked(name)
    return None if locked is None else (state.source_of(name), locked.requested)


def _default_version(source: Source, fetcher: Fetcher) -> str:
    if source.kind is not SourceKind.GIT:
        return UNVERSIONED
    try:
        return fetcher.default_branch(source)
    except FetchError as error:
        raise StoppedError(Problem(ProblemKind.FETCH, error.reason, source=source.declared)) from error
