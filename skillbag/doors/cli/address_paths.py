"""Which of the paths of a command line is the address of a source instead."""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillbag.supply.sources.archive_formats import format_of, is_address, split_version

_SHORT = 2
"""Parts of OWNER/REPOSITORY."""


def address_among(paths: Iterable[str]) -> str | None:
    """The first of the paths that names a source: an address of what is not here, or an archive that is.

    What lies below a folder that exists is a path, even if it is misspelt: nothing is asked of the network for it.
    """
    for path in paths:
        if os.path.isdir(path) or path == "-":
            continue
        if os.path.lexists(path):
            if format_of(path) is not None:
                return path
        elif os.path.isdir(split_version(path)[0]) or (is_address(path) and not _is_below(path)):
            return path
    return None


def _is_below(path: str) -> bool:
    """Whether a path is meant: it begins as one, a folder of it exists, or it has more parts than OWNER/REPOSITORY."""
    parts = split_version(path)[0].replace("\\", "/").rstrip("/").split("/")
    if path.startswith((".", "/", "~")):
        return True
    return ":" not in path and (os.path.isdir(parts[0]) or len(parts) != _SHORT)
