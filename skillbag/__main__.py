"""`python -m skillbag`, and the installed command."""

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
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code)


if __name__ == "__main__":
    run()
