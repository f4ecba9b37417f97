"""`skillbag agent link` and `skillbag agent unlink`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.messages import note_shown
from skillbag.doors.cli.options import dry_run_option, json_option, workspace_option
from skillbag.doors.cli.workspaces import absolute_folder, root_at
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import ABSENT
from skillbag.kernel.base.name_lists import split_list
from skillbag.kernel.workspace.agents import known_agents
from skillbag.kernel.workspace.discovery import enclosing_root
from skillbag.report.columns import table
from skillbag.report.sanitize import shown
from skillbag.supply.links import commands
from skillbag.supply.links.machine import DETECTED
from skillbag.supply.links.outcome import LinkAct, LinkOutcome

if TYPE_CHECKING:
    from skillbag.supply.links.machine import AgentRow

_LINK_EXAMPLES = """\b
Examples:
  skillbag agent link --list                    all agents, their folders, and which are found here
  skillbag agent link --agents claude,cursor    .claude/skills/ and .agents/skills/ show .skills/
  skillbag agent link --agents detected         for the agents that are found here; all for all
  skillbag agent link                           after skills came or went
  skillbag agent link --agents codex --copy     copies, where links can't be made
  skillbag agent link --user --agents claude    ~/.claude/skills/ shows your personal skills
  skillbag agent link --dry-run

\b
Links are recorded in skillbag.lock, those of --user with your state; skillbag agent unlink removes only them.
Exit codes: 0 done, 1 something else stands in the place of a link, or a skill has
an invalid name, 2 bad usage, 4 the environment failed.
"""
_UNLINK_EXAMPLES = """\b
Examples:
  skillbag agent unlink                     all links
  skillbag agent unlink --agents cursor
  skillbag agent unlink --user              the links to your personal skills
"""
_agents = click.option("--agents", default="", metavar="NAMES", help="Names from --list, detected, or all.")
_user = click.option("--user", is_flag=True, help="Your personal skills, in the folders that agents have for you.")


@click.command("link", cls=CliCommand, epilog=_LINK_EXAMPLES)
@_agents
@_user
@click.option("--copy/--no-copy", default=None, help="Make copies instead of links.")
@click.option("--list", "show", is_flag=True, help="Show all agents and their folders, and link nothing.")
@dry_run_option
@workspace_option
@json_option
def link(agents: str, user: bool, copy: bool | None, show: bool, dry_run: bool, folder: str, as_json: bool) -> None:
    """Link the skills of .skills/ into the folders where other agents look for them."""
    with answering("link", as_json=as_json) as say:
        if show:
            say(_list(folder, split_list([agents])))
            return
        if user:
            say(_link_user(split_list([agents]), copy, dry_run))
            return
        say(_answer(commands.link(root_at(folder), split_list([agents]), copy=copy, dry_run=dry_run)))


@click.command("unlink", cls=CliCommand, epilog=_UNLINK_EXAMPLES)
@_agents
@_user
@dry_run_option
@workspace_option
@json_option
def unlink(agents: str, user: bool, dry_run: bool, folder: str, as_json: bool) -> None:
    """Remove the links that skillbag agent link created, for these agents or for all."""
    with answering("unlink", as_json=as_json) as say:
        if user:
            from skillbag.supply.links.user_links import unlink_user

            say(_answer(unlink_user(split_list([agents]), dry_run=dry_run)))
            return
        say(_answer(commands.unlink(root_at(folder), split_list([agents]), dry_run=dry_run)))


def _list(folder: str, words: Iterable[str]) -> CommandOutput:
    """The agents of these words, or all, with their folders."""
    from skillbag.supply.links.machine import AgentList, agent_rows

    here = absolute_folder(folder)
    rows = agent_rows(enclosing_root(here) or here)
    words = tuple(words)
    named = known_agents(word for word in words if word.lower() != DETECTED)
    if words:
        rows = tuple(row for row in rows if row.name in named or (row.found and len(named) < len(words)))
    lines = table((row.name, row.title, f"{row.folder}/", _status(row)) for row in rows) if rows else ["None is found."]
    return CommandOutput(AgentList(rows), "".join(f"{line}\n" for line in lines))


def _status(row: AgentRow) -> str:
    return ", ".join(word for word, holds in (("found here", row.found), ("linked", row.linked)) if holds)


def _link_user(words: Iterable[str], copy: bool | None, dry_run: bool) -> CommandOutput:
    from skillbag.agents.personal.skills import skill_folders
    from skillbag.agents.settings.user_settings import personal_root
    from skillbag.supply.links.user_links import link_user

    if copy:
        raise UserError("--user makes links only: leave out --copy")
    root = personal_root()
    return _answer(link_user(root or "", skill_folders(root, note_shown), words, dry_run=dry_run))


def _answer(outcome: LinkOutcome) -> CommandOutput:
    notes = () if outcome.notes is ABSENT else outcome.notes
    text = _text(outcome) + "".join(f"note: {shown(note)}\n" for note in notes)
    return CommandOutput(outcome, text, int(any(row.act is LinkAct.LEFT for row in outcome.links)))


def _text(outcome: LinkOutcome) -> str:
    lines = [
        f"{row.act.value:<8} {shown(row.path)}{f'  ({row.why})' if row.why else ''}"
        for row in outcome.links
        if row.act is not LinkAct.KEPT
    ]
    kept = sum(row.act is LinkAct.KEPT for row in outcome.links)
    lines.append(f"{kept} as they were." if kept else "" if lines else "Nothing to do.")
    if outcome.dry_run:
        lines.append("Nothing was written: this was a dry run.")
    return "".join(f"{line}\n" for line in lines if line)
