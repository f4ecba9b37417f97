"""`python -m skillbag`, and the installed command."""

import atexit
import os
import signal
import sys
import threading

# Who interrupts us while we are loading needs no traceback of where that was.
_LOADING = (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
)
if _LOADING:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from skillbag.cli import main  # noqa: E402

if _LOADING:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
