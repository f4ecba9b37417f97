"""The kit as one file: it runs with Python alone, and concludes for the core, extensions, levels and profiles."""

from __future__ import annotations

import ast
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from skillbag.fleet.conformance.kit import (
    FAILED,
    NOT_COVERED,
    NOT_OFFERED,
    PASSED,
    CaseResult,
    ConformanceCase,
    DriverInfo,
    Report,
    report_badge,
    report_junit,
    report_of,
    totals,
)
from tests.fleet.conformance.suite import SUITE
from tests.rows import each_row
from tests.support import PROJECT, Completed, Run

KIT = PROJECT / "skillbag/fleet/conformance/kit.py"
SCHEMA = json.loads((PROJECT / "schemas/conformance-report.schema.json").read_text("utf-8"))
DRIVER = """
import json, sys
known = ['enter', 'resolve', 'run', 'order', 'winner', 'refresh', 'remember', 'forget', 'install', 'check', 'put']
for line in sys.stdin:
    request = json.loads(line)
    if request['operation'] == 'hello':
        answer = {'protocol': 1, 'name': 'mute', 'version': '1', 'operations': known, **json.loads(sys.argv[1])}
    else:
        answer = {'id': request['id'], 'unsupported': 'not yet'}
    print(json.dumps(answer), flush=True)
"""
PROFILES = SUITE.profiles


