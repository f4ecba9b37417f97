"""What `tool`, `mcp` and `plugin` share: the options that say what an agent can reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from skillbag.agent.scope import Scope

_OPTIONS = (
    click.option(
        "--workspace",
        "folder",
        metavar="DIR",
        envvar="SKILLBAG_WORKSPACE",
        default=".",
        help="The agent works in this folder.  [env: SKILLBAG_WORKSPACE; default: this one]",
    ),
    click.option(
        "--personal",
        metavar="DIR",
        help="The user's personal skills.  [env: SKILLBAG_PERSONAL_DIR; default: the user's settings]",
    ),
    click.option("--session", metavar="ID", envvar="SKILLBAG_SESSION", help="The session.  [env: SKILLBAG_SESSION]"),
    click.option(
        "--session-type",
        type=click.Choice(["user", "other"]),
        envvar="SKILLBAG_SESSION_TYPE",
        default="user",
        help="Personal skills are for sessions of a user alone.  [env: SKILLBAG_SESSION_TYPE; default: user]",
    ),
)


def scope_options(command: Callable[..., None]) -> Callable[..., None]:
    """What says what an agent can reach: `folder`, `personal`, `session` and `session_type`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def scope_of(folder: str, personal: str | None, session: str | None, session_type: str) -> Scope:
    """The scope that the options ask for. Raises as `scope_at`."""
    from skillbag.agent.scope import scope_at
    from skillbag.cli.recovering import tell

    return scope_at(folder, personal=personal, session=session, user=session_type == "user", notice=tell)
