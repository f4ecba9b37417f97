"""When two values of YAML are the same: they mean the same, or they are spelt alike.

`true` and "true" are, `1` and `1.0`, but not `1` and `true`.
"""

from __future__ import annotations

from collections.abc import Hashable


def meaning(value: object) -> Hashable:
    """What is equal for plain values (lists and dicts among them) that mean the same."""
    if isinstance(value, list):
        return tuple([meaning(item) for item in value])
    if isinstance(value, dict):
        return frozenset([(key, meaning(item)) for key, item in value.items()])
    # Python holds True to be 1.
    return isinstance(value, bool), value


def spelling(text: str) -> str:
    """What is equal for scalars that are spelt alike."""
    text = text.strip()
    if not text.isascii():
        import unicodedata

        # Some systems write the names of files so that a letter and its accent are two characters.
        text = unicodedata.normalize("NFC", text)
    return lower if (lower := text.lower()) in ("true", "false") else text
