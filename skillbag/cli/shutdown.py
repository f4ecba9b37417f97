"""When a command that goes on and on shall end: at a signal, or when nobody reads it any more."""

from __future__ import annotations

import select
import signal
import sys
from types import FrameType


class Ended:
    """Whether to end: a signal came, or whoever read our output is gone."""

    def __init__(self) -> None:
        self.told = False

    def by_signals(self) -> None:
        """Take an interrupt and a request to terminate as the wish that it be over, no more.

        What we were started to ignore, as by `nohup` or a shell's `&`, stays ignored.
        """
        for one in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(one) is not signal.SIG_IGN:
                signal.signal(one, self._by_signal)

    def _by_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.told = True

    def is_set(self) -> bool:
        """Whether it shall."""
        self.told = self.told or _is_unread()
        return self.told


def _is_unread() -> bool:
    """Whether nobody is at the other end of standard output; where the system can't tell, somebody is."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(0))
    except (AttributeError, OSError, ValueError):
        return False
