"""`python -m skillbag`, and the installed command."""

# `signal` makes enums of its names, which takes a tenth of the start of a check.
import _signal as signal  # type: ignore[import-not-found]
import atexit
import os
import sys


def _swap(old: object, new: object) -> bool:
    """Let `new` handle interrupts instead of `old`, if this is the main thread; return whether it does."""
    if signal.getsignal(signal.SIGINT) is not old:
        return False
    try:
        signal.signal(signal.SIGINT, new)
    except ValueError:
        return False
    return True


# Do not print a traceback for Ctrl-C during import.
_loading = _swap(signal.default_int_handler, signal.SIG_DFL)

from skillbag.doors.cli import main  # noqa: E402

if _loading:
    _swap(signal.SIG_DFL, signal.default_int_handler)


def run() -> None:
    """Run the command line and end the process at once.

    Everything is written and closed by then; finalizing the interpreter takes a tenth of a small check's time. With a
    trace function (a debugger, a coverage tool) the process ends normally.
    """
    try:
        main()
    except SystemExit as ended:
        if sys.gettrace() is not None or not isinstance(ended.code, int):
            raise
        # Such as removing a temporary cache that was used instead of the user's.
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code)


if __name__ == "__main__":
    run()
