"""Equality of YAML values, by meaning (`1` and `1.0`, but not `1` and `true`) or by spelling (`true` and "true")."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable


def meaning(value: object) -> Hashable:
    """A key that is equal for plain values (also lists and dicts) with the same meaning."""
    if isinstance(value, list):
        return tuple([meaning(item) for item in value])
    if isinstance(value, dict):
        return frozenset([(key, meaning(item)) for key, item in value.items()])
    # In Python, True equals 1.
    return isinstance(value, bool), value


def spelling(text: str) -> str:
    """A key that is equal for scalars with the same spelling."""
    text = text.strip()
    if not text.isascii():
        # Some systems store a letter and its accent in file names as two characters.
        text = unicodedata.normalize("NFC", text)
    return lower if (lower := text.lower()) in ("true", "false") else text
