"""Names that may be meant by one that is not known."""

from __future__ import annotations

from collections.abc import Collection


def meant(name: str, known: Collection[str]) -> str:
    """The end of a message about a name that is not among the known ones; empty if none is like it."""
    from difflib import get_close_matches

    close = get_close_matches(name[:80], sorted(known), 1)
    return f'; did you mean "{close[0]}"?' if close else ""
