"""The run: several processes of a driver side by side, each case in folders of its own, results in order."""

from __future__ import annotations

import queue
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from skillbag.fleet.conformance.case import ConformanceCase, Operation, Write
from skillbag.fleet.conformance.matching import mismatches
from skillbag.fleet.conformance.protocol import Driver, DriverError, DriverInfo, DriverRequest, HungError, Unsupported
from skillbag.fleet.conformance.results import CaseStatus, ConformanceResult
from skillbag.fleet.conformance.workspace import CaseFolder

MAX_HANGS = 5
"""After so many hangs the remaining cases are not run: a run ends in bounded time."""


class RunnerSettings(NamedTuple):
    """The driver's command, how many processes of it run at once, and the seconds that each answer may take."""

    command: Sequence[str]
    jobs: int
    timeout: float


def run_cases(
    cases: Sequence[ConformanceCase],
    settings: RunnerSettings,
    on_result: Callable[[ConformanceResult], object] = lambda result: None,
) -> tuple[DriverInfo | None, tuple[ConformanceResult, ...]]:
    """The driver's greeting (None: it never greeted), and the results in order; `on_result` gets each as it comes.

    After a crash or a hang the driver is started again, so that the other cases still run.

    Raises:
        NoDriverError: the driver's command can't be started.
        UserError, OSError: the files of a case can't be written.
    """
    run = _Run(cases, settings, on_result)
    with ThreadPoolExecutor(settings.jobs) as pool:
        working = [pool.submit(run.work) for _ in range(min(settings.jobs, len(cases)))]
        try:
            for future in working:
                future.result()
        finally:
            run.end()
    return run.greeting, tuple(run.results[number] for number in range(len(cases)))


class _Run:
    """What the threads of a run share."""

    def __init__(
        self,
        cases: Sequence[ConformanceCase],
        settings: RunnerSettings,
        on_result: Callable[[ConformanceResult], object],
    ) -> None:
        self.greeting: DriverInfo | None = None
        self.results: dict[int, ConformanceResult] = {}
        self._settings = settings
        self._on_result = on_result
        self._waiting: queue.SimpleQueue[tuple[int, ConformanceCase]] = queue.SimpleQueue()
        self._drivers: set[Driver] = set()
        self._hangs: list[HungError] = []
        self._given_up = ""
        self._over = False
        for numbered in enumerate(cases):
            self._waiting.put(numbered)

    def work(self) -> None:
        """Run cases until none is left, with a driver process for this thread."""
        driver: Driver | None = None
        for number, case in self._left():
            driver = driver or self._started()
            result = attempt(case, driver) if driver else _failed(case, f"not asked, since {self._given_up}")
            if driver and driver.failure:
                self._note(driver.failure)
                self._drivers.discard(driver)
                driver.stop()
                driver = None
            self.results[number] = result
            self._on_result(result)
        if driver:
            self._drivers.discard(driver)
            driver.close()

    def end(self) -> None:
        """Take no more cases, and end every process that still runs."""
        self._over = True
        for driver in list(self._drivers):
            driver.stop()

    def _left(self) -> Iterator[tuple[int, ConformanceCase]]:
        while not self._over:
            try:
                yield self._waiting.get_nowait()
            except queue.Empty:
                return

    def _started(self) -> Driver | None:
        """A new process that has greeted; None once the driver is given up."""
        if self._given_up:
            return None
        driver = Driver(self._settings.command, self._settings.timeout)
        self._drivers.add(driver)
        try:
            self.greeting = driver.greet()
        except DriverError as error:
            self._given_up = f"the driver did not greet: {error}"
            self._drivers.discard(driver)
            driver.stop()
            return None
        return driver

    def _note(self, failure: DriverError) -> None:
        if isinstance(failure, HungError):
            self._hangs.append(failure)
        if len(self._hangs) >= MAX_HANGS:
            self._given_up = f"the driver has hung {MAX_HANGS} times"


def attempt(case: ConformanceCase, driver: Driver) -> ConformanceResult:
    """Run one case; it ends at its first step that comes out otherwise than expected.

    Raises:
        UserError, OSError: its files can't be written.
    """
    with tempfile.TemporaryDirectory(prefix="skillbag-conformance-", ignore_cleanup_errors=True) as folder:
        files = CaseFolder(case, folder)
        for number, step in enumerate(case.steps, 1):
            if isinstance(step, Operation):
                result = _operate(case, step, f"step {number} ({step.name})", driver, files)
                if result is not None:
                    return result
            elif isinstance(step, Write):
                files.write(step.files)
            else:
                for path in step.paths:
                    files.delete(path)
        lines = list(files.faults(case.after))
        return _failed(case, *lines) if lines else ConformanceResult(case, CaseStatus.PASSED)


def _operate(
    case: ConformanceCase, step: Operation, where: str, driver: Driver, files: CaseFolder
) -> ConformanceResult | None:
    """The result of the case, where this step decides it."""
    folders = (files.workspace, files.scratch)
    try:
        outcome = driver.ask(DriverRequest(0, step.name, *folders, step.session, step.inputs, tuple(step.expected)))
    except DriverError as error:
        return _failed(case, f"{where}: {error}")
    if isinstance(outcome, Unsupported):
        return ConformanceResult(case, CaseStatus.NOT_COVERED, (outcome.why,))
    if step.name == "put":
        files.take()
    lines = [f"{where}: {line}" for line in mismatches(step.expected, outcome)]
    if lines and "error" in outcome and "error" not in step.expected:
        lines.append(f"{where}: it says: {str(outcome['error'])[:400]}")
    return _failed(case, *lines) if lines else None


def _failed(case: ConformanceCase, *lines: str) -> ConformanceResult:
    return ConformanceResult(case, CaseStatus.FAILED, lines)
