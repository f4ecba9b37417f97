"""What is on standard input, for commands that nobody may wait for."""

from __future__ import annotations

import sys
import threading

from skillbag.base.errors import UserError

PATIENCE = 3.0
"""Seconds without any input after which no more is waited for: whoever runs a command may have none to give."""

LARGEST = 1 << 23
"""Bytes that are taken (8 MiB)."""


class TooMuchInputError(UserError):
    """More stands on standard input than is taken."""


def piped_input(patience: float = PATIENCE) -> bytes:
    """What comes on standard input in time; nothing of a terminal.

    Raises:
        TooMuchInputError: it is more than is taken.
    """
    if sys.stdin.isatty():
        return b""
    stream = sys.stdin.buffer
    # Unbuffered, so that no lock is held should the process end while it waits.
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
    if len(data) > LARGEST:
        raise TooMuchInputError(f"more than {LARGEST >> 20} MiB stand on standard input")
    return bytes(data)
