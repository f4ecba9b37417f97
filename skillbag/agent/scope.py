"""What an agent can reach: the workspace around it, the user's personal skills, its session."""

from __future__ import annotations

from typing import NamedTuple


class Scope(NamedTuple):
    """Given to every tool.

    `root` is the workspace's absolute root, None outside of any. `personal` is the absolute folder of the user's
    personal skills, None where none is configured; it need not exist. `session` is the session's id. `user` says
    whether this is a user's own session: others neither see personal skills nor change them.
    """

    root: str | None
    personal: str | None
    session: str | None = None
    user: bool = True


def scope_at(
    folder: str, *, personal: str | None = None, session: str | None = None, user: bool = True, required: bool = False
) -> Scope:
    """The scope of an agent that works in `folder`; `personal` stands above the user's settings.

    A workspace that a killed process left half-changed is brought to an end first. With `required` there must be one.

    Raises:
        NoWorkspaceError: there is none, and it is required.
        UserError: the folder is not there, or the settings or the session's id can't be used.
        OSError: what was left can't be brought to an end now.
    """
    raise NotImplementedError
