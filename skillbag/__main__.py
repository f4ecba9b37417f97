"""`python -m skillbag`, and the installed command."""

import atexit
import os
import sys

from skillbag.cli import main


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
