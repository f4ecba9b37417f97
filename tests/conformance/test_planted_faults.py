"""The kit can fail: a wrong driver goes red for each fault planted in it, and each case for at least one fault."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

from skillbag.conformance.case import Case, Operation
from skillbag.conformance.results import CaseStatus
from skillbag.conformance.runner import Settings, run_cases
from skillbag.conformance.suite import load_suite
from tests.conformance.faults import FAULTS
from tests.once import once
from tests.support import PROJECT, Completed, Run

RECORDING, WRONG = "recording_driver", "wrong_driver"


def command(driver: str, *arguments: object) -> list[str]:
    """What starts a driver that is a module beside this one."""
    start = f"import sys; sys.path.insert(0, {str(PROJECT)!r}); from tests.conformance.{driver} import main; main()"
    return [sys.executable, "-c", start, *map(str, arguments)]


def red(cases: tuple[Case, ...], driver: str, *arguments: object) -> dict[str, tuple[str, ...]]:
    """The cases that did not pass, by id, each with its lines."""
    # Thousands of folders come and go; a file system in memory, where there is one, makes them in no time.
    with patch.object(tempfile, "tempdir", "/dev/shm" if os.access("/dev/shm", os.W_OK) else None):
        _, results = run_cases(cases, Settings(command(driver, *arguments), jobs=2, timeout=120))
    return {result.case.id: result.lines for result in results if result.verdict is not CaseStatus.PASSED}


class Answers(NamedTuple):
    """The folder with the answers of our own program to every case, and the cases that it does not pass."""

    folder: str
    failed: dict[str, list[str]]

    def red(self, cases: tuple[Case, ...], *arguments: str) -> list[str]:
        """The cases that the wrong driver fails though our program passes them."""
        return [case for case in red(cases, WRONG, self.folder, *arguments) if case not in self.failed]


@pytest.fixture(scope="session")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    def build(folder: Path) -> str:
        return json.dumps([str(folder), red(load_suite().cases, RECORDING, folder)])

    return Answers(*json.loads(once(tmp_path_factory, "answers", build)))


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory, answers: Answers) -> dict[str, list[str]]:
    """By fault the cases that go red for it; only those are run that ask for something which it may change."""

    def build(folder: Path) -> str:
        return json.dumps({fault: answers.red(about(fault), "--fault", fault) for fault in FAULTS})

    by_fault: dict[str, list[str]] = json.loads(once(tmp_path_factory, "red", build))
    return by_fault


def about(fault: str) -> tuple[Case, ...]:
    return tuple(
        case
        for case in load_suite().cases
        if any(isinstance(step, Operation) and step.name in FAULTS[fault].operations for step in case.steps)
    )


def test_our_own_program_passes_every_case(answers: Answers) -> None:
    assert answers.failed == {}


def test_without_a_fault_the_wrong_driver_is_right(answers: Answers) -> None:
    assert answers.red(load_suite().cases) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_turns_a_case_red(fault: str, found: dict[str, list[str]]) -> None:
    assert found[fault]


def test_each_case_goes_red_for_a_fault_that_is_not_crude(answers: Answers, found: dict[str, list[str]]) -> None:
    reached = {case for fault, cases in found.items() for case in cases if not FAULTS[fault].crude}
    assert {case.id for case in load_suite().cases} - reached - answers.failed.keys() == set()


def test_a_fault_is_told_with_its_clause_and_what_was_expected(answers: Answers) -> None:
    cases = tuple(case for case in load_suite().cases if case.id.startswith("tags/run-last/"))
    broken = red(cases, WRONG, answers.folder, "--fault", "runs-the-last-first")
    assert any("tags.run-last" in case.clauses for case in cases if case.id in broken)
    assert any("order: expected" in line for lines in broken.values() for line in lines)


def test_only_a_driver_that_passes_the_whole_suite_conforms(run: Run, answers: Answers) -> None:
    def held(*arguments: str) -> Completed:
        return run("conformance", "--driver", shlex.join(command(WRONG, answers.folder, *arguments)))

    outcome = held()
    assert outcome.code == 0
    assert outcome.out.endswith("It conforms to the checked clauses of SkillBag v0.3.0.\n")
    outcome = held("--unable", "winner")
    assert outcome.code == 0
    assert "conforms" not in outcome.out
    assert re.search(r"Nothing failed, but not all is covered; not covered: .*resolution\.skill-conflict", outcome.out)
    assert re.search(r"^\d+ cases not covered: the driver does not know the operation winner$", outcome.out, re.M)
    outcome = held("--fault", "keeps-nothing")
    assert outcome.code == 1
    assert "conforms" not in outcome.out
    assert re.search(r"It fails \d+ clauses of SkillBag: .*precedence\.persist", outcome.out)
