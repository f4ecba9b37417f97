"""Where this program keeps what is the user's own and no workspace's: caches, states such as locks, and settings."""

from __future__ import annotations

import os
import sys

from skillbag.base.errors import UserError

CACHE_VARIABLE = "SKILLBAG_CACHE_DIR"
STATE_VARIABLE = "SKILLBAG_STATE_DIR"
CONFIG_VARIABLE = "SKILLBAG_CONFIG_DIR"
_NAME = "skillbag"


def cache_folder() -> str:
    """The absolute folder of what can be fetched again; it may not exist yet.

    Raises:
        UserError: the variable that names it holds no absolute path.
    """
    if named := _named(CACHE_VARIABLE):
        return named
    if base := _of_linux("XDG_CACHE_HOME", ".cache"):
        return os.path.join(base, _NAME)
    import platformdirs

    return platformdirs.user_cache_dir(_NAME, appauthor=False)


def compiled_folder() -> str:
    """The absolute folder in which Python keeps what it compiles for scripts of skills. Raises as `cache_folder`."""
    return os.path.join(cache_folder(), "compiled")


def state_folder() -> str:
    """The absolute folder of what is remembered between runs; it may not exist yet. Raises as `cache_folder`."""
    if named := _named(STATE_VARIABLE):
        return named
    if base := _of_linux("XDG_STATE_HOME", os.path.join(".local", "state")):
        return os.path.join(base, _NAME)
    import platformdirs

    return platformdirs.user_state_dir(_NAME, appauthor=False)


def config_folder() -> str:
    """The absolute folder of what the user has set; it may not exist yet. Raises as `cache_folder`."""
    if named := _named(CONFIG_VARIABLE):
        return named
    if base := _of_linux("XDG_CONFIG_HOME", ".config"):
        return os.path.join(base, _NAME)
    import platformdirs

    return platformdirs.user_config_dir(_NAME, appauthor=False)


def _of_linux(variable: str, below_home: str) -> str | None:
    """What platformdirs answers on Linux: its import alone would take longer than a whole refresh does."""
    if not sys.platform.startswith("linux") or "ANDROID_ROOT" in os.environ:
        return None
    named = os.environ.get(variable, "").strip()
    base = named or os.path.join(os.path.expanduser("~"), below_home)
    return base if os.path.isabs(base) else None


def _named(variable: str) -> str | None:
    named = os.environ.get(variable)
    if named and not os.path.isabs(named):
        # It would be another folder for each folder that a command is called from, and lie in the workspace at that.
        raise UserError(f"{variable}: {named!r} is no absolute path; give one, or take the variable away")
    return named and os.path.normpath(named)