@pytest.fixture
def one_file(tmp_path: Path) -> Callable[..., Completed]:
    """Runs the one file in a folder with it and the cases alone, by a Python that knows no packages."""
    for name in ("run.py", "cases.json"):
        shutil.copy(PROJECT / "conformance" / name, tmp_path)
    (tmp_path / "driver.py").write_text(DRIVER, "utf-8")
    (tmp_path / "expected.txt").write_text("# known\ntags/us/*  # all\n", "utf-8")

    def run(hello: dict[str, Any], *arguments: str) -> Completed:
        driver = shlex.join([sys.executable, "-I", "driver.py", json.dumps(hello)])
        command = [sys.executable, "-I", "-S", "run.py", "--driver", driver, "--jobs", "2", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
        return Completed(done.returncode, done.stdout, done.stderr)

    return run


def test_it_imports_the_standard_library_alone() -> None:
    tree = ast.walk(ast.parse(KIT.read_text("utf-8")))
    names = {
        name
        for node in tree
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or "."]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


OFFERS: list[tuple[dict[str, Any], Callable[[ConformanceCase], bool]]] = [
    ({}, lambda case: True),
    ({"features": []}, lambda case: not case.needs),
    ({"features": ["types", "hidden"]}, lambda case: {"types", "hidden"}.issuperset(case.needs)),
    ({"operations": ["order", "put"]}, lambda case: {step.operation for step in case.steps} <= {"order", "put", ""}),
    ({"clauses": ["tags.run-last"]}, lambda case: list(case.clauses) == ["tags.run-last"]),
    ({"profile": "source"}, lambda case: PROFILES["source"].issuperset(case.clauses)),
    ({"profile": "source", "clauses": ["source.kinds"]}, lambda case: list(case.clauses) == ["source.kinds"]),
]


@each_row(("hello", "is_offered"), OFFERS)
def test_what_a_driver_does_not_offer_is_not_sent(
    one_file: Callable[..., Completed], hello: dict[str, Any], is_offered: Callable[[ConformanceCase], bool]
) -> None:
    outcome = one_file(hello, "--json")
    values = json.loads(outcome.out)
    Draft202012Validator(SCHEMA).validate(values)
    assert (outcome.code, values["exit"], values["conforms"]) == (1, 1, False)
    assert {case["id"]: case["verdict"] for case in values["cases"]} == {
        case.id: NOT_COVERED if is_offered(case) else NOT_OFFERED for case in SUITE.cases
    }
    assert values["versions"]["kit"] == SUITE.kit
    assert values["profile"] == hello.get("profile")


@each_row(
    ("hello", "words"),
    [
        ({"features": "types"}, "its answer to hello has features that are no list of names"),
        ({"clauses": [1]}, "its answer to hello has clauses that are no list of names"),
        ({"profile": ["agent"]}, "its answer to hello has a profile that is no text"),
        ({"profile": "agnt"}, 'it has the profile "agnt", which is none'),
    ],
)
def test_a_malformed_offer_is_no_greeting(one_file: Callable[..., Completed], hello: Any, words: str) -> None:
    outcome = one_file(hello, "--clause", "tags.use")
    assert outcome.code == 1
    assert f"the driver did not greet: {words}" in outcome.out


def test_the_one_file_says_what_the_command_says(
    one_file: Callable[..., Completed], run: Run, tmp_path: Path, a_job: None
) -> None:
    driver = shlex.join([sys.executable, "-I", str(tmp_path / "driver.py"), "{}"])
    for options in (["--clause", "tags.use"], ["--list", "--profile", "source"], ["--clause", "tags.us"]):
        alone, ours = one_file({}, *options), run("conformance", "--driver", driver, *options)
        assert (alone.code, alone.out, alone.err) == (ours.code, ours.out, ours.err)


@each_row(
    ("arguments", "words"),
    [
        (["--profile", "agnt"], "there is no profile 'agnt'; there are agent, source, workspace"),
        (["--cases", "driver.py"], "driver.py is no list of conformance cases"),
        (["--expected", "expected.txt"], "expected.txt:2: no case matches 'tags/us/*'"),
        (["--cases", "cases.yaml"], "error: cases.yaml: No such file"),
        (["--junit", "no/report.xml", "--clause", "tags.use"], "error: no/report.xml: No such file"),
        (["--jobs", "0"], "--driver CMD is needed"),
    ],
)
def test_bad_usage_of_the_one_file_is_a_sentence(
    one_file: Callable[..., Completed], arguments: list[str], words: str
) -> None:
    outcome = one_file({}, *arguments)
    assert outcome.code in (2, 4)
    assert words in outcome.err
    assert "Traceback" not in outcome.err


# What it concludes


def report(verdict: Callable[[ConformanceCase], str], profile: str | None = None, **more: Any) -> Report:
    """The report of a run whose cases have these verdicts."""
    inside = PROFILES[profile] if profile else {clause.id for clause in SUITE.clauses}
    cases = [case for case in SUITE.cases if inside >= set(case.clauses)]
    results = [CaseResult.of(case, verdict(case), "why") for case in cases]
    return report_of(SUITE, results, DriverInfo("mine", "2", frozenset()), profile, **more)


def about(*clauses: str, verdict: str = FAILED) -> Callable[[ConformanceCase], str]:
    return lambda case: PASSED if set(clauses).isdisjoint(case.clauses) else verdict


def needing(verdict: str, *names: str) -> Callable[[ConformanceCase], str]:
    return lambda case: verdict if set(names or case.needs) & set(case.needs) else PASSED


CONFORMS = "It conforms to the checked clauses of SkillBag v0.3.0"
CONCLUSIONS: list[tuple[Callable[[ConformanceCase], str], str | None, bool, str]] = [
    (about(), None, True, f" passed. {CONFORMS}."),
    (about(), "agent", True, f" passed. {CONFORMS}, profile agent."),
    # One of its clauses has no case, since only an agent can comply.
    (about(), "workspace", True, f" passed. {CONFORMS}, profile workspace."),
    (needing(NOT_OFFERED), None, True, f"{CONFORMS}."),
    (needing(FAILED, "types"), None, True, f". {CONFORMS}."),
    (about("precedence.persist"), None, True, f"{CONFORMS}: to all MUST clauses, but it fails others: "),
    (about("bootstrap.tools"), None, False, "It fails 1 clause of SkillBag: bootstrap.tools."),
    (about("bootstrap.tools"), "agent", True, f"{CONFORMS}, profile agent."),
    (about("bootstrap.tools", verdict=NOT_COVERED), None, False, "not covered: bootstrap.tools."),
    (about("bootstrap.tools", verdict=NOT_OFFERED), None, False, "not offered: bootstrap.tools."),
]


@each_row(("verdict", "profile", "conforms", "words"), CONCLUSIONS)
def test_the_core_of_the_must_clauses_decides(
    verdict: Callable[[ConformanceCase], str], profile: str | None, conforms: bool, words: str
) -> None:
    found = report(verdict, profile)
    assert found.conforms is conforms
    assert words in totals(found)
    assert (CONFORMS in totals(found)) is conforms


def test_levels_and_extensions_have_their_numbers() -> None:
    found = report(lambda case: NOT_OFFERED if "types" in case.needs else about("bootstrap.tools")(case))
    (must, *_), extensions = found.levels, {each.name: each for each in found.extensions}
    assert must.name == "MUST"
    assert (must.counts.failed, must.counts.not_covered) == (1, 0)
    every = {clause.id for clause in SUITE.clauses if clause.level.startswith("MUST")}
    core = {clause for case in SUITE.cases if not case.needs for clause in case.clauses}
    assert sum(must.counts) == len(every & core)
    assert extensions.keys() == SUITE.extensions.keys()
    assert extensions["types"].counts.not_offered == sum("types" in case.needs for case in SUITE.cases)
    assert extensions["tags-block"].counts.verdict == PASSED
    badge = ElementTree.fromstring(report_badge(found))  # noqa: S314 - our own
    assert badge.attrib["aria-label"] == f"SkillBag v0.3.0: core MUST {must.counts.passed}/{sum(must.counts)}"


def test_exactly_the_expected_failures_are_no_failure() -> None:
    red = {case.id for case in SUITE.cases if "bootstrap.tools" in case.clauses}
    found = report(about("bootstrap.tools"), expected=red)
    assert not found.failed
    assert not found.conforms
    assert report(about("bootstrap.tools", "tags.use"), expected=red).failed
    surprised = report(about(), expected={SUITE.cases[0].id})
    assert surprised.failed
    assert totals(surprised).endswith(f"Expected to fail, but passed: {SUITE.cases[0].id}.")


def test_the_junit_report_has_each_case_once_with_its_outcome() -> None:
    (surprise, *_) = (case.id for case in SUITE.cases if "root.catalog-line" in case.clauses)
    expected = {case.id for case in SUITE.cases if "tags.use" in case.clauses} | {surprise}
    text = report_junit(
        report(
            lambda case: NOT_OFFERED if "types" in case.needs else about("tags.use", "bootstrap.tools")(case),
            expected=expected,
        )
    )
    suites = ElementTree.fromstring(text)  # noqa: S314 - our own
    cases = list(suites.iter("testcase"))
    assert [case.attrib["name"] for case in cases].sort() == [case.id for case in SUITE.cases].sort()
    outcomes = {case.attrib["name"]: case[0] for case in cases if len(case)}
    assert outcomes[surprise].attrib["message"] == "it passed, though it was expected to fail"
    for suite in suites:
        inner = [child.tag for case in suite.iter("testcase") for child in case]
        assert int(suite.attrib["tests"]) == len(list(suite.iter("testcase")))
        assert int(suite.attrib["failures"]) == inner.count("failure")
        assert int(suite.attrib["skipped"]) == inner.count("skipped")
    failing = {name for name, child in outcomes.items() if child.tag == "failure"}
    assert failing == {
        *(case.id for case in SUITE.cases if "bootstrap.tools" in case.clauses and case.id not in expected),
        surprise,
    }


def test_what_a_driver_says_is_text_in_xml() -> None:
    hostile = "</failure>\x1b]0;owned\x07\ud800 & \"'"
    result = CaseResult.of(SUITE.cases[0], FAILED, hostile)
    found = report_of(SUITE, [result], DriverInfo(hostile, "<b>", frozenset()))
    for text in (report_junit(found), report_badge(found)):
        assert ElementTree.fromstring(text) is not None  # noqa: S314 - our own
        assert "\x1b" not in text
