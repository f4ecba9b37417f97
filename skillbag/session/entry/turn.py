"""What an agent does before a response, in one step: what changed, what runs, and the texts that it lacks."""

from __future__ import annotations

from collections.abc import Callable

from skillbag.session.entry.turn_report import TurnReport, TurnRequest
from skillbag.session.refresh.refresh import Refresh, refresh_session, workspace_in
from skillbag.session.refresh.state import SessionState, changing, read_state, write_state

Deliver = Callable[[TurnReport], object]


def take_turn(root: str, session: str, request: TurnRequest, deliver: Deliver) -> TurnReport:
    """As `Session.turn`: enter where the session has not, compare, report, and record what was handed out."""
    before = read_state(root, session)
    report, after = _turn(root, session, before, request)
    if after == before:
        deliver(report)
        return report
    with changing(root, session):
        now = read_state(root, session)
        if now != before:
            report, after = _turn(root, session, now, request)
        deliver(report)
        write_state(after)
    return report


def _turn(
    root: str, session: str, before: SessionState | None, request: TurnRequest
) -> tuple[TurnReport, SessionState]:
    found, after = refresh_session(root, before) if before else (Refresh(session), None)
    if before and before.is_settled and found.is_nothing and request.is_plain:
        return TurnReport(session, None, found), before
    from skillbag.session.entry.turn_plan import plan_turn

    return plan_turn(workspace_in(root), TurnReport(session, None, found), after, request)
