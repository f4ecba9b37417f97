"""`skillbag session resolve`, `run`, `order` and `winner`: which skills run, in which order, and with which inputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.exit_codes import EXIT_QUESTION
from skillbag.doors.cli.inputs import read_inputs
from skillbag.doors.cli.messages import lowered, note
from skillbag.doors.cli.options import (
    allow_option,
    common_options,
    inputs_option,
    prohibit_option,
    session_option,
    set_option,
    without_option,
)
from skillbag.doors.cli.workspaces import session_at, skills_home_at
from skillbag.kernel.workspace.target import SKILL_ROOT

if TYPE_CHECKING:
    from skillbag.kernel.base.json_records import JsonRecord

_EXITS = """
Exit codes: 0 {done}, 2 bad usage or a malformed file, 3 something must be asked first, 4 the environment failed.
"""
_RESOLVE = """\b
Examples:
  skillbag session resolve convert-to-pdf
  skillbag session resolve convert-to-pdf --set input-path=docs/a.md --set 'formats=[pdf, html]'
  skillbag session resolve convert-to-pdf --prohibit format=docx    even if CONTEXT.md sets it
  skillbag session resolve publish --set confirm=publish            the user has agreed
"""
_RUN = """\b
Examples:
  skillbag run convert_to_pdf
  skillbag run convert_to_pdf --set input-path=docs/a.md --session s1
  skillbag run convert_to_pdf --incomplete        although declared skills are not installed
  skillbag run deploy_site --allow deploy-site    although USER_CONTEXT.md prohibits it
  skillbag run fill_pdf --source owner/repo
"""
_ORDER = """\b
Examples:
  skillbag session order                                  what runs before every response
  skillbag session order convert-to-pdf review-text       and these two, chosen for this one
  skillbag session order convert_to_pdf --without sign-off
  skillbag session order deploy-site --allow deploy-site  although USER_CONTEXT.md prohibits it
  skillbag session order --session s1 --json              with the reasons
"""
_WINNER = """\b
Examples:
  skillbag session winner format-black format-ruff
  skillbag session winner format-black format-ruff --prefer format-ruff    what the conversation says
  skillbag session winner format-black format-ruff --json                  with the rules that it hides
