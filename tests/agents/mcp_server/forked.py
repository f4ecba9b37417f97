"""Servers as forks of this process, which has imported the SDK already: that takes a new process a second."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

import filelock  # noqa: F401
import uvicorn.protocols.http.h11_impl  # noqa: F401
import watchfiles  # noqa: F401

from tests.forked import become


class Forked:
    """`skillbag ARGUMENTS` as the leader of a session, with what tests use of `subprocess.Popen`."""

    def __init__(self, arguments: Sequence[str], variables: Mapping[str, str]) -> None:
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.setsid()
            become(arguments, variables, (stdin[0], stdout[1], stderr[1]))
        for end in (stdin[0], stdout[1], stderr[1]):
            os.close(end)
        self.stdin, self.stdout = os.fdopen(stdin[1], "wb"), os.fdopen(stdout[0], "rb")
        self.stderr = os.fdopen(stderr[0], "rb")
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code

    def wait(self, seconds: float = 300) -> int:
        until = time.monotonic() + seconds
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("skillbag", seconds)
            time.sleep(0.005)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)
