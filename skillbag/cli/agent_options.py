"""What `tool`, `mcp` and `plugin` share: the options that say what an agent can reach."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from skillbag.base.errors import UserError

if TYPE_CHECKING:
    from skillbag.settings.scope import Scope

WORKSPACE = "SKILLBAG_WORKSPACE"
SESSION_TYPE = "SKILLBAG_SESSION_TYPE"

_OPTIONS = (
    click.option(
        "--workspace",
        "folder",
        metavar="DIR",
        envvar=WORKSPACE,
        default=".",
        help="The agent's working folder.  [env var: SKILLBAG_WORKSPACE; default: the current one]",
    ),
    click.option(
        "--personal",
        metavar="DIR",
        help="The folder of personal skills.  [env var: SKILLBAG_PERSONAL_DIR; default: the user's settings]",
    ),
    click.option(
        "--session", metavar="ID", envvar="SKILLBAG_SESSION", help="The session's id.  [env var: SKILLBAG_SESSION]"
    ),
    click.option(
        "--session-type",
        type=click.Choice(["user", "other"]),
        envvar=SESSION_TYPE,
        show_envvar=True,
        default="user",
        show_default=True,
        help="Only sessions of a user have personal skills.",
    ),
)


def scope_options(command: Callable[..., None]) -> Callable[..., None]:
    """What says what an agent can reach: `folder`, `personal`, `session` and `session_type`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def scope_of(folder: str, personal: str | None, session: str | None, session_type: str) -> Scope:
    """The scope that the options ask for. Raises as `scope_at`."""
    from skillbag.cli.recovery import report_recovery
    from skillbag.settings.scope import NoFolderError, scope_at

    named = absolute_folder(personal) if personal else personal
    try:
        return scope_at(folder, personal=named, session=session, user=session_type == "user", notice=report_recovery)
    except NoFolderError as error:
        if os.environ.get(WORKSPACE) != folder:
            raise
        raise NoFolderError(f"{WORKSPACE}: {error}") from None


def absolute_folder(folder: str) -> str:
    """What a person names counts from the folder that they are in.

    Raises:
        UserError: it is no name of a folder.
        OSError: the folder that they are in is gone.
    """
    if not folder:
        raise UserError("a folder without a name is none; name one")
    try:
        return os.path.abspath(os.path.expanduser(folder))
    except FileNotFoundError as error:
        raise OSError(error.errno, "the current folder is gone; change into one that is there", folder) from error


def options_before(context: click.Context) -> dict[str, Any]:
    """What was given before the command's name: options of its own as well, unless it was given them once more.

    Raises:
        click.UsageError: the command takes no such option.
    """
    group = context.parent
    given = _typed(group, group.command.params) if group else {}
    own = _typed(context, context.command.params)
    for name, option in given.items():
        if name not in {one.name for one in context.command.params if isinstance(one, click.Option)}:
            raise click.UsageError(f"{option.opts[0]} is nothing that {context.command_path} takes.", context)
    return {name: group.params[name] for name in given if name not in own} if group else {}


def _typed(context: click.Context, options: list[click.Parameter]) -> dict[str, click.Parameter]:
    """The options that stand on the command line, by what they are called here."""
    typed = click.core.ParameterSource.COMMANDLINE
    return {one.name: one for one in options if one.name and context.get_parameter_source(one.name) is typed}
