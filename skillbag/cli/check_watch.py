"""`skillbag check --watch`: the report anew whenever it is another one, until somebody ends it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from skillbag.base.errors import UserError
from skillbag.cache.watch import watch_checks
from skillbag.cli.recovery import report_recovery
from skillbag.cli.shutdown import Ended
from skillbag.engine.request import CheckRequest
from skillbag.model.result import Result


def watch(request: CheckRequest, report: Callable[[Result], int], *, remember: bool) -> int:
    """Report each result; gives the exit code of the last one. `remember`: see `watch_checks`.

    Raises:
        UserError: there is nothing to check to begin with.
        OSError: the environment failed.
    """
    ended = Ended()
    ended.by_signals()
    codes = [0]

    def deliver(found: Result | UserError) -> None:
        if isinstance(found, Result):
            codes.append(report(found))
            _say("watching for changes; Ctrl-C ends it")
        else:
            from skillbag.report.sanitize import shown

            _say(shown(str(found)))

    watch_checks(request, deliver, ended, report_recovery, remember=remember)
    return codes[-1]


def _say(words: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {words}\n")
    sys.stderr.flush()
