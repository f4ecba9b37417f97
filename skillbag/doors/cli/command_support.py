"""What the commands about installed skills share: names of skills, and the report of an outcome."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from skillbag.doors.cli.answers import CommandOutput, answering
from skillbag.doors.cli.messages import message, note
from skillbag.doors.cli.output_style import colored
from skillbag.doors.cli.streams import columns
from skillbag.kernel.base.errors import UserError, format_error, next_step
from skillbag.kernel.transaction.locations import CleanUpError, RecoveryError
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind

if TYPE_CHECKING:
    from skillbag.report.folding import Look


def check_names(names: Iterable[str], instead: str) -> None:
    """Refuse an address in the place of a name: what a hurried user writes first. `instead` is what to do.

    It may hold a secret, so it is not repeated.

    Raises:
        UserError: one of the names is an address or a path.
    """
    if any(mark in name for name in names for mark in "/\\:@"):
        raise UserError(f"an address or a path stands where the name of a skill belongs; {instead}")


@contextmanager
def reporting(command: str, *, as_json: bool) -> Iterator[Callable[[Outcome], None]]:
    """As `answering`, for an outcome: the links for other agents are updated, then it is printed.

    Errors become problems of an outcome: with `--json` all, else those of the environment that left the old state.
    """

    def on_error(error: UserError | OSError) -> CommandOutput | None:
        kind = ProblemKind.ENVIRONMENT if isinstance(error, OSError) else ProblemKind.USAGE
        # The two errors say themselves that the state is not the old one.
        if not as_json and isinstance(error, UserError | CleanUpError | RecoveryError):
            return None
        step = next_step(error) if isinstance(error, OSError) else ""
        problem = Problem(kind, format_error(error), fix=step)
        return outcome_answer(Outcome(command, problems=(problem,)), as_json=as_json)

    with answering(command, as_json=as_json, on_error=on_error) as say:
        yield lambda outcome: say(outcome_answer(_with_links(outcome), as_json=as_json))


def outcome_answer(outcome: Outcome, *, as_json: bool) -> CommandOutput:
    """An outcome in the form that is asked for."""
    if as_json:
        from skillbag.report.outcome import OutcomeJson

        return CommandOutput(OutcomeJson.of(outcome), "", outcome.exit)
    from skillbag.report.outcome_text import render_problems, render_remark, render_text

    planned = outcome.is_planned and not outcome.dry_run
    problems = render_problems(outcome, look_of(sys.stderr)) if outcome.problems else ""
    remark = render_remark(outcome)
    errors = problems + (message("note", remark) if remark else "")
    text = render_text(outcome, look_of(sys.stdout), planned=planned)
    return CommandOutput((), text, outcome.exit, errors)


def _with_links(outcome: Outcome) -> Outcome:
    # Most commands change nothing, and need not load this.
    if not outcome.changed:
        return outcome
    from skillbag.supply.links.commands import relinked

    return relinked(outcome)


def tell_waiting(as_json: bool) -> Callable[[], None]:
    """A function that says that another process must end first; it prints nothing where the output is for a program."""

    def tell() -> None:
        if not as_json:
            note("another skillbag is writing here; waiting for it to end")

    return tell


def look_of(stream: TextIO) -> Look:
    """How to write to a stream: as wide as its terminal and in colour, or plain into a file or a pipe."""
    from skillbag.report.folding import Look

    return Look(columns(stream), colored(stream))
