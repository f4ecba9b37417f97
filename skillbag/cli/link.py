"""`skillbag link` and `skillbag unlink`."""

from __future__ import annotations

import click

from skillbag.cli.answers import Answer, Command, answering
from skillbag.cli.check_options import split_list
from skillbag.cli.options import dry_run_option, json_option, workspace_option
from skillbag.cli.workspaces import root_at
from skillbag.links import commands
from skillbag.links.commands import LinkOutcome
from skillbag.links.reconcile import LinkAct
from skillbag.report.encoding import json_object

_LINK_EXAMPLES = """\b
Examples:
  skillbag link --agents claude,cursor    .claude/skills/ and .agents/skills/ show .skills/
  skillbag link                           after skills came or went
  skillbag link --agents codex --copy     copies, where links can't be made
  skillbag link --dry-run

\b
Links are recorded in skillbag.lock; skillbag unlink removes them and nothing else.
Exit codes: 0 done, 1 something else stands in the place of a link, 2 bad usage, 4 the environment failed.
"""
_UNLINK_EXAMPLES = """\b
Examples:
  skillbag unlink                     all links
  skillbag unlink --agents cursor
"""
_agents = click.option("--agents", default="", metavar="NAMES", help="claude, codex, cursor, copilot, gemini.")


@click.command("link", cls=Command, epilog=_LINK_EXAMPLES)
@_agents
@click.option("--copy/--no-copy", default=None, help="Make copies instead of links.")
@dry_run_option
@workspace_option
@json_option
def link(agents: str, copy: bool | None, dry_run: bool, folder: str, as_json: bool) -> None:
    """Link the skills of .skills/ into the folders where other agents look for them."""
    with answering("link", as_json=as_json) as say:
        say(_answer(commands.link(root_at(folder), split_list([agents]), copy=copy, dry_run=dry_run)))


@click.command("unlink", cls=Command, epilog=_UNLINK_EXAMPLES)
@_agents
@dry_run_option
@workspace_option
@json_option
def unlink(agents: str, dry_run: bool, folder: str, as_json: bool) -> None:
    """Remove the links that skillbag link created, for these agents or for all."""
    with answering("unlink", as_json=as_json) as say:
        say(_answer(commands.unlink(root_at(folder), split_list([agents]), dry_run=dry_run)))


def _answer(outcome: LinkOutcome) -> Answer:
    values = json_object(root=outcome.root, agents=outcome.agents, dry_run=outcome.dry_run, links=outcome.rows)
    return Answer(values, _text(outcome), int(any(row.act is LinkAct.LEFT for row in outcome.rows)))


def _text(outcome: LinkOutcome) -> str:
    lines = [
        f"{row.act.value:<8} {row.path}{f'  ({row.why})' if row.why else ''}"
        for row in outcome.rows
        if row.act is not LinkAct.KEPT
    ]
    kept = sum(row.act is LinkAct.KEPT for row in outcome.rows)
    lines.append(f"{kept} as they were." if kept else "" if lines else "Nothing to do.")
    if outcome.dry_run:
        lines.append("Nothing was written: this was a dry run.")
    return "".join(f"{line}\n" for line in lines if line)
