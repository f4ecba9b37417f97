"""Text from outside, made safe for a terminal and for the audit log."""

from __future__ import annotations


def printable(text: str) -> str:
    """`text` in one line: each control, bidirectional or otherwise invisible character becomes its escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
