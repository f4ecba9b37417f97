"""`check --watch`, and when a watch ends: at a signal, or when the reader of its output is gone."""

from __future__ import annotations

import gc
import select
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

from skillbag.doors.cli.messages import note_shown
from skillbag.kernel.base.errors import UserError

if TYPE_CHECKING:
    from skillbag.kernel.model.result import CheckResult
    from skillbag.lint.engine.request import CheckRequest


class EndSignal:
    """Whether to end: after an interrupt or a request to terminate, or when the reader of our output is gone.

    A signal that was ignored at the start, as by `nohup` or a shell's `&`, stays ignored.
    """

    def __init__(self) -> None:
        # What goes on for hours must not keep its reference cycles, as a short command does.
        gc.enable()
        self.ended = False
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._end)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self.ended = True

    def is_set(self) -> bool:
        """Whether to end now."""
        # Never assigns what it read before: a signal may have come meanwhile.
        if _is_unread():
            self.ended = True
        return self.ended


def _is_unread() -> bool:
    """Whether the other end of standard output is closed; False where the system can't tell."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(0))
    except (AttributeError, OSError, ValueError):
        return False


def watch_check(request: CheckRequest, report: Callable[[CheckResult], int], *, remember: bool) -> int:
    """Report each result; gives the exit code of the last one. `remember`: see `watch_checks`.

    Raises:
        UserError: there is nothing to check to begin with.
        OSError: the environment failed.
    """
    from skillbag.lint.cache.watch import watch_checks
    from skillbag.report.sanitize import shown

    codes = [0]

    def deliver(found: CheckResult | UserError) -> None:
        message = "watching for changes; Ctrl-C ends it"
        if isinstance(found, UserError):
            message = shown(str(found))
        else:
            codes.append(report(found))
        sys.stderr.write(f"{time.strftime('%H:%M:%S')} {message}\n")
        sys.stderr.flush()

    watch_checks(request, deliver, EndSignal(), note_shown, remember=remember)
    return codes[-1]
