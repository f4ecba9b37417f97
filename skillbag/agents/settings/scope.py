"""The scope of an agent: its workspace, the user's personal skills, its session."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from skillbag.kernel.base.errors import UserError

if TYPE_CHECKING:
    # For the type checker only: a hook runs before every call of a tool.
    from skillbag.kernel.transaction.locations import Notice


class Scope(NamedTuple):
    """Passed to every tool.

    `root` is the workspace's absolute root, None outside of any. `personal` is the absolute folder of the user's
    personal skills, which need not exist. `user`: this is a user's own session; others neither see nor change personal
    skills. `problem`: why the personal root is unknown, if the settings can't be read; everything else works.
    `own`: the user's settings or environment name the personal root; the active skills in another one are not trusted.
    `limited`: calls of tools are held to the `allowed-tools` of all skills in use, until the use of each ends.
    """

    root: str | None
    personal: str | None
    session: str | None = None
    user: bool = True
    problem: str | None = None
    limited: bool = False
    own: bool = True


class NoFolderError(UserError):
    """The folder to work in does not exist."""


def scope_at(
    folder: str | os.PathLike[str],
    *,
    personal: str | None = None,
    session: str | None = None,
    user: bool = True,
    required: bool = False,
    notice: Notice | None = None,
) -> Scope:
    """The scope of an agent that works in `folder`; `personal` overrides the user's settings.

    An interrupted change of the workspace is completed first; `notice` gets a message about it.

    Raises:
        NoWorkspaceError: there is none, and it is `required`.
        NoFolderError: the folder does not exist.
        UserError: `personal`, a variable or the session's id can't be used.
        OSError: the interrupted change can't be completed now.
    """
    from skillbag.kernel.transaction.recovery import recover_around
    from skillbag.kernel.workspace.discovery import workspace_root

    absolute = _absolute(os.fspath(folder))
    recover_around([absolute], notice=notice)
    root = workspace_root(absolute) if required else root_around(absolute)
    return scope_in(root, personal, session, user)


def root_around(folder: str) -> str | None:
    """The root of the workspace around the absolute `folder`, if there is one."""
    from skillbag.kernel.workspace.discovery import NoWorkspaceError, workspace_root

    try:
        return workspace_root(folder)
    except NoWorkspaceError:
        return None


def hook_scope(folder: str, personal: str | None = None, session: str | None = None, user: bool = True) -> Scope:
    """As `scope_at` for the absolute `folder`, but without waiting for a writer of the workspace: a host ends a hook
    that waits, and goes on as if it had allowed the call.

    Raises:
        UserError: `personal`, a variable or the session's id can't be used.
    """
    return scope_in(root_around(folder), personal, session, user)


def scope_in(root: str | None, personal: str | None, session: str | None, user: bool) -> Scope:
    """As `scope_at`, in the workspace at `root`; settings that can't be read are its `problem`."""
    from skillbag.agents.settings.user_settings import personal_root
    from skillbag.kernel.documents.settings_file import BadSettingsError
    from skillbag.session.refresh.state import check_id

    if session is not None:
        check_id(session)
    try:
        return Scope(root, personal_root(personal), session, user)
    except BadSettingsError as error:
        return Scope(root, None, session, user, str(error))


def configured_personal(scope: Scope) -> str | None:
    """The personal root.

    Raises:
        UserError: the settings can't be read.
    """
    if scope.problem:
        raise UserError(scope.problem)
    return scope.personal


def required_root(scope: Scope) -> str:
    """The workspace's root.

    Raises:
        NoWorkspaceError: there is none.
    """
    if scope.root is None:
        from skillbag.kernel.workspace.discovery import NoWorkspaceError

        raise NoWorkspaceError("no workspace is here; the user can make one: skillbag init")
    return scope.root


def _absolute(folder: str) -> str:
    try:
        absolute = os.path.abspath(folder)
    except FileNotFoundError as error:
        raise OSError(error.errno, "the current folder is gone; change into an existing one", folder) from error
    except ValueError:
        raise NoFolderError(f"{folder!r}: no folder has such a name") from None
    if not folder or "\0" in folder or not os.path.isdir(absolute):
        raise NoFolderError(f"{folder!r}: there is no such folder to work in")
    return absolute
