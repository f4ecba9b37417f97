"""Where `skillbag plugin install` puts the plugin, and what it serves there."""

from __future__ import annotations

import os

from skillbag.base.errors import UserError
from skillbag.base.lazy_regex import late
from skillbag.cli.agent_options import absolute_folder

_REFERENCE = late(r"[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9-]*")
"""A skill as the marketplace names it: `owner/name`."""


def fixed_options(folder: str | None, personal: str | None, session_type: str | None) -> list[str]:
    """The options that the plugin serves with, wherever its host works.

    Raises:
        UserError: there is no workspace around the folder.
    """
    options = []
    if folder is not None:
        from skillbag.settings.scope import scope_at

        scope_at(absolute_folder(folder), required=True)
        options.append(f"--workspace={absolute_folder(folder)}")
    if personal is not None:
        options.append(f"--personal={absolute_folder(personal)}")
    if session_type is not None:
        options.append(f"--session-type={session_type}")
    return options


def plugins_folder(given: str) -> str:
    """The absolute folder; a skill that somebody means to install is none.

    Raises:
        UserError: it looks like one.
    """
    folder = absolute_folder(given)
    if _REFERENCE().fullmatch(given) and not os.path.isdir(os.path.dirname(folder)):
        told = f"a skill is installed by skillbag marketplace install {given}; for a new folder write ./{given}"
        raise UserError(f"{given}: there is no such folder for plugins; {told}")
    return folder
