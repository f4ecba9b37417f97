"""Where this program keeps what is the user's own and belongs to no workspace: caches, and states such as locks."""

from __future__ import annotations

import os

CACHE_VARIABLE = "SKILLBAG_CACHE_DIR"
STATE_VARIABLE = "SKILLBAG_STATE_DIR"
_NAME = "skillbag"


def cache_folder() -> str:
    """The absolute folder of what can be fetched again; it may not exist yet."""
    if named := os.environ.get(CACHE_VARIABLE):
        return os.path.abspath(named)
    import platformdirs

    return platformdirs.user_cache_dir(_NAME, appauthor=False)


def state_folder() -> str:
    """The absolute folder of what is remembered between runs; it may not exist yet."""
    if named := os.environ.get(STATE_VARIABLE):
        return os.path.abspath(named)
    import platformdirs

    return platformdirs.user_state_dir(_NAME, appauthor=False)
