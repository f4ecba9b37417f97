"""The workspace that a command works in: what a killed process left in it is completed first, and reported."""

from __future__ import annotations

import os

from skillbag.doors.cli.messages import note_shown
from skillbag.kernel.base.errors import UserError, current_folder_gone
from skillbag.kernel.transaction.recovery import recover_around
from skillbag.kernel.workspace.discovery import workspace_root
from skillbag.kernel.workspace.target import TargetKind, installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.agents.settings.scope import Scope
    from skillbag.kernel.workspace.model import Workspace
    from skillbag.session.session import Session


def recovered(path: str) -> str:
    """The absolute `path` itself, once every workspace that it may belong to is whole.

    Raises:
        OSError: one can't be made whole now; the message says why and what to do (exit code 4).
    """
    recover_around([path], notice=note_shown)
    return path


def root_at(folder: str) -> str:
    """The root of the workspace around `folder`, whole.

    Raises:
        UserError: there is no such folder, or no workspace around it.
        OSError: the current folder is gone, or the workspace can't be made whole now.
    """
    return workspace_root(recovered(_present(folder)))


def _present(folder: str) -> str:
    if not folder or not os.path.isdir(folder):
        raise UserError(f"--workspace {folder!r}: there is no such folder")
    return absolute(folder)


def skills_root_at(folder: str, *, make: bool = False) -> str:
    """The root of the workspace around `folder`, else of the project whose agents have skills there, whole.

    With `make` one can begin here. Raises as `root_at`.
    """
    return skills_home_at(folder, make=make)[0]


def skills_home_at(folder: str, *, make: bool = False) -> tuple[str, str]:
    """The same root, and the folder of skills in it (relative, with `/`). Raises as `root_at`."""
    from skillbag.kernel.workspace.skills_home import skills_folder, skills_root

    root = skills_root(recovered(_present(folder)), make=make)
    return root, skills_folder(root)


def workspace_at(folder: str) -> Workspace:
    """The workspace around `folder`, read lazily. Raises as `root_at`."""
    from skillbag.kernel.workspace.model import Workspace

    return Workspace(installed(TargetKind.WORKSPACE, root_at(folder)))


def session_at(folder: str, session: str | None = None) -> Session:
    """The session of that name, if any, in the workspace around `folder`. Raises as `root_at`."""
    from skillbag.session.session import Session

    return Session(workspace_at(folder), session)


def scope_from_options(folder: str, personal: str | None, session: str | None, session_type: str) -> Scope:
    """The scope that `options.scope_options` ask for. Raises as `scope_at`."""
    from skillbag.agents.settings.scope import NoFolderError, scope_at, scope_in
    from skillbag.doors.cli.options import WORKSPACE

    named = absolute_folder(personal) if personal else personal
    try:
        scope = scope_at(folder, personal=named, session=session, user=session_type == "user", notice=note_shown)
        if not named:
            return scope
        usual = scope_in(scope.root, None, session, True).personal
        # An agent may name any folder here.
        return scope._replace(own=usual is not None and os.path.realpath(usual) == os.path.realpath(named))
    except NoFolderError as error:
        if os.environ.get(WORKSPACE) != folder:
            raise
        raise NoFolderError(f"{WORKSPACE}: {error}") from None


def absolute_folder(folder: str) -> str:
    """The absolute path of a folder that a user names, from the current one; `~` is the home folder.

    Raises:
        UserError: the name is empty.
        OSError: the current folder is gone.
    """
    if not folder:
        raise UserError("the name of a folder is empty; give one")
    return absolute(os.path.expanduser(folder))


def absolute(folder: str) -> str:
    """The absolute path of a folder, from the current one.

    Raises:
        OSError: the current folder is gone.
    """
    try:
        return os.path.abspath(folder)
    except FileNotFoundError as error:
        raise current_folder_gone(error) from error
