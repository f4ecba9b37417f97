"""`skillbag runtime replay`: a trace, carried out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.options import combined
from skillbag.doors.cli.runtime_session import EXIT_FAILED, approve_option, approved, failure, runtime_options
from skillbag.doors.cli.workspaces import scope_from_options
from skillbag.kernel.base.name_lists import split_list
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.runtime.testing.replaying import Replayed

_REPLAY = """\b
Examples:
  skillbag runtime call find_todos '{"pattern": "*.md"}' --trace calls.jsonl
  skillbag runtime replay calls.jsonl
  skillbag runtime replay calls.jsonl --skills ./find-todos --json

\b
The calls and hooks of the trace are run by the skills as they are now, each with its input and the answers of the host
from the trace. Nothing else is called. A secret that is masked in the trace equals anything.
Exit codes: 0 the same, 1 different, 2 the file is no trace, or a skill of it is not found, 4 the environment failed.
"""


@click.command("replay", cls=CliCommand, epilog=_REPLAY)
@click.argument("trace", type=click.Path())
@combined(approve_option, runtime_options)
def replay(trace: str, skills: tuple[str, ...], approve: tuple[str, ...], as_json: bool, **reach: Any) -> None:
    """Run what a TRACE holds again, up to the first difference."""
    from skillbag.agents.hosts.active_skills import runtime_request
    from skillbag.runtime.discovery.discovery import discover
    from skillbag.runtime.testing.replaying import replay as run
    from skillbag.runtime.testing.trace_file import read_trace

    with answering("runtime replay", as_json=as_json, on_error=failure) as say:
        names, events = approved(approve), read_trace(trace)
        request = runtime_request(scope_from_options(**_scope(reach)), skills=split_list(skills))
        say(_answer(trace, run(events, discover(request.discovery).skills, names)))


def _scope(reach: dict[str, Any]) -> dict[str, Any]:
    return {name: reach[name] for name in ("folder", "personal", "session", "session_type")}


def _answer(trace: str, replayed: Replayed) -> CommandOutput:
    from skillbag.report.runtime_testing import ReplayJson, replay_lines

    text = "".join(f"{line}\n" for line in replay_lines(replayed, trace))
    notes = "".join(f"Note: {shown(note)}\n" for note in replayed.notes)
    return CommandOutput(ReplayJson(*replayed), text, EXIT_FAILED if replayed.deviation else 0, notes)
