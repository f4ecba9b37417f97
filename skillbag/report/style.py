"""The few colours of the text output, all from the terminal's own palette."""

from __future__ import annotations

_CODES = {"error": "1;31", "warning": "1;33", "note": "1;36", "path": "1", "faint": "2", "fix": "32", "good": "1;32"}


def paint(text: str, style: str, color: bool) -> str:
    """`text` in a style (a level's name, path, faint, fix, good), or as it is without `color`."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if color else text
