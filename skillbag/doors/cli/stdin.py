"""Reading standard input without waiting for input that never comes."""

from __future__ import annotations

import sys
import threading

from skillbag.kernel.base.errors import UserError

PATIENCE = 3.0
"""Seconds without any input after which reading stops: the caller may leave the pipe open and write nothing."""

LARGEST = 1 << 23
"""Bytes that are read at most (8 MiB)."""


class TooMuchInputError(UserError):
    """There is more on standard input than is read."""


def whole_input() -> bytes:
    """All of standard input, to its end. Raises as `piped_input`."""
    return _bounded(sys.stdin.buffer.read(LARGEST + 1))


def piped_input(patience: float = PATIENCE) -> bytes:
    """The bytes that come on standard input in time; none from a terminal.

    Raises:
        TooMuchInputError: they are more than `LARGEST`.
    """
    if sys.stdin.isatty():
        return b""
    stream = sys.stdin.buffer
    # Unbuffered, so that the thread holds no lock if the process ends while it waits.
    raw = getattr(stream, "raw", stream)
    data = bytearray()

    def take() -> None:
        while len(data) <= LARGEST and (chunk := raw.read(1 << 16)):
            data.extend(chunk)

    reader = threading.Thread(target=take, daemon=True)
    reader.start()
    seen = -1
    while reader.is_alive() and len(data) > seen:
        seen = len(data)
        reader.join(patience)
    return _bounded(bytes(data))


def _bounded(data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise TooMuchInputError(f"there are more than {LARGEST >> 20} MiB on standard input")
    return data
