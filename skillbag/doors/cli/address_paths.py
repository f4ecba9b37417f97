"""Which of the paths of a command line is the address of a source instead."""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillbag.supply.sources.archive_formats import format_of, is_address


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
        elif is_address(path) and not _is_below(path):
            return path
    return None


def _is_below(path: str) -> bool:
    first = os.path.expanduser(path).replace("\\", "/").split("/")[0]
    return path.startswith((".", "/", "~")) or (":" not in path and os.path.isdir(first))
