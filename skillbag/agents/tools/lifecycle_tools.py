"""`enter`, `refresh`, `resolve` and `remember`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from skillbag.agents.personal.available import Home, available_skill, workspace_of
from skillbag.agents.settings.scope import Scope, required_root
from skillbag.agents.tools.tool import ToolResult, built_in
from skillbag.kernel.base.call_input import CallInput, Json
from skillbag.kernel.base.errors import UserError
from skillbag.report.encoding import to_json

if TYPE_CHECKING:
    from skillbag.session.session import Session

ENTER_FIRST = "This session has not entered the workspace: call enter first; it names what must be read before work."


class NotEnteredError(UserError):
    """The call needs a session that has entered the workspace."""


def current_session(scope: Scope) -> Session:
    """The session if it has entered, else an anonymous one: everything works, and nothing is remembered.

    Raises:
        NoWorkspaceError: there is no workspace.
    """
    return _session(scope if _has_entered(scope) else scope._replace(session=None))


def _has_entered(scope: Scope) -> bool:
    from skillbag.session.refresh.state import read_state

    return bool(scope.root and scope.session and read_state(scope.root, scope.session))


def _session(scope: Scope) -> Session:
    """The session, whether it has entered or not."""
    from skillbag.session.session import Session

    return Session(workspace_of(required_root(scope)), scope.session)


def _enter(scope: Scope, again: bool = False) -> ToolResult:
    from skillbag.agents.tools.phrasing import TOOLS
    from skillbag.report.entry import entry_text

    report = _session(scope).enter(again=again)
    text = entry_text(report, TOOLS)
    if not scope.session:
        text += f"\nThe session is new; later calls belong to it with SKILLBAG_SESSION={report.session}.\n"
    return ToolResult(text, asks=not report.ready)


def _refresh(scope: Scope, skills: Iterable[str] = ()) -> ToolResult:
    from skillbag.report.refresh import refresh_text

    session = _session(scope)
    if not _has_entered(scope):
        raise NotEnteredError(ENTER_FIRST)
    return ToolResult(refresh_text(session.refresh(skills)))


def _resolve(scope: Scope, skill: str, inputs: CallInput | None = None, prohibits: Iterable[str] = ()) -> ToolResult:
    from skillbag.agents.personal.runs import resolve_personal
    from skillbag.agents.tools.phrasing import TOOLS
    from skillbag.report.answers.inputs import ResolveJson

    found = available_skill(scope, skill)
    if found.home is Home.PERSONAL:
        resolution = resolve_personal(found, scope.root, inputs, prohibits)
    else:
        resolution = current_session(scope).resolve(found.name, inputs, prohibits=prohibits)
    return ToolResult(to_json(ResolveJson.of(resolution, TOOLS)), asks=not resolution.ready)


def _remember(scope: Scope, name: str, value: Json, skill: str = "*", explicit: bool = False) -> ToolResult:
    from skillbag.report.answers.memory import RememberedJson
    from skillbag.session.remembering.remember import NotKeptError

    try:
        kept = _session(scope).remember(name, value, skill, explicit=explicit)
    except NotKeptError as error:
        # The message names the option of the command line.
        raise UserError(str(error).replace("--explicit", "`explicit`")) from None
    return ToolResult(to_json(RememberedJson.of(kept)))


ENTER = built_in("enter", _enter)
REFRESH = built_in("refresh", _refresh)
RESOLVE = built_in("resolve", _resolve)
REMEMBER = built_in("remember", _remember)
