"""What only POSIX systems can do: process groups above all, by which everything that a program started is ended."""

from __future__ import annotations

import os

ELSEWHERE = "needs Linux or macOS; on Windows, use skillbag within WSL"
"""How `not_here` ends."""


class NotPosixError(OSError):
    """This system can't do it; the message says which can."""


def is_posix() -> bool:
    """Whether this is Linux, macOS or the like."""
    return os.name == "posix"


def not_here(what: str) -> str:
    """The sentence, without its full stop, that `what` needs another system."""
    return f"{what} {ELSEWHERE}"


def need_posix(what: str) -> None:
    """Make sure that this system can do it.

    Raises:
        NotPosixError: it can't.
    """
    if not is_posix():
        raise NotPosixError(not_here(what))
