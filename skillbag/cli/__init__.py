"""The command line: each command parses, calls one function, reports, and gives its exit code."""

from __future__ import annotations

import os
import sys

from skillbag.base.errors import UserError, format_error
from skillbag.cli.streams import print_error, safe, silence_all

EXIT_USAGE = 2
EXIT_QUESTION = 3
EXIT_ENVIRONMENT = 4
EXIT_INTERRUPTED = 130
EXIT_SIGNAL = 128
"""And the number of the signal, as a shell has it."""


def main() -> None:
    """Run the command line; a user's mistake is one sentence on standard error and an exit code, never a traceback."""
    _open_missing_streams()
    _end_properly()
    for stream in (sys.stdout, sys.stderr):
        # The same output in any locale; what the terminal can't show is shown as an escape.
        getattr(stream, "reconfigure", lambda **_: None)(encoding="utf-8", errors="backslashreplace")
    try:
        sys.exit(_told(sys.argv[1:]))
    except KeyboardInterrupt:
        # Not beside the other two: it may come while one of them is being told.
        print_error("skillbag: interrupted")
        sys.exit(EXIT_SIGNAL + _terminated[0] if _terminated else EXIT_INTERRUPTED)


def _told(arguments: list[str]) -> int:
    """The exit code; a mistake is told."""
    try:
        return _run(arguments)
    except UserError as error:
        print_error(f"skillbag: {safe(str(error))}")
        return EXIT_USAGE
    except OSError as error:
        print_error(f"skillbag: {safe(format_error(error))}")
        return EXIT_ENVIRONMENT


def _run(arguments: list[str]) -> int:
    """Run a plain `check` at once, and by click, which takes as long to import as a small check, all that is not."""
    code = _check_plainly(arguments)
    if code is not None:
        return code
    from skillbag.cli.app import run_app

    return run_app()


def _check_plainly(arguments: list[str]) -> int | None:
    """The exit code of a check; None where the arguments are not plain, or where click has to tell what is wrong."""
    from skillbag.cli.fast_args import read_plain

    options = read_plain(arguments)
    if options is None:
        return None
    from skillbag.cli.check_run import WrongUsageError, check

    try:
        return check(options)
    except WrongUsageError:
        # It is found before anything is done; click finds it again, and tells it with the command's usage.
        return None
    except KeyboardInterrupt:
        # Ends the line in which a terminal has just shown `^C`.
        print_error("")
        raise
    except BrokenPipeError:
        # Nobody reads us any more.
        silence_all()
        return 1


_terminated: list[int] = []


def _end_properly() -> None:
    """Take SIGTERM and SIGHUP as an interrupt, so that what we have started, such as git, ends with us."""
    import signal

    def interrupt(number: int, _frame: object) -> None:
        _terminated.append(number)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        one = getattr(signal, name, None)
        # Who is started by `nohup` goes on.
        if one is not None and signal.getsignal(one) is signal.SIG_DFL:
            try:
                signal.signal(one, interrupt)
            except ValueError:
                # Signals belong to the main thread, which we are not in.
                return


def _open_missing_streams() -> None:
    """Whoever closed a stream wants nothing from it; it must not look like a fault of ours."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open as long as we run
