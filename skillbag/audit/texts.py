"""Texts of a record: without secrets, and valid in every output format."""

from __future__ import annotations

import os
from functools import lru_cache

from skillbag.secrets.detection import mask

_SHORTEST = 8
"""A shorter text is not masked."""


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """`text` with its secrets masked, and lone surrogates (bytes of a name that are no text) spelt out."""
    masked = text if len(text) < _SHORTEST else mask(text)
    return masked.encode("utf-8", "backslashreplace").decode()


def relative(path: str, root: str) -> str:
    """A path below `root` as a record has it: relative, with `/`."""
    return clean(os.path.relpath(path, root).replace(os.sep, "/"))
