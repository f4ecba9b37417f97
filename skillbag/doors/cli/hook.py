"""`skillbag agent hook`: the hook that holds the skill in use to its `allowed-tools`."""

from __future__ import annotations

import os
from collections.abc import Callable

import click

from skillbag.doors.cli.answers import CliCommand, CliGroup, CommandOutput, answering
from skillbag.doors.cli.options import dry_run_option, json_option
from skillbag.doors.cli.person import check_person
from skillbag.kernel.workspace.discovery import enclosing_root
from skillbag.report.answers.commands import HookFileJson
from skillbag.report.sanitize import shown
from skillbag.supply.bootstrap.limit_hook import SETTINGS, HookChange, apply, plan_install, plan_uninstall

_EXAMPLES = """\b
Examples:
  skillbag agent hook install                    in .claude/settings.json, for everybody who works in this project
  skillbag agent hook install --scope local      for you in this project: .claude/settings.local.json
  skillbag agent hook install --scope user       for you in every project: ~/.claude/settings.json
  skillbag agent hook uninstall

\b
From the call of a skill with allowed-tools to your next message, Claude Code is denied the calls that its list
does not allow. Without a skill in use, or without a list, nothing is decided.
Exit codes: 0 done, 2 bad usage or settings of an unknown shape, 3 a person must decide, 4 the environment failed.
"""

_host = click.option(
    "--host", type=click.Choice(["claude-code"]), default="claude-code", show_default=True, help="The agent."
)
_scope = click.option(
    "--scope",
    type=click.Choice(list(SETTINGS)),
    default="project",
    show_default=True,
    help="Whose settings: of the project, your own in it, or yours everywhere.",
)


@click.group("hook", cls=CliGroup, epilog=_EXAMPLES)
def command() -> None:
    """Deny an agent the calls that the skill in use does not allow."""


@command.command("install", cls=CliCommand)
@_host
@_scope
@click.option("--required", is_flag=True, help="Block all calls where the hook can't run, as without skillbag.")
@dry_run_option
@json_option
def install(host: str, scope: str, required: bool, dry_run: bool, as_json: bool) -> None:
    """Add the hook to the settings of Claude Code. Every other byte of the file stays.

    A second run changes nothing.
    """
    _change("hook install", scope, lambda root, path: plan_install(root, path, required=required), dry_run, as_json)


@command.command("uninstall", cls=CliCommand)
@_host
@_scope
@dry_run_option
@json_option
def uninstall(host: str, scope: str, dry_run: bool, as_json: bool) -> None:
    """Remove the hook from the settings of Claude Code, and nothing else."""
    _change("hook uninstall", scope, plan_uninstall, dry_run, as_json)


@command.command("run", cls=CliCommand, hidden=True)
@_host
@json_option
def run(host: str, as_json: bool) -> None:
    """Answer an event of the agent, from standard input to standard output, always in the agent's JSON."""
    from skillbag.doors.cli.limit_event import answer_limits

    answer_limits()


def _change(name: str, scope: str, plan: Callable[[str, str], HookChange], dry_run: bool, as_json: bool) -> None:
    with answering(name, as_json=as_json) as say:
        here = os.getcwd()
        root = os.path.expanduser("~") if scope == "user" else enclosing_root(here) or here
        change = plan(root, SETTINGS[scope])
        if not dry_run:
            if change.status == "removed":
                check_person(f"removing the hook from {shown(change.path)}, which denies calls")
            apply(change, root)
        values = HookFileJson(change.path, change.status, dry_run)
        note = "Nothing was written: this was a dry run.\n" if dry_run else ""
        say(CommandOutput(values, f"{change.status}: {shown(change.path)}\n{note}"))
