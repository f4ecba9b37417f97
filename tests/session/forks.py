"""Commands in processes that are forked from this one: nothing is imported again, and a hook may observe them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest

from skillbag.doors.cli import main
from tests.support import Completed

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks")

_KINDS = {"open": "open", "os.listdir": "list", "os.scandir": "list"}
_PROCESSES = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "socket.connect")


class Forked:
    """`skillbag ARGUMENTS` in a process of its own; `prepare` is called there first, in the workspace."""

    def __init__(
        self, root: Path, *arguments: object, stdin: IO[str] | None = None, prepare: Callable[[], object] = lambda: None
    ) -> None:
        self._output = _stream(), _stream()
        self._child = os.fork()
        if self._child == 0:
            try:
                os.chdir(root)
                signal.alarm(300)
                sys.stdin, (sys.stdout, sys.stderr) = stdin or _stream(), self._output
                sys.argv = ["skillbag", *map(str, arguments)]
                prepare()
                main()
            except SystemExit as end:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(int(end.code or 0))
            finally:
                os._exit(99)

    def ended(self) -> Completed:
        """What it has printed, and its exit code: negative if a signal killed it."""
        _, status = os.waitpid(self._child, 0)
        texts = []
        for stream in self._output:
            stream.seek(0)
            texts.append(stream.read())
        return Completed(os.waitstatus_to_exitcode(status), *texts)


def _stream() -> IO[str]:
    return TemporaryFile("w+", encoding="utf-8")


def together(root: Path, *commands: tuple[object, ...]) -> list[Completed]:
    """Run commands at the same moment."""
    return [process.ended() for process in [Forked(root, *arguments) for arguments in commands]]


def witnessed(root: Path, *arguments: str, stdin: IO[str] | None = None) -> tuple[Completed, dict[str, list[str]]]:
    """Run a command; by the interpreter's own account, what it opened and listed below the root, and its processes."""
    seen: dict[str, list[str]] = {"open": [], "list": [], "process": []}
    with TemporaryFile() as report:

        def hook(event: str, given: tuple[object, ...]) -> None:
            if event in _PROCESSES:
                os.write(report.fileno(), f"process\t{event}\n".encode())
            elif event in _KINDS and isinstance(given[0], str | bytes):
                path = os.path.abspath(os.fsdecode(given[0]))
                if path == str(root) or path.startswith(f"{root}{os.sep}"):
                    relative = os.path.relpath(path, root).replace(os.sep, "/")
                    os.write(report.fileno(), f"{_KINDS[event]}\t{relative}\n".encode())

        outcome = Forked(root, *arguments, stdin=stdin, prepare=lambda: sys.addaudithook(hook)).ended()
        report.seek(0)
        for line in report.read().decode().splitlines():
            kind, _, path = line.partition("\t")
            seen[kind].append(path)
    return outcome, seen
