"""`skillbag doctor`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.doctor_facts import PROBLEM, DoctorFact, DoctorJson, facts
from skillbag.doors.cli.options import json_option
from skillbag.doors.cli.output_style import colored
from skillbag.doors.cli.streams import safe
from skillbag.report.columns import paint

_STYLES = {"ok": "good", "note": "note", "problem": "error"}
_EXAMPLES = """\b
Examples:
  skillbag doctor
  skillbag doctor --json

Exit codes: 0 nothing is broken, 1 something is.
"""


@click.command("doctor", cls=CliCommand, epilog=_EXAMPLES)
@json_option
def command(as_json: bool) -> None:
    """Show what skillbag works with here, and why: Python, extras, git, caches, settings, the workspace, the
    configuration, variables, agents, the sandbox and the terminal. Nothing is changed, and no secret is shown."""
    with answering("doctor", as_json=as_json) as say:
        found = [fact._replace(found=safe(fact.found), todo=safe(fact.todo)) for fact in facts(os.getcwd())]
        broken = any(fact.status == PROBLEM for fact in found)
        say(CommandOutput(DoctorJson(tuple(found)), _text(found), int(broken)))


def _text(found: Iterable[DoctorFact]) -> str:
    color = colored(sys.stdout)
    lines = []
    for fact in found:
        lines.append(f"{paint(f'{fact.status:<7}', _STYLES[fact.status], color)}  {fact.subject}: {fact.found}")
        if fact.todo:
            lines.append(f"         {fact.todo}")
    return "".join(f"{line}\n" for line in lines)
