"""The user's own settings, beyond any workspace: the personal root, and the sources of the marketplace."""

from __future__ import annotations

from typing import NamedTuple

PERSONAL_VARIABLE = "SKILLBAG_PERSONAL_DIR"
"""The environment variable that stands above the settings; empty for no personal root at all."""


class MarketSource(NamedTuple):
    """A source of the marketplace. `name` is unique and a skill's name by its pattern; `address` as `skillbag install`
    takes it (absolute where it is a path); `version` a tag, branch or commit, if any."""

    name: str
    address: str
    version: str | None = None


class UserSettings(NamedTuple):
    """`personal_root` is absolute, None where the file does not say."""

    personal_root: str | None = None
    sources: tuple[MarketSource, ...] = ()


def settings_path() -> str:
    """The absolute path of the file; it need not exist."""
    raise NotImplementedError


def read_user_settings() -> UserSettings:
    """What the file says; nothing where there is none.

    Raises:
        UserError: it can't be read or is malformed: file, line, what to do.
    """
    raise NotImplementedError


def write_user_settings(settings: UserSettings) -> None:
    """Write the file, atomically, keeping what else stands in it.

    Raises:
        OSError: it can't be written.
    """
    raise NotImplementedError


def personal_root(given: str | None = None) -> str | None:
    """The absolute personal root: `given`, else the variable, else the settings, else `~/.agents/skills`.

    Raises:
        UserError: what is given is not absolute (after `~` is expanded).
    """
    raise NotImplementedError
