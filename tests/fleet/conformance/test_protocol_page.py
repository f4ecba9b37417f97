"""`conformance/PROTOCOL.md`: its case, its exchange and its driver are what they are said to be."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from conformance_cases import read_cases

from skillbag.fleet.conformance import driver
from skillbag.fleet.conformance.kit import (
    LONGEST_LINE,
    MATCHERS,
    MAX_HANGS,
    PROTOCOL,
    CaseFolder,
    ConformanceCase,
    RunnerSettings,
    case_of,
    run_cases,
)
from skillbag.lint.rules.builtin import load_clauses
from skillbag.session.inputs.questions import QuestionKind
from tests.fleet.conformance.suite import SUITE
from tests.rows import each_row
from tests.support import PROJECT, Run

pytestmark = pytest.mark.usefixtures("a_job")

PAGE = (PROJECT / "conformance" / "PROTOCOL.md").read_text("utf-8")
SCHEMA = json.loads((PROJECT / "schemas" / "conformance-case.schema.json").read_text("utf-8"))


def block(name: str) -> str:
    """The code block below the comment `<!-- name -->`."""
    found = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.fixture
def case(tmp_path: Path) -> ConformanceCase:
    (tmp_path / "page.yaml").write_text(block("the case"), "utf-8")
    (case,) = read_cases(tmp_path / "page.yaml", "page", {clause.id for clause in load_clauses()}, SUITE.extensions)
    return case_of(case)


def test_the_case_passes(case: ConformanceCase) -> None:
    _, (result,) = run_cases([case], RunnerSettings(driver.COMMAND, jobs=1, timeout=60))
    assert result.lines == ()


def test_the_exchange_is_what_our_driver_answers(case: ConformanceCase, tmp_path: Path) -> None:
    folder = tmp_path / "case"
    folder.mkdir()
    place = CaseFolder(case, str(folder))
    lines = block("the exchange").splitlines()
    requests, answers = lines[::2], lines[1::2]
    changes = [step for step in case.steps if not step.operation]
    for request, answer in zip(requests, answers, strict=True):
        found = driver.answer(json.loads(request.replace("/tmp/case", str(folder))))
        assert json.loads(json.dumps(found)) == json.loads(answer)
        change = changes.pop(0) if changes else None
        for path in change.delete if change else ():
            place.delete(path)


def test_the_requests_are_those_of_the_case(case: ConformanceCase) -> None:
    requested = [json.loads(line) for line in block("the exchange").splitlines()[::2]]
    steps = [step for step in case.steps if step.operation]
    assert [(request["operation"], request["inputs"], request["wanted"]) for request in requested] == [
        (step.operation, step.inputs, list(step.expect)) for step in steps
    ]


def test_the_thirty_lines_are_a_driver_that_passes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "thirty_lines.py").write_text(block("the driver"), "utf-8")
    command = shlex.join([sys.executable, str(tmp_path / "thirty_lines.py")])
    for cases in ("it-runs-after-the-chosen", "several-*"):
        outcome = run("conformance", "--driver", command, "--case", f"tags/run-last/{cases}")
        assert outcome.code == 0, outcome.out
    outcome = run("conformance", "--driver", command, "--clause", "inputs.order")
    assert outcome.code == 1
    assert "the driver does not know the operation resolve" in outcome.out
    assert len(block("the driver").splitlines()) <= 36


@each_row("name", SCHEMA["$defs"]["operation"]["properties"]["operation"]["enum"])
def test_every_operation_is_described_with_its_inputs_and_outcome(name: str) -> None:
    section = re.search(rf"^### [a-z, ]*\b{name}\b.*?(?=^##)", PAGE, re.DOTALL | re.MULTILINE)
    assert section is not None
    parts = SCHEMA["$defs"][name]["properties"]
    for word in (*parts["inputs"]["properties"], *parts["expect"]["propertyNames"]["enum"]):
        assert f"`{word}`" in section[0] or word in ("status", "error"), word


def test_every_matcher_status_and_kind_is_described() -> None:
    statuses = SCHEMA["$defs"]["operation"]["properties"]["expect"]["properties"]["status"]["enum"]
    for word in (*statuses, *(kind.value for kind in QuestionKind)):
        assert f"`{word}`" in PAGE
    for matcher in MATCHERS:
        assert f"| `{matcher}: " in PAGE
    assert f'"protocol": {PROTOCOL}' in PAGE
    assert "five times" in PAGE
    assert (MAX_HANGS, LONGEST_LINE) == (5, 1 << 20)
