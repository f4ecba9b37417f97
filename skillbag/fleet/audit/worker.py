"""A process that audits one source after the other, so that a source that ends it does not affect the others.

It reads a pickled task with settings from standard input, and writes the pickled line of the record to standard output.
Both sides are this program, on one machine.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import IO

from skillbag.fleet.audit.record import audit_source, failure
from skillbag.fleet.audit.settings import AuditSettings
from skillbag.fleet.audit.sources import AuditTask
from skillbag.kernel.base.errors import format_error

_COMMAND = (sys.executable, "-P", "-m", "skillbag.fleet.audit.worker")
_PATIENCE = 5.0
"""Seconds that a child has to end its own children, such as git, before it is killed."""


class TooManyJobsError(OSError):
    """The system starts no more threads or processes; the message says what to do."""


@contextlib.contextmanager
def within_limits() -> Iterator[None]:
    """Raise TooManyJobsError if the system does not start a thread or process within the block."""
    try:
        yield
    except (RuntimeError, BlockingIOError) as error:
        raise TooManyJobsError(
            f"no more threads or processes can be started here ({format_error(error)}); "
            "use fewer --jobs, or raise the limit"
        ) from error


class Child:
    """One child, started when it is first needed and again after it has died; used by one thread at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._guard = threading.Lock()

    def audit(self, task: AuditTask, settings: AuditSettings) -> str:
        """The line of a task: as `audit_source` gives it, or a failure where the child died or took too long.

        Raises:
            TooManyJobsError: the system starts no more threads or processes.
            OSError: a process can't be started.
        """
        process = self._started()
        late = threading.Event()

        def end() -> None:
            late.set()
            _end(process)

        timer = threading.Timer(settings.timeout, end)
        timer.daemon = True
        with within_limits():
            timer.start()
        try:
            return _answer(process, task, settings)
        except (EOFError, OSError, pickle.UnpicklingError):
            _end(process)
            for pipe in _pipes(process):
                with contextlib.suppress(OSError):
                    pipe.close()
            return failure(task, settings, _why(process, settings, late.is_set()))
        finally:
            timer.cancel()
            # A timer that has fired already must not end the process when it has the next source.
            timer.join()

    def close(self) -> None:
        """End it, even in the middle of a source."""
        with self._guard:
            self._closed = True
        if self._process is not None:
            _end(self._process)

    def _started(self) -> subprocess.Popen[bytes]:
        with self._guard:
            if self._closed:
                raise OSError("the audit is being ended")
            if self._process is None or self._process.poll() is not None:
                pipe = subprocess.PIPE
                # In its own session: an interrupt at the terminal ends us, and we end it.
                with within_limits():
                    self._process = subprocess.Popen(
                        _COMMAND, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True
                    )
            return self._process


def _answer(process: subprocess.Popen[bytes], task: AuditTask, settings: AuditSettings) -> str:
    stdin, stdout = _pipes(process)
    pickle.dump((task, settings), stdin, pickle.HIGHEST_PROTOCOL)
    stdin.flush()
    # Safe to unpickle: only our own child has the other end of the pipe.
    return str(pickle.load(stdout))  # noqa: S301


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise EOFError
    return process.stdin, process.stdout


def _why(process: subprocess.Popen[bytes], settings: AuditSettings, late: bool) -> str:
    if late:
        return f"it took more than {settings.timeout:g} seconds; give more with --timeout, or look at it alone"
    code = process.returncode
    how = f"by signal {-code}" if code and code < 0 else f"with exit code {code}"
    return f"the process that checked it ended {how}; look at it alone with `skillbag check`"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end, with all that it started; kill it if it does not."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def main() -> None:
    """Answer the parent until it is gone."""
    # A termination is an interrupt, so that children are ended, and fetched files deleted.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Nothing else may write to the parent's pipe.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        while True:
            task, settings = pickle.load(sys.stdin.buffer)  # noqa: S301 -- from our own parent
            pickle.dump(audit_source(task, settings), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        os._exit(0)


if __name__ == "__main__":
    main()
