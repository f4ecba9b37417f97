"""The session of a scope, as the tools use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillbag.base.errors import UserError
from skillbag.personal.available import workspace_of
from skillbag.settings.scope import Scope, required_root

if TYPE_CHECKING:
    from skillbag.lifecycle.session import Session

ENTER_FIRST = "This session has not entered the workspace: call enter first, which tells what must be read before work."


class NotEnteredError(UserError):
    """The call needs a session that has entered the workspace."""


def has_entered(scope: Scope) -> bool:
    """Whether the session of the scope has entered its workspace."""
    from skillbag.lifecycle.state import read_state

    return bool(scope.root and scope.session and read_state(scope.root, scope.session))


def session_of(scope: Scope) -> Session:
    """The session, whether it has entered or not.

    Raises:
        NoWorkspaceError: there is no workspace.
    """
    from skillbag.lifecycle.session import Session

    return Session(workspace_of(required_root(scope)), scope.session)


def entered_session(scope: Scope) -> Session:
    """The session, which must have entered.

    Raises:
        NoWorkspaceError: there is no workspace.
        NotEnteredError: it has not entered.
    """
    session = session_of(scope)
    if not has_entered(scope):
        raise NotEnteredError(ENTER_FIRST)
    return session


def current_session(scope: Scope) -> Session:
    """The session if it has entered, else an anonymous one: everything works, and nothing is remembered.

    Raises:
        NoWorkspaceError: there is no workspace.
    """
    return session_of(scope if has_entered(scope) else scope._replace(session=None))
