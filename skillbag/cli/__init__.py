"""The command line: each command parses, calls one function, reports, and gives its exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from skillbag.base.errors import UserError, format_error
from skillbag.cli import fast_args
from skillbag.cli.streams import print_error, safe, silence_all

EXIT_USAGE = 2
EXIT_QUESTION = 3
EXIT_ENVIRONMENT = 4
EXIT_INTERRUPTED = 130
EXIT_SIGNAL = 128
"""And the number of the signal, as a shell has it."""


def main() -> None:
    """Run the command line; a user's mistake is one sentence on standard error and an exit code, never a traceback.

    A plain `check` runs at once; all else goes through click, which takes as long to import as a small check.
    """
    _open_missing_streams()
    _end_properly()
    for stream in (sys.stdout, sys.stderr):
        # The same output in any locale; what the terminal can't show is shown as an escape.
        getattr(stream, "reconfigure", lambda **_: None)(encoding="utf-8", errors="backslashreplace")
    try:
        with _mistakes_reported():
            options = fast_args.read_plain(sys.argv[1:])
            if options is not None:
                from skillbag.cli.check_run import WrongUsageError, check

                # Wrong usage is found before anything is done; click finds it again and prints the command's usage.
                with contextlib.suppress(WrongUsageError), _check_ended_properly():
                    sys.exit(check(options))
            from skillbag.cli.app import run_app

            sys.exit(run_app())
    except KeyboardInterrupt:
        # Outside of the other two: it may come while one of them is being reported.
        print_error("skillbag: interrupted")
        sys.exit(EXIT_SIGNAL + _terminated[0] if _terminated else EXIT_INTERRUPTED)


@contextlib.contextmanager
def _mistakes_reported() -> Iterator[None]:
    """A user's mistake, or a failure of the environment, as a sentence and an exit code."""
    try:
        yield
    except UserError as error:
        print_error(f"skillbag: {safe(str(error))}")
        sys.exit(EXIT_USAGE)
    except OSError as error:
        print_error(f"skillbag: {safe(format_error(error))}")
        sys.exit(EXIT_ENVIRONMENT)


@contextlib.contextmanager
def _check_ended_properly() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        # Ends the line in which a terminal has just shown `^C`.
        print_error("")
        raise
    except BrokenPipeError:
        # The reader of our output has closed it.
        silence_all()
        sys.exit(1)


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
