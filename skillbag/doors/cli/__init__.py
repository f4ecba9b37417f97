"""The command line: each command parses, calls one function, reports, and gives its exit code."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time

from skillbag.doors.cli import fast_args
from skillbag.doors.cli.exit_codes import EXIT_ENVIRONMENT, EXIT_INTERRUPTED, EXIT_SIGNAL, exit_of
from skillbag.doors.cli.messages import error as print_error
from skillbag.doors.cli.messages import hint, lowered, put
from skillbag.doors.cli.output_style import OutputStyle, set_output_style
from skillbag.doors.cli.streams import safe, silence
from skillbag.kernel.base.errors import UserError, format_error, next_step
from skillbag.kernel.base.verbose import log_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillbag.doors.cli.check_options import CheckOptions


def main() -> None:
    """Run the command line; a user's mistake is one sentence on standard error and an exit code, never a traceback.

    A plain `check` and an event of an agent run at once; all else goes through click, which takes as long to import as
    a small check.
    """
    # A command makes few reference cycles: the collector would only walk over what is still in use.
    gc.disable()
    began = time.monotonic()
    _prepare_streams()
    _interrupt_at_signals()
    try:
        with _mistakes_reported():
            options = fast_args.read_plain(sys.argv[1:])
            if options is not None:
                from skillbag.doors.cli.check_options import WrongUsageError
                from skillbag.doors.cli.check_run import check

                # Wrong usage is found before anything is done; click finds it again and prints the command's usage.
                with contextlib.suppress(WrongUsageError), _check_endings(), _errors_as_json(options):
                    sys.exit(check(options))
            _answer_event()
            from skillbag.doors.cli.app import app, click_errors_reported

            if os.environ.get("_SKILLBAG_COMPLETE"):
                from skillbag.doors.cli.completing import print_completions

                sys.exit(print_completions(app))
            with click_errors_reported():
                sys.exit(app.main(prog_name="skillbag", standalone_mode=False) or 0)
    except KeyboardInterrupt:
        # Outermost: it may come while another error is being reported.
        print_error("interrupted")
        sys.exit(EXIT_SIGNAL + _terminated[0] if _terminated else EXIT_INTERRUPTED)
    finally:
        log_step("took {:.2f} s", time.monotonic() - began)


def _prepare_streams() -> None:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # A stream that was closed on purpose must not look like an error of ours.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open as long as we run
    set_output_style(OutputStyle())
    for stream in (sys.stdout, sys.stderr):
        # The same output in any locale; characters that the terminal can't show are escaped.
        getattr(stream, "reconfigure", lambda **_: None)(encoding="utf-8", errors="backslashreplace")


def _answer_event() -> None:
    """Answer an event of an agent, and end; return where the arguments are for another command."""
    host = fast_args.read_hook(sys.argv[1:])
    if host is not None:
        from skillbag.doors.cli.hook_event import answer_event

        with _check_endings():
            answer_event(host)
            sys.exit(0)
    if fast_args.is_limit_hook(sys.argv[1:]):
        from skillbag.doors.cli.limit_event import answer_limits

        with _check_endings():
            answer_limits()
            sys.exit(0)
    turn = fast_args.read_turn(sys.argv[1:])
    if turn is not None:
        with _check_endings():
            if turn.is_hook:
                from skillbag.doors.cli.prompt_hook import answer_prompt

                answer_prompt(session=turn.session)
            from skillbag.doors.cli.turn_run import print_turn

            sys.exit(print_turn(turn))


@contextlib.contextmanager
def _mistakes_reported() -> Iterator[None]:
    """A user's mistake, or a failure of the environment, as a sentence and an exit code."""
    try:
        yield
    except UserError as error:
        print_error(safe(str(error)))
        sys.exit(exit_of(error))
    except OSError as error:
        print_error(safe(format_error(error)))
        if step := next_step(error):
            hint(lowered(step))
        sys.exit(EXIT_ENVIRONMENT)


@contextlib.contextmanager
def _errors_as_json(options: CheckOptions) -> Iterator[None]:
    """A mistake as the JSON of `check`, where that goes to standard output."""
    try:
        yield
    except (UserError, OSError) as error:
        if not options.prints_json or isinstance(error, BrokenPipeError):
            raise
        from skillbag.doors.cli.answers import exit_with_error

        exit_with_error("check", error)


@contextlib.contextmanager
def _check_endings() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        # Ends the line in which a terminal has just shown `^C`.
        put("\n")
        raise
    except BrokenPipeError:
        # The reader of our output has closed it.
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                silence(stream)
        sys.exit(1)


_terminated: list[int] = []


def _interrupt_at_signals() -> None:
    """Treat SIGTERM and SIGHUP as an interrupt, so that child processes, such as git, end with us."""
    import _signal as signal  # type: ignore[import-not-found]  # see `__main__`

    def interrupt(number: int, _frame: object) -> None:
        _terminated.append(number)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Under `nohup` the signal is ignored, and stays so.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            try:
                signal.signal(number, interrupt)
            except ValueError:
                # Only the main thread may set handlers.
                return
