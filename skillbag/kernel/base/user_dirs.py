"""The user's own folders, outside of any workspace: caches, state such as locks, and settings."""

from __future__ import annotations

import errno
import os
import sys

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.ownership import is_own_folder

CACHE_VARIABLE = "SKILLBAG_CACHE_DIR"
STATE_VARIABLE = "SKILLBAG_STATE_DIR"
CONFIG_VARIABLE = "SKILLBAG_CONFIG_DIR"
_NAME = "skillbag"


def cache_folder() -> str:
    """The absolute folder of caches; it may not exist yet.

    Raises:
        UserError: the variable that names it holds no absolute path.
        PermissionError: another user may have written there.
    """
    return _own(named_cache_folder(), CACHE_VARIABLE)


def named_cache_folder() -> str:
    """As `cache_folder`, without the check of who may have written there."""
    return _folder(CACHE_VARIABLE, "cache", ".cache")


def compiled_folder() -> str:
    """The absolute folder of the bytecode of skills' scripts. Raises as `cache_folder`."""
    return os.path.join(cache_folder(), "compiled")


def state_folder() -> str:
    """The absolute folder of state between runs; it may not exist yet. Raises as `cache_folder`."""
    return _own(named_state_folder(), STATE_VARIABLE)


def named_state_folder() -> str:
    """As `state_folder`, without the check of who may have written there."""
    return _folder(STATE_VARIABLE, "state", os.path.join(".local", "state"))


def config_folder() -> str:
    """The absolute folder of the user's settings; it may not exist yet. Raises as `cache_folder`."""
    return _folder(CONFIG_VARIABLE, "config", ".config")


def _own(folder: str, variable: str) -> str:
    if is_own_folder(folder):
        return folder
    message = f"another user may have written here, so nothing in it is used; remove it, or set {variable} to a folder"
    raise PermissionError(errno.EPERM, f"{message} of your own", folder)


def _folder(variable: str, purpose: str, below_home: str) -> str:
    if named := os.environ.get(variable):
        if os.path.isabs(named):
            return os.path.normpath(named)
        # A relative path would lie in the workspace, and differ for each working directory.
        raise UserError(f"{variable}: {named!r} is not an absolute path; set one, or unset the variable")
    if sys.platform.startswith("linux") and "ANDROID_ROOT" not in os.environ:
        # As platformdirs, whose import takes longer than a whole refresh.
        base = os.environ.get(f"XDG_{purpose.upper()}_HOME", "").strip()
        base = base or os.path.join(os.path.expanduser("~"), below_home)
        if os.path.isabs(base):
            return os.path.join(base, _NAME)
    import platformdirs

    return str(getattr(platformdirs, f"user_{purpose}_dir")(_NAME, appauthor=False))
