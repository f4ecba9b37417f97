"""The state of the runtime: session, limits, sandbox, database (skill runtime, sections 5 and 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.manifest.names import Permission
from skillbag.kernel.processes.confinement import Held
from skillbag.report.answers.types import Count, Text
from skillbag.report.summary import counted
from skillbag.report.views import facts_view
from skillbag.runtime.triggers.settings import Sandbox


class UsedJson(NamedTuple):
    """Operations of a skill in this turn."""

    skill: Text
    permission: Permission
    number: Count


class CountsJson(NamedTuple):
    """Numbers of skills by what became of them."""

    found: Count
    hidden: Count
    unusable: Count
    blocked: Count


class StatusJson(NamedTuple):
    """The state of the runtime."""

    workspace: str | None
    personal: Annotated[str | None, "The folder of personal skills."]
    session: str | None
    turn: Annotated[Count, "Turns of the session so far."]
    counts: Annotated[CountsJson, "Numbers of skills."]
    active: Annotated[tuple[Text, ...], "The skills that are active in the session."]
    used: Annotated[tuple[UsedJson, ...], "Operations of the last turn."]
    limits: Annotated[
        Mapping[Permission, Annotated[int | None, fits(minimum=0)]],
        "Operations of a turn by permission: 0 allows none, null any number.",
    ]
    sandbox: Sandbox
    held: Annotated[Held, "What this system can hold a skill's process to."]
    database: Annotated[Text, "Its absolute path."]
    bytes: Annotated[int | None, fits(minimum=0), "Its size; null if there is none yet."]
    completes: Annotated[bool, "Whether skills can call a language model."]


def status_text(status: StatusJson) -> str:
    """The state, a line for each subject."""
    return facts_view(_facts(status))


def _facts(status: StatusJson) -> Iterator[tuple[str, str]]:
    yield "Workspace", status.workspace or "none"
    yield "Personal skills", status.personal or "none"
    yield "Session", f"{status.session}, {counted(status.turn, 'turn')}" if status.session else "none"
    yield "Skills", ", ".join(f"{number} {name}" for name, number in status.counts._asdict().items())
    yield "Active", ", ".join(status.active) or "none"
    used = (f"{each.skill} {each.permission} {each.number}{_of(status, each.permission)}" for each in status.used)
    yield "Used in this turn", ", ".join(used) or "nothing"
    yield "Limits of a turn", ", ".join(f"{name} {_limit(limit)}" for name, limit in sorted(status.limits.items()))
    held = (f"{name} {'held' if is_held else 'not held'}" for name, is_held in status.held._asdict().items())
    yield "Sandbox", f"{status.sandbox}: {', '.join(held)}"
    yield "Language model", "runtime.llm.command of the settings" if status.completes else "none"
    yield "Database", f"{status.database} ({_size(status.bytes)})"


def _of(status: StatusJson, permission: Permission) -> str:
    limit = status.limits.get(permission)
    return "" if limit is None else f"/{limit}"


def _limit(limit: int | None) -> str:
    return "unlimited" if limit is None else str(limit)


def _size(size: int | None) -> str:
    return "not made yet" if size is None else f"{size:,} bytes"
