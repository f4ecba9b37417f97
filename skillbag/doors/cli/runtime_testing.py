"""`skillbag runtime test`: the test cases of active skills."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.exit_codes import EXIT_USAGE
from skillbag.doors.cli.messages import messages
from skillbag.doors.cli.options import combined, json_option, scope_options
from skillbag.doors.cli.runtime_recording import recorded
from skillbag.doors.cli.runtime_session import EXIT_FAILED, approve_option, approved, failure, runtime_options
from skillbag.doors.cli.streams import write, write_report
from skillbag.doors.cli.workspaces import scope_from_options
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import split_list
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.report.runtime.testing import Tested
    from skillbag.runtime.activation.request import RuntimeRequest
    from skillbag.runtime.skill import FoundSkill
    from skillbag.runtime.testing.replaying import Replayed

_TEST = """\b
Examples:
  skillbag runtime test
  skillbag runtime test kubernetes -k namespace
  skillbag runtime test ./my-skill --junit report.xml
  skillbag runtime test kubernetes --record -k namespace
  skillbag runtime test kubernetes --record-call kubectl_get '{"resource": "pods"}'

\b
Cases are in tests/*.yaml of a skill. Each runs in a folder of its own, with answers of the host from the case. Only
when they are recorded, programs run and the network is reached, as far as you allow the skill.
Exit codes: 0 all passed, 1 a case failed, 2 a file of cases is wrong or there are none, 3 the user must be asked
something first, 4 the environment failed.
"""


@click.command("test", cls=CliCommand, epilog=_TEST)
@click.argument("targets", nargs=-1, metavar="[NAME|PATH]...")
@click.option(
    "-k", "pattern", default="", metavar="TEXT", help="Only cases with this in `SKILL: NAME`; * is a wildcard."
)
@click.option("--junit", "junit_file", metavar="FILE", help="Write the results as JUnit XML, too.")
@click.option("--record", is_flag=True, help="Call the host for real, and write its answers into the cases.")
@click.option("--record-call", "call", nargs=2, metavar="TOOL JSON", help="Call a tool for real, and write a new case.")
@combined(approve_option, scope_options, json_option)
def test(
    targets: tuple[str, ...],
    pattern: str,
    junit_file: str | None,
    record: bool,
    call: tuple[str, str] | None,
    approve: tuple[str, ...],
    as_json: bool,
    **reach: Any,
) -> None:
    """Run the test cases of skills.

    Without arguments, those of all skills of the workspace.
    """
    from skillbag.report.options import base_on_host
    from skillbag.report.runtime.testing import junit

    if record and call:
        raise click.UsageError("Give one of --record and --record-call.")
    with answering("runtime test", as_json=as_json, on_error=failure) as say:
        if record or call:
            say(recorded(_skills(_request(**reach), targets), pattern, call, as_json=as_json, approve=approve, **reach))
            return
        tested = _run(_skills(_request(**reach), targets), pattern, approved(approve), as_json=as_json)
        if junit_file is not None:
            write_report(junit_file, "".join(junit(tested, base_on_host(os.getcwd()))))
        say(_answer(tested))


def _request(skills: Iterable[str] = (), **reach: Any) -> RuntimeRequest:
    from skillbag.agents.hosts.active_skills import runtime_request

    return runtime_request(scope_from_options(**reach), skills=split_list(skills))


def _skills(request: RuntimeRequest, targets: Iterable[str]) -> tuple[FoundSkill, ...]:
    """The skills that are named, or those of the workspace.

    Raises:
        UserError: one is not found, or its manifest can't be used.
    """
    from skillbag.kernel.manifest.names import MANIFEST_FILE
    from skillbag.runtime.discovery.discovery import discover
    from skillbag.runtime.skill import SkillSource

    words = [f"./{word}" if os.path.isdir(word) and os.sep not in word else word for word in targets]
    if not words and os.path.isfile(MANIFEST_FILE):
        words = ["./"]
    found = discover(request.discovery._replace(inline=tuple(words)))
    if words:
        return tuple(skill for skill in found.skills if skill.inline)
    for bad in found.faults:
        if bad.source is SkillSource.PROJECT:
            fault = bad.faults[0]
            raise UserError(f"{bad.file}:{fault.line}:{fault.column}: {fault.message}")
    return tuple(skill for skill in found.skills if skill.source is SkillSource.PROJECT)


def _run(skills: Iterable[FoundSkill], pattern: str, approved: Iterable[str], *, as_json: bool) -> Tested:
    """Run the cases; each is reported when it has ended, unless JSON is wanted."""
    from skillbag.report.runtime.testing import Tested, case_lines
    from skillbag.runtime.testing.suite import cases_of, not_reached, run_all

    start = time.monotonic()
    with_cases = tuple(each for each in map(cases_of, skills) if each.files)
    results = []
    for ran in run_all(with_cases, pattern, frozenset(approved)):
        results.append(ran)
        if not as_json:
            write("".join(f"{line}\n" for line in case_lines(ran, os.getcwd())), sys.stdout)
    # Of some cases alone, it is no news that others reach more.
    missing = {} if pattern else not_reached(with_cases, results)
    return Tested(with_cases, tuple(results), missing, time.monotonic() - start)


def _answer(tested: Tested) -> CommandOutput:
    from skillbag.report.runtime.testing import closing_lines, fault_lines

    faults = list(fault_lines(tested, os.getcwd()))
    if not tested.results and not faults:
        faults = ["there are no such cases; write them into tests/*.yaml of a skill"]
    code = EXIT_USAGE if faults else EXIT_FAILED if tested.failed else 0
    text = "".join(f"{line}\n" for line in closing_lines(tested))
    return CommandOutput(tested.json(os.getcwd(), "\n".join(faults)), text, code, messages("error", faults))


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
    from skillbag.runtime.discovery.discovery import discover
    from skillbag.runtime.testing.replaying import replay as run
    from skillbag.runtime.testing.trace_file import read_trace

    with answering("runtime replay", as_json=as_json, on_error=failure) as say:
        names, events = approved(approve), read_trace(trace)
        found = discover(_request(skills, **reach).discovery).skills
        say(_replayed(trace, run(events, found, names)))


def _replayed(trace: str, replayed: Replayed) -> CommandOutput:
    from skillbag.report.runtime.testing import ReplayJson, replay_lines

    text = "".join(f"{line}\n" for line in replay_lines(replayed, trace))
    notes = "".join(f"Note: {shown(note)}\n" for note in replayed.notes)
    return CommandOutput(ReplayJson(*replayed), text, EXIT_FAILED if replayed.deviation else 0, notes)
