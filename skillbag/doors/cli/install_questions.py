"""What an installation asks its user: consent to a plan, steps and changed versions, and which skills of a source."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from skillbag.doors.cli.command_support import look_of, tell_waiting
from skillbag.doors.cli.progress import Progress
from skillbag.doors.cli.streams import columns
from skillbag.supply.install.outcome import Outcome, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillbag.supply.install.choice import Pick, SkillChoice
    from skillbag.supply.install.confirmation import Prompter


def prompter(as_json: bool, under_way: Progress) -> Prompter:
    """What asks for the user's consent during an installation."""
    from skillbag.doors.cli.person import is_present
    from skillbag.report.outcome_text import render_question, render_text
    from skillbag.supply.install.confirmation import Prompter

    look = look_of(sys.stderr)

    def ask(question: str, text: str) -> bool:
        with under_way.paused():
            click.echo(text, nl=False, err=True)
            return click.confirm(question, err=True)

    def plan(outcome: Outcome) -> bool:
        return ask("Go ahead?", render_text(outcome, look, planned=True))

    def steps(problem: Problem) -> bool:
        return ask("Agree to these steps? Nothing of them is executed here.", render_question(problem, look))

    def moved(problem: Problem) -> bool:
        return ask("Take what the version means now?", render_question(problem, look))

    def waiting() -> None:
        with under_way.paused():
            tell_waiting(as_json)()

    return Prompter(_is_present(as_json), plan, steps, moved, waiting, is_present())


def simple_prompter(as_json: bool, yes: bool) -> Prompter:
    """The same for a command that shows no progress; with `yes` nobody is asked."""
    from skillbag.doors.cli.person import is_present
    from skillbag.supply.install.confirmation import Prompter

    return Prompter(person=is_present()) if yes else prompter(as_json, Progress(lambda _line: None, nullcontext))


def _is_present(as_json: bool) -> bool:
    """Whether there is a user to ask."""
    # While progress is shown, `sys.stderr` is replaced by an object that may not know its terminal.
    return not as_json and sys.stdin.isatty() and sys.__stderr__ is not None and sys.__stderr__.isatty()


def picker(as_json: bool, under_way: Progress) -> Pick | None:
    """What lets the user pick from a list of skills; None without a user."""
    if not _is_present(as_json):
        return None
    from skillbag.doors.cli.picking import HOW, pick

    def picked(source: str, offers: Sequence[SkillChoice]) -> Sequence[str]:
        with under_way.paused():
            return pick(
                source,
                offers,
                columns(sys.stderr),
                lambda text: click.echo(text, nl=False, err=True),
                lambda: str(click.prompt(HOW, default="", show_default=False, err=True)),
            )

    return picked
