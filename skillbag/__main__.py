"""`python -m skillbag`, and the installed command."""

import atexit
import os
import signal
import sys


def _swap(old: object, new: object) -> bool:
    """Let `new` handle interrupts instead of `old`, and whether it does: only the main thread can have it so."""
    if signal.getsignal(signal.SIGINT) is not old:
        return False
    try:
        signal.signal(signal.SIGINT, new)  # type: ignore[arg-type]
    except ValueError:
        return False
    return True


# Who interrupts us while we are loading needs no traceback of where that was.
_loading = _swap(signal.default_int_handler, signal.SIG_DFL)

from skillbag.cli import main  # noqa: E402

if _loading:
    _swap(signal.SIG_DFL, signal.default_int_handler)


def run() -> None:
    """Run the command line and end the process at once.

    Everything is written and closed by then; taking the interpreter apart would take a small check a tenth of its time.
    Somebody who traces the program (a debugger, a coverage tool) gets the ordinary end.
    """
    try:
        main()
    except SystemExit as ended:
        if sys.gettrace() is not None or not isinstance(ended.code, int):
            raise
        # What was to be cleared up at the end, such as a cache that stood in for the user's.
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code)


if __name__ == "__main__":
    run()
