"""Texts on their way into a record: without secrets, and such that every format can hold them."""

from __future__ import annotations

import os
from functools import lru_cache

from skillbag.secrets.detection import mask
from skillbag.sources.address import without_credentials

_SHORTEST = 8
"""No secret is told from so few characters."""


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """`text` with its secrets masked, and lone surrogates (bytes of a name that are no text) spelt out."""
    if len(text) < _SHORTEST:
        return text.encode("utf-8", "backslashreplace").decode()
    return mask(text).encode("utf-8", "backslashreplace").decode()


def relative(path: str, root: str) -> str:
    """A path below `root` as a record has it: relative, with `/`."""
    return clean(os.path.relpath(path, root).replace(os.sep, "/"))


def clean_source(text: str) -> str:
    """The address of a source, as somebody declared it, without credentials."""
    return clean(without_credentials(text))
