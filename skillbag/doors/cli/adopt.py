"""`skillbag adopt`."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

import click

from skillbag.doors.cli.answers import CliCommand
from skillbag.doors.cli.command_support import reporting
from skillbag.doors.cli.install_questions import prompter
from skillbag.doors.cli.options import dry_run_option, json_option, offline_option, wait_seconds, workspace_option
from skillbag.doors.cli.progress import progress
from skillbag.doors.cli.workspaces import skills_root_at
from skillbag.supply.adopt.adopt import AdoptRequest
from skillbag.supply.adopt.adopt import adopt as adopt_skills
from skillbag.supply.sources.fetch import Fetcher

_EXAMPLES = """\b
Examples:
  skillbag adopt --dry-run               what is known of each skill
  skillbag adopt                         write skillbag.lock
  skillbag adopt --source Org/skills     where skills may be from that no file names

Exit codes: 0 done, 1 errors of security or a file that can't be read, 2 bad usage, 3 declined, 4 a fetch or the disk
failed.
"""


@click.command("adopt", cls=CliCommand, epilog=_EXAMPLES)
@click.option("--source", "sources", multiple=True, metavar="ADDRESS", help="Look for skills here too. Repeatable.")
@click.option("--ignore", "ignored", multiple=True, metavar="FILE", help="Don't read this file. Repeatable.")
@click.option("--declare", is_flag=True, help="Declare the skills in CONTEXT.md of the workspace as well.")
@click.option(
    "--accept",
    "accept_rules",
    multiple=True,
    metavar="RULE",
    help="Adopt skills with errors of this rule about security, and record that. Repeatable.",
)
@offline_option
@dry_run_option
@click.option("--yes", "-y", is_flag=True, help="Accept the plan without a question.")
@workspace_option
@json_option
def adopt(accept_rules: tuple[str, ...], offline: bool, folder: str, as_json: bool, **options: Any) -> None:
    """Put skills that other programs installed into skillbag.lock, each with its source and version.

    Reads the files of npx skills, apm, dotagents, agr and Claude Code, and the skills in the folders of agents. Where
    no file says the version, it is found by content. No other file is changed, and no skill.
    """
    with reporting("adopt", as_json=as_json) as report:
        request = AdoptRequest(accept_rules=frozenset(accept_rules), wait=wait_seconds(), **options)
        root = skills_root_at(folder, make=True)
        with progress(as_json) as under_way, closing(Fetcher(offline=offline, progress=under_way.tell)) as fetcher:
            outcome = adopt_skills(root, request, fetcher, prompter(as_json, under_way))
        report(replace(outcome, notes=(*outcome.notes, *fetcher.remarks)))
