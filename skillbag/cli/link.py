"""`skillbag link` and `skillbag unlink`."""

from __future__ import annotations

from collections.abc import Callable

import click

from skillbag.cli.lifecycle import Answer, Command, answer, json_option, root_at
from skillbag.links.commands import LinkOutcome
from skillbag.links.reconcile import LinkAct

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
_folder = click.option(
    "--workspace",
    "folder",
    type=click.Path(file_okay=False),
    default=".",
    help="The workspace, or a folder in it.  [default: the current folder]",
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")


@click.command("link", cls=Command, epilog=_LINK_EXAMPLES)
@_agents
@click.option("--copy/--no-copy", default=None, help="Make copies instead of links.")
@_dry_run
@_folder
@json_option
def link(agents: str, copy: bool | None, dry_run: bool, folder: str, as_json: bool) -> None:
    """Link the skills of .skills/ into the folders where other agents look for them."""
    from skillbag.links import commands

    _tell("link", lambda: commands.link(root_at(folder), _names(agents), copy=copy, dry_run=dry_run), as_json)


@click.command("unlink", cls=Command, epilog=_UNLINK_EXAMPLES)
@_agents
@_dry_run
@_folder
@json_option
def unlink(agents: str, dry_run: bool, folder: str, as_json: bool) -> None:
    """Remove the links that skillbag link created, for these agents or for all."""
    from skillbag.links import commands

    _tell("unlink", lambda: commands.unlink(root_at(folder), _names(agents), dry_run=dry_run), as_json)


def _names(agents: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in agents.split(",") if name.strip())


def _tell(command: str, work: Callable[[], LinkOutcome], as_json: bool) -> None:
    def done() -> Answer:
        outcome = work()
        return Answer(_values(outcome), _text(outcome), 1 if outcome.left else 0)

    answer(command, done, as_json=as_json)


def _values(outcome: LinkOutcome) -> dict[str, object]:
    rows = [{"path": row.path, "skill": row.skill, "act": row.act.value, "why": row.why} for row in outcome.rows]
    return {"root": outcome.root, "agents": list(outcome.agents), "dry_run": outcome.dry_run, "links": rows}


def _text(outcome: LinkOutcome) -> str:
    lines = [_line(row.act, row.path, row.why) for row in outcome.rows if row.act is not LinkAct.KEPT]
    kept = sum(row.act is LinkAct.KEPT for row in outcome.rows)
    lines.append(f"{kept} as they were." if kept else "" if lines else "Nothing to do.")
    if outcome.dry_run:
        lines.append("Nothing was written: this was a dry run.")
    return "".join(f"{line}\n" for line in lines if line)


def _line(act: LinkAct, path: str, why: str) -> str:
    return f"{act.value:<8} {path}{f'  ({why})' if why else ''}"
