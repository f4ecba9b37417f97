"""Whether a file can be trusted as this user's own: the one check of owner and mode for caches and state."""

from __future__ import annotations

import os


def is_ours(status: os.stat_result) -> bool:
    """Whether nobody but this user, or root, can have written what has this status (POSIX; elsewhere always true)."""
    return os.name != "posix" or (status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022)
