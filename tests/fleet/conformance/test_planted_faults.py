"""The kit can fail: a wrong driver goes red for each fault planted in it, and each case for at least one fault."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from skillbag.fleet.conformance.kit import ConformanceCase
from tests.fleet.conformance.faults import FAULTS
from tests.fleet.conformance.matrix import MATRIX, Answers, about, in_memory, record
from tests.fleet.conformance.suite import SUITE
from tests.once import once
from tests.sampling import NIGHTLY, sample
from tests.support import Completed, Run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("a_job")]

RED: dict[str, list[str]] = json.loads(MATRIX.read_text("utf-8"))


@cache
def all_cases() -> dict[str, ConformanceCase]:
    return {case.id: case for case in SUITE.cases}


@pytest.fixture(scope="session")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    return Answers(*json.loads(once(tmp_path_factory, "answers", lambda folder: json.dumps(record(folder)))))


def test_our_own_program_passes_every_case(answers: Answers) -> None:
    assert answers.failed == {}


def test_without_a_fault_the_wrong_driver_is_right(answers: Answers) -> None:
    assert answers.red(SUITE.cases) == {}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_each_fault_turns_its_cases_red(fault: str, answers: Answers) -> None:
    tried = about(fault) if NIGHTLY else [all_cases()[case] for case in sample(fault, RED[fault], 2)]
    found = answers.red(tried, fault)
    assert found
    assert sorted(found) == sorted(case.id for case in tried if case.id in RED[fault])


def test_each_case_goes_red_for_a_fault_that_is_not_crude() -> None:
    reached = {case for fault, cases in RED.items() for case in cases if not FAULTS[fault].crude}
    assert all_cases().keys() - reached == set()


def test_a_fault_is_reported_with_its_clause_and_what_was_expected(answers: Answers) -> None:
    cases = tuple(case for case in SUITE.cases if case.id.startswith("tags/run-last/"))
    broken = answers.red(cases, "runs-the-last-first")
    assert any("tags.run-last" in case.clauses for case in cases if case.id in broken)
    assert any("order: expected" in line for lines in broken.values() for line in lines)


def test_only_a_driver_that_passes_the_whole_suite_conforms(run: Run, answers: Answers) -> None:
    def held(fault: str | None = None, unable: str | None = None) -> Completed:
        with answers.wrong_driver(fault, unable), in_memory():
            return run("conformance")

    outcome = held()
    assert outcome.code == 0
    assert outcome.out.endswith("It conforms to the checked clauses of SkillBag v0.3.0.\n")
    outcome = held(unable="winner")
    assert outcome.code == 0
    assert "conforms" not in outcome.out
    assert re.search(r"Nothing failed, but not all is covered; not offered: .*resolution\.skill-conflict", outcome.out)
    assert re.search(r"^\d+ cases not offered: the driver does not know the operation winner$", outcome.out, re.M)
    outcome = held("runs-the-last-first")
    assert outcome.code == 1
    assert "conforms" not in outcome.out
    assert re.search(r"It fails \d+ clauses of SkillBag: .*tags\.run-last", outcome.out)
    # A clause with SHOULD may be broken for a reason.
    outcome = held("keeps-nothing")
    assert outcome.code == 1
    assert re.search(r"conforms to .*: to all MUST clauses, but it fails others: .*precedence\.persist", outcome.out)
