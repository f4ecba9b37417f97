"""Declarations and requests that have drifted from the lock, as problems."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.standard.declarations import Declaration, Level, Place
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.target import CONTEXT
from skillbag.supply.install.outcome import Problem, ProblemKind
from skillbag.supply.install.request_set import RequestSet
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.address import without_credentials
from skillbag.supply.sources.source import source_key


def drifted(state: InstalledState, requests: RequestSet) -> Iterator[Problem]:
    """Declarations and requests that the lock does not meet, and locked declarations that were removed."""
    declared = {}
    for wanted in state.declarations.dependencies:
        override = state.declarations.overrides.get(wanted.name)
        source = (override and override.source) or wanted.source
        version = (override and override.version) or wanted.version
        declared[wanted.name] = wanted._replace(source=source, version=version)
        yield from _drift(state, declared[wanted.name], Level.CONTEXT)
    for name, locked in sorted(state.lock.skills.items()):
        if CONTEXT in locked.asked_by and name not in declared:
            message = f"{name}: locked as a dependency of {CONTEXT}, which does not declare it any more"
            yield Problem(ProblemKind.DRIFT, message, fix=_UPDATE)
    for wanted, level in requests.listed:
        yield from _drift(state, wanted, level)
    for request in requests.skills:
        wanted = Declaration(request.name, request.source, request.version, True, Place("", 0))
        yield from _drift(state, wanted, Level.CONVERSATION)


def _drift(state: InstalledState, wanted: Declaration, level: Level) -> Iterator[Problem]:
    reason = _differs(state, wanted.name, wanted.source, wanted.version)
    if reason and not (level is not Level.CONVERSATION and state.declarations.prohibits(wanted.name, level)):
        message, (path, line) = f"{wanted.name}: {reason}", wanted.place
        yield Problem(ProblemKind.DRIFT, message, path=path, line=line, fix=_UPDATE)


def _differs(state: InstalledState, name: str, source: str | None, version: str | None) -> str:
    locked = state.locked(name)
    if locked is None:
        return f"it is wanted, but {LOCK} does not know it"
    if source is not None and source_key(state.source(source)) != source_key(state.source_of(name)):
        return f"declared from {without_credentials(source)}, locked from {locked.source}"
    if version not in (None, locked.requested, locked.resolved):
        return f"declared at {version}, locked at {locked.requested or 'no version'}"
    return ""


_UPDATE = (
    "If the declaration is right, skillbag install takes what is not there yet and skillbag update the rest; then "
    f"commit {LOCK}. Else restore the one that is wrong."
)