"""


@click.command("resolve", cls=CliCommand, epilog=_RESOLVE + _EXITS.format(done="it can run"))
@click.argument("skill")
@set_option
@prohibit_option
@inputs_option
@session_option
@common_options
def resolve(
    skill: str, source: str | None, session: str | None, folder: str, as_json: bool, trace: bool, **says: Any
) -> None:
    """Resolve the inputs of SKILL: print each value, where it is set, what it hides, and what must be asked."""
    from skillbag.report.inputs import resolution_text

    with answering("resolve", as_json=as_json, trace=trace) as say:
        found = session_at(folder, session).resolve(skill, read_inputs(source), **says)
        code = 0 if found.ready else EXIT_QUESTION
        if as_json:
            from skillbag.report.answers.inputs import ResolveJson

            say(CommandOutput(ResolveJson.of(found), "", code))
        else:
            say(CommandOutput((), resolution_text(found), code))


@click.command("run", cls=CliCommand, epilog=_RUN + _EXITS.format(done="it can run"))
@click.argument("identifier", metavar="SKILL")
@set_option
@prohibit_option
@inputs_option
@click.option("--incomplete", is_flag=True, help="Run even if declared skills are not installed.")
@allow_option
@click.option(
    "--accept",
    "accept",
    multiple=True,
    metavar="RULE",
    help="Accept errors of this rule about security in this skill, as it is now: on a terminal only.",
)
@click.option("--source", "address", metavar="ADDRESS", help="Run a skill of this source, without installing it.")
@session_option
@common_options
def run(
    identifier: str,
    source: str | None,
    address: str | None,
    session: str | None,
    folder: str,
    as_json: bool,
    trace: bool,
    accept: tuple[str, ...],
    **says: Any,
) -> None:
    """Print the instructions of a skill, with effective parameters, supporting files and companions.

    If something must be asked first, print the questions instead and exit with 3.
    """
    from skillbag.report.invocation import invocation_text
    from skillbag.report.lifecycle_parts import pending_line
    from skillbag.report.order import left_out_lines

    with answering("run", as_json=as_json, trace=trace) as say:
        _check_accepted(accept)
        values = read_inputs(source)
        address = address or _folder_of_agents(folder)
        if address is None:
            found = session_at(folder, session).run(identifier, values, accept=accept, **says)
        else:
            from skillbag.doors.cli.run_source import run_from_source

            found = run_from_source(address, identifier, folder, values, accept=accept, **says)
        invocation, pending, left_out = found
        _echo([] if as_json else left_out_lines(left_out))
        records: Sequence[JsonRecord] = ()
        if as_json:
            from skillbag.report.answers.runs import run_json

            records = run_json(invocation, session, pending)
        parts = filter(None, [invocation_text(invocation, session), pending_line(pending)])
        say(CommandOutput(records, "\n\n".join(parts) + "\n", 0 if invocation.ready else EXIT_QUESTION))


def _folder_of_agents(folder: str) -> str | None:
    """The skills that agents find around a folder without a workspace. Raises as `root_at`."""
    root, home = skills_home_at(folder)
    return None if home == SKILL_ROOT else os.path.relpath(f"{root}/{home}")


def _check_accepted(rules: tuple[str, ...]) -> None:
    """Raises UserError if one is no rule about security, or nobody is here who could accept it."""
    if rules:
        from skillbag.doors.cli.person import check_person
        from skillbag.supply.install.accepted import check_acceptable

        check_acceptable(rules)
        check_person("--accept counts on a terminal only")


@click.command("order", cls=CliCommand, epilog=_ORDER + _EXITS.format(done="done"))
@click.argument("skills", nargs=-1, metavar="[SKILL]...")
@without_option
@allow_option
@session_option
@common_options
def order(skills: tuple[str, ...], session: str | None, folder: str, as_json: bool, trace: bool, **says: Any) -> None:
    """Print the skills to run before a response, one per line: #run/always, chosen ones, #run/last; companions first.

    If a context file prohibits a chosen skill, print a question instead and exit with 3.
    """
    from skillbag.report.lifecycle_parts import pending_line, question_lines
    from skillbag.report.order import left_out_lines, order_text

    with answering("order", as_json=as_json, trace=trace) as say:
        steps, pending, questions, left_out, _ = session_at(folder, session).order(skills, **says)
        # Standard output has the names alone.
        nothing = "" if steps.turns or questions else "No skill has to run before the response"
        _echo([] if as_json else [pending_line(pending), *left_out_lines(left_out), nothing])
        values: Sequence[JsonRecord] = ()
        if as_json:
            from skillbag.report.answers.order import response_json

            values = response_json(steps, questions, session, pending)
        text = "".join(f"{line}\n" for line in question_lines(questions)) or order_text(steps)
        say(CommandOutput(values, text, EXIT_QUESTION if questions else 0))


@click.command("winner", cls=CliCommand, epilog=_WINNER + _EXITS.format(done="one wins"))
@click.argument("skills", nargs=-1, metavar="SKILL SKILL...")
@click.option("--prefer", "preferred", metavar="SKILL", help="The skill that the user prefers in this conversation.")
@session_option
@common_options
def winner(
    skills: tuple[str, ...], preferred: str | None, session: str | None, folder: str, as_json: bool, trace: bool
) -> None:
    """Decide between skills that contradict each other: by conversation, user rule, project rule, else by name."""
    from skillbag.report.order import winner_text

    with answering("winner", as_json=as_json, trace=trace) as say:
        verdict = session_at(folder, session).winner(*skills, preferred=preferred)
        code = EXIT_QUESTION if verdict.question else 0
        if as_json:
            from skillbag.report.answers.order import WinnerJson

            say(CommandOutput(WinnerJson.of(verdict), "", code))
        else:
            say(CommandOutput((), winner_text(verdict), code))


def _echo(lines: Iterable[str]) -> None:
    for line in filter(None, lines):
        note(lowered(line))
