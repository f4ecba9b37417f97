"""`skillbag install`, `skillbag add` and `skillbag update`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from skillbag.cli.outcomes import finish, json_option, offline_option, progress, root_of, workspace_option
from skillbag.install.outcome import Outcome, Trouble

_DEFAULT_WAIT = 60.0

_SHARED = (
    click.argument("names", nargs=-1, metavar="[NAME]..."),
    click.option("--version", metavar="VERSION", help="Tag, branch or commit.  [default: head of the default branch]"),
    click.option("--optional", is_flag=True, help="Optional dependencies too."),
    offline_option,
    click.option("--dry-run", is_flag=True, help="Show the plan; write nothing."),
    click.option("--yes", "-y", is_flag=True, help="Accept the plan (never extra steps, never overwriting)."),
    click.option("--accept-steps", is_flag=True, help="Agree to the extra installation steps of sources."),
    click.option("--overwrite", multiple=True, metavar="NAME", help="Let local edits of this skill go; a copy stays."),
    click.option("--merge", multiple=True, metavar="NAME", help="Join local edits of this skill with the new version."),
    click.option("--markers", is_flag=True, help="With --merge: leave conflict markers where both sides changed."),
    click.option("--wait", type=click.FloatRange(0), default=_DEFAULT_WAIT, help="Seconds to wait for another writer."),
    workspace_option,
    json_option,
)
_SOURCE = click.option(
    "--source", metavar="ADDRESS", help="A git repository, a zip over HTTP(S) or on the disk, or a folder."
)


def _with(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


_INSTALL_EXAMPLES = """\b
Examples:
  skillbag install                                    what CONTEXT.md declares
  skillbag install lint-docs --source https://example.com/Org/skills.git --version v1.2
  skillbag install --all --source ../our-skills       everything that a folder offers
  skillbag install --frozen                           just what skillbag.lock says, as CI wants it
  skillbag install --upgrade --dry-run                what an update would change
"""


@click.command("install", epilog=_INSTALL_EXAMPLES)
@_with(*_SHARED[:1], _SOURCE, *_SHARED[1:])
@click.option("--all", "everything", is_flag=True, help="With --source: every skill that it offers.")
@click.option("--upgrade", is_flag=True, help="Look for newer versions of what is installed.")
@click.option("--frozen", is_flag=True, help="Install just what skillbag.lock says; fail where anything has drifted.")
def install(**options: Any) -> None:
    """Install what CONTEXT.md declares, then the skills that are named, with all that they depend on.

    Every source is verified before anything is written; whatever fails, the workspace stays as it was. Skills that are
    there stay; local edits are never overwritten unless --overwrite names the skill.
    """
    _run("install", **options)


_ADD_EXAMPLES = """\b
Examples:
  skillbag add lint-docs --source git@example.com:Org/skills.git --version v1.2
  skillbag add lint-docs translate-page --source ../our-skills
"""


@click.command("add", epilog=_ADD_EXAMPLES)
@_with(*_SHARED[:1], _SOURCE, *_SHARED[1:])
def add(**options: Any) -> None:
    """Install skills and declare them in CONTEXT.md, all in one; its comments and other text stay as they are."""
    if not options["names"]:
        raise click.UsageError("name the skills to add; skillbag list --source ADDRESS shows what a source offers.")
    _run("add", declare=True, **options)


_UPDATE_EXAMPLES = """\b
Examples:
  skillbag update                      everything that is locked
  skillbag update lint-docs --yes      one skill, without a question
  skillbag update --dry-run            what it would change
"""


@click.command("update", epilog=_UPDATE_EXAMPLES)
@_with(*_SHARED)
def update(**options: Any) -> None:
    """Look for newer versions of the installed skills (or of those named) and install them: install --upgrade."""
    _run("update", upgrade=True, **options)


def _run(
    command: str,
    *,
    names: tuple[str, ...],
    offline: bool,
    overwrite: tuple[str, ...],
    merge: tuple[str, ...],
    folder: str,
    as_json: bool,
    **options: Any,
) -> NoReturn:
    from skillbag.install.fetch import Fetcher
    from skillbag.install.installing import Asker, Request, install_into

    if options["markers"] and not merge:
        raise click.UsageError("--markers goes with --merge NAME.")
    request = Request(command, names, overwrite=frozenset(overwrite), merge=frozenset(merge), **options)

    def work() -> Outcome:
        root = root_of(folder)
        with progress(as_json) as tell:
            fetcher = Fetcher(offline=offline, progress=tell)
            waiting = _tell_waiting if not as_json else _silent
            asker = Asker(not as_json and _is_terminal(), _ask_plan, _ask_steps, waiting)
            return install_into(root, request, fetcher, asker)

    finish(command, as_json, work)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _silent() -> None:
    pass


def _tell_waiting() -> None:
    click.echo("skillbag: another skillbag is writing here; waiting for it to end", err=True)


def _ask_plan(outcome: Outcome) -> bool:
    from skillbag.report.outcome_text import render_text

    click.echo(render_text(outcome, planned=True), nl=False, err=True)
    return click.confirm("Go ahead?", err=True)


def _ask_steps(trouble: Trouble) -> bool:
    from skillbag.report.shown import shown, shown_page

    click.echo(f"{shown(trouble.source)}: {trouble.message}\n", err=True)
    click.echo(shown_page(trouble.text) + "\n", err=True)
    return click.confirm("Agree to these steps? Nothing of them is executed here.", err=True)
