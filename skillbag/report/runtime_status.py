"""The state of the runtime: session, limits, sandbox, database (skill runtime, sections 5 and 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from skillbag.kernel.manifest.names import Permission
from skillbag.kernel.processes.confinement import Held
from skillbag.report.encoding import json_object
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted
from skillbag.runtime.broker.limits import PerTurn
from skillbag.runtime.triggers.settings import Sandbox


class Used(NamedTuple):
    """Operations of a skill in this turn."""

    skill: str
    permission: Permission
    number: int


class RuntimeStatus(NamedTuple):
    """The state. `counts` are numbers of skills by what became of them. `bytes` is the size of the database, None if
    there is none yet. `completes`: whether skills can call a language model."""

    workspace: str | None
    personal: str | None
    session: str | None
    turn: int
    counts: Mapping[str, int]
    active: tuple[str, ...]
    used: tuple[Used, ...]
    limits: PerTurn
    sandbox: Sandbox
    held: Held
    database: str
    bytes: int | None
    completes: bool


def status_values(status: RuntimeStatus) -> dict[str, Any]:
    """The state as JSON; a limit of null is none at all."""
    own = status._asdict() | {"limits": {str(name): limit for name, limit in status.limits.items()}}
    return json_object(**own)


def status_text(status: RuntimeStatus) -> str:
    """The state, a line for each subject."""
    return "".join(f"{name}: {shown(text)}\n" for name, text in _facts(status))


def _facts(status: RuntimeStatus) -> Iterator[tuple[str, str]]:
    yield "Workspace", status.workspace or "none"
    yield "Personal skills", status.personal or "none"
    yield "Session", f"{status.session}, {counted(status.turn, 'turn')}" if status.session else "none"
    yield "Skills", ", ".join(f"{number} {name}" for name, number in status.counts.items())
    yield "Active", ", ".join(status.active) or "none"
    used = (f"{each.skill} {each.permission} {each.number}{_of(status, each.permission)}" for each in status.used)
    yield "Used in this turn", ", ".join(used) or "nothing"
    yield "Limits of a turn", ", ".join(f"{name} {_limit(limit)}" for name, limit in sorted(status.limits.items()))
    held = (f"{name} {'held' if is_held else 'not held'}" for name, is_held in status.held._asdict().items())
    yield "Sandbox", f"{status.sandbox}: {', '.join(held)}"
    yield "Language model", "runtime.llm.command of the settings" if status.completes else "none"
    yield "Database", f"{status.database} ({_size(status.bytes)})"


def _of(status: RuntimeStatus, permission: Permission) -> str:
    limit = status.limits.get(permission)
    return "" if limit is None else f"/{limit}"


def _limit(limit: int | None) -> str:
    return "unlimited" if limit is None else str(limit)


def _size(size: int | None) -> str:
    return "not made yet" if size is None else f"{size:,} bytes"
