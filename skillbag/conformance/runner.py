"""The run: several processes of a driver side by side, each case in folders of its own, results in order."""

from __future__ import annotations

import queue
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from skillbag.conformance.case import Case, Operation, Write
from skillbag.conformance.matching import mismatches
from skillbag.conformance.protocol import Driver, DriverError, Greeting, HungError, Unsupported
from skillbag.conformance.results import CaseResult, CaseStatus
from skillbag.conformance.workspace import CaseFolder

MOST_HANGS = 5
"""Times that a driver may hang before the rest is not asked any more: a run ends in bounded time."""

_LONGEST = 400
"""Characters of an error that are repeated."""

Told = Callable[[CaseResult], object]


class Settings(NamedTuple):
    """The driver's command, how many processes of it run at once, and the seconds that each answer may take."""

    command: Sequence[str]
    jobs: int
    timeout: float


def run_cases(
    cases: Sequence[Case], settings: Settings, told: Told = lambda result: None
) -> tuple[Greeting | None, tuple[CaseResult, ...]]:
    """Who answered (None if nobody did), and what came of each case, in order; `told` is given each as it comes.

    After a crash or a hang the driver is started anew, so that the other cases still run.

    Raises:
        NoDriverError: the driver's command can't be started.
        UserError, OSError: the files of a case can't be written.
    """
    run = _Run(cases, settings, told)
    with ThreadPoolExecutor(settings.jobs) as pool:
        working = [pool.submit(run.work) for _ in range(min(settings.jobs, len(cases)))]
        try:
            for one in working:
                one.result()
        finally:
            run.end()
    return run.greeting, tuple(run.results[number] for number in range(len(cases)))


class _Run:
    """What the threads of a run share."""

    def __init__(self, cases: Sequence[Case], settings: Settings, told: Told) -> None:
        self.greeting: Greeting | None = None
        self.results: dict[int, CaseResult] = {}
        self._settings = settings
        self._told = told
        self._waiting: queue.SimpleQueue[tuple[int, Case]] = queue.SimpleQueue()
        self._drivers: set[Driver] = set()
        self._hung: list[Case] = []
        self._given_up = ""
        self._over = False
        for numbered in enumerate(cases):
            self._waiting.put(numbered)

    def work(self) -> None:
        """Run cases until none is left, with a process of one's own."""
        driver: Driver | None = None
        for number, case in self._left():
            driver = driver or self._started()
            result = attempt(case, driver) if driver else _failed(case, f"not asked, since {self._given_up}")
            if driver and driver.trouble:
                self._note(case, driver.trouble)
                self._drivers.discard(driver)
                driver.stop()
                driver = None
            self.results[number] = result
            self._told(result)
        if driver:
            self._drivers.discard(driver)
            driver.close()

    def end(self) -> None:
        """Take no more cases, and end every process that still runs."""
        self._over = True
        for driver in list(self._drivers):
            driver.stop()

    def _left(self) -> Iterator[tuple[int, Case]]:
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

    def _note(self, case: Case, trouble: DriverError) -> None:
        if isinstance(trouble, HungError):
            self._hung.append(case)
        if len(self._hung) >= MOST_HANGS:
            self._given_up = f"the driver has hung {MOST_HANGS} times"


def attempt(case: Case, driver: Driver) -> CaseResult:
    """Run one case; it ends at its first step that comes out otherwise than expected.

    Raises:
        UserError, OSError: its files can't be written.
    """
    with tempfile.TemporaryDirectory(prefix="skillbag-conformance-", ignore_cleanup_errors=True) as folder:
        place = CaseFolder(case, folder)
        for number, step in enumerate(case.steps, 1):
            if isinstance(step, Operation):
                result = _operate(case, step, f"step {number} ({step.name})", driver, place)
                if result is not None:
                    return result
            elif isinstance(step, Write):
                place.write(step.files)
            else:
                for path in step.paths:
                    place.delete(path)
        return (
            _failed(case, *lines) if (lines := list(place.faults(case.after))) else CaseResult(case, CaseStatus.PASSED)
        )


def _operate(case: Case, step: Operation, where: str, driver: Driver, place: CaseFolder) -> CaseResult | None:
    """The result of the case, where this step decides it."""
    request = {
        "workspace": place.workspace,
        "scratch": place.scratch,
        "session": step.session,
        "inputs": step.inputs,
        "wanted": list(step.expected),
    }
    try:
        outcome = driver.ask(step.name, request)
    except DriverError as error:
        return _failed(case, f"{where}: {error}")
    if isinstance(outcome, Unsupported):
        return CaseResult(case, CaseStatus.NOT_COVERED, (outcome.why,))
    lines = [f"{where}: {line}" for line in mismatches(step.expected, outcome)]
    if lines and "error" in outcome and "error" not in step.expected:
        lines.append(f"{where}: it says: {str(outcome['error'])[:_LONGEST]}")
    return _failed(case, *lines) if lines else None


def _failed(case: Case, *lines: str) -> CaseResult:
    return CaseResult(case, CaseStatus.FAILED, lines)
