"""Which cases go red for which planted fault: every fault run against every case that asks for what it may change.

`python -m tests.fleet.conformance.matrix` writes that to `matrix.json`, after a fault or a case has come or changed. A
test run relies on it and tries two cases of each fault; a nightly run tries them all.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from skillbag.fleet.conformance.kit import PASSED, ConformanceCase, RunnerSettings, run_cases
from tests.fleet.conformance.faults import FAULTS
from tests.fleet.conformance.suite import SUITE
from tests.fleet.conformance.wrong_driver import WrongDriver
from tests.support import PROJECT

MATRIX = Path(__file__).with_name("matrix.json")


@contextmanager
def in_memory() -> Iterator[None]:
    """Thousands of folders come and go: a file system in memory, where there is one, makes them quickly."""
    with patch.object(tempfile, "tempdir", "/dev/shm" if os.access("/dev/shm", os.W_OK) else None):
        yield


def red(cases: Sequence[ConformanceCase], command: Sequence[str] = (), jobs: int = 1) -> dict[str, tuple[str, ...]]:
    """The cases that did not pass, by id, each with its lines."""
    with in_memory():
        _, results = run_cases(cases, RunnerSettings(command, jobs=jobs, timeout=120))
    return {result.id: result.lines for result in results if result.verdict != PASSED}


class Answers(NamedTuple):
    """The folder with the answers of our own program to every case, and the cases that it does not pass."""

    folder: str
    failed: Mapping[str, Iterable[str]]

    @contextmanager
    def wrong_driver(self, fault: str | None = None, unable: str | None = None) -> Iterator[None]:
        """Whatever driver is started is the wrong one, in this process."""
        with patch("skillbag.fleet.conformance.kit.Driver", lambda *_: WrongDriver(self.folder, fault, unable)):
            yield

    def red(self, cases: Sequence[ConformanceCase], fault: str | None = None) -> dict[str, tuple[str, ...]]:
        """The cases that the wrong driver fails though our program passes them, each with its lines."""
        with self.wrong_driver(fault):
            return {case: lines for case, lines in red(cases).items() if case not in self.failed}

    def matrix(self) -> dict[str, list[str]]:
        """By fault the cases that go red for it."""
        return {fault: list(self.red(about(fault), fault)) for fault in sorted(FAULTS)}


def record(folder: Path) -> Answers:
    """Have our own program answer every case."""
    start = (
        f"import sys; sys.path.insert(0, {str(PROJECT)!r}); from tests.fleet.conformance.recording_driver import main; "
    )
    command = [sys.executable, "-c", f"{start}main()", str(folder)]
    return Answers(str(folder), red(SUITE.cases, command, jobs=2))


def about(fault: str) -> Sequence[ConformanceCase]:
    """The cases that ask for something which the fault may change."""
    return tuple(case for case in SUITE.cases if any(step.operation in FAULTS[fault].operations for step in case.steps))


def render(matrix: Mapping[str, Iterable[str]]) -> str:
    """A fault a line."""
    lines = (f"{json.dumps(fault)}: {json.dumps(sorted(cases))}" for fault, cases in matrix.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        MATRIX.write_text(render(record(Path(folder)).matrix()), "utf-8")


if __name__ == "__main__":
    main()
