"""`skillbag turn` without click, which takes as long to import as a turn: it runs before every response."""

from __future__ import annotations

import sys

from skillbag.doors.cli.exit_codes import EXIT_QUESTION
from skillbag.doors.cli.streams import write
from skillbag.doors.cli.workspaces import root_at
from skillbag.session.entry.turn import take_turn
from skillbag.session.entry.turn_report import TurnReport, TurnRequest
from skillbag.session.refresh.state import check_id, new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.doors.cli.fast_args import TurnOptions


def session_id(session: str | None) -> str:
    """The id of the session, or a new one. Raises UserError if it is not allowed."""
    return check_id(session) if session else new_id()


def text_of(report: TurnReport, most_prose: int | None = None) -> str:
    """The text; empty where nothing changed and nothing was chosen."""
    if report.order is None:
        return ""
    from skillbag.report.turn import turn_text

    return turn_text(report, most_prose)


def print_turn(options: TurnOptions) -> int:
    """Print the text of a turn in the current folder; whether something must be asked is the exit code.

    Raises:
        UserError, OSError: as `Session.turn`.
    """
    codes: list[int] = []

    def deliver(report: TurnReport) -> None:
        codes.append(EXIT_QUESTION if report.questions else 0)
        if not write(text_of(report), sys.stdout):
            # It was not read, so it does not count as delivered.
            sys.exit(codes[-1])

    take_turn(root_at("."), session_id(options.session), TurnRequest(options.skills, options.says), deliver)
    return codes[-1]
