"""`skillbag team conformance`: what it prints in each form, what it selects, and the message for bad usage."""

from __future__ import annotations

import json
import os
import platform
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.fleet.conformance.suite import SUITE
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.support import PROJECT, Completed, Run

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("a_job")]

SCHEMA = json.loads((PROJECT / "schemas" / "conformance-report.schema.json").read_text("utf-8"))
TEXTS = Path(__file__).with_name("texts")
SORTED = "files/clauses/root-catalog-sorted"
TWO = "files/clauses/root-catalog-[rs]*"
CONFORMS = "conforms to the checked clauses of SkillBag v0.3.0"


@pytest.fixture
def answering(tmp_path: Path) -> Callable[[str], str]:
    """The command of a driver that answers every check as a Python expression says."""
    path = write(tmp_path, {"driver.py": DRIVER}) / "driver.py"
    return lambda answer: shlex.join([sys.executable, str(path), answer])


DRIVER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request['operation'] == 'hello':
        answer = {'protocol': 1, 'name': 'fair', 'version': '2', 'operations': ['check']}
    else:
        folders = request['inputs'].get('folders', {})
        answer = {'id': request['id'], **eval(sys.argv[1])}
    print(json.dumps(answer), flush=True)
"""
ALL = "{'outcome': {'status': 'done', 'broken': {f: ['root.catalog-sorted'] * ('breach' in f) for f in folders}}}"
CLEAN = "{'outcome': {'status': 'done', 'broken': {f: [] for f in folders}}}"
HALF = "{'unsupported': 'not yet'} if 'breach-file' in folders else " + ALL


@pytest.fixture
def kit(run: Run, answering: Callable[[str], str]) -> Callable[..., Completed]:
    """Hold the driver with these answers to the case about the sorted catalog."""
    return lambda answer, *more: run("conformance", "--driver", answering(answer), "--case", SORTED, *more)


def values_of(run: Run, *arguments: object) -> tuple[int, dict[str, Any]]:
    outcome = run("conformance", *arguments, "--json")
    values: dict[str, Any] = json.loads(outcome.out)
    Draft202012Validator(SCHEMA).validate(values)
    assert values["exit"] == outcome.code
    return outcome.code, values


def expected_text(name: str) -> str:
    return (TEXTS / name).read_text("utf-8").format(kit=SUITE.kit, python=platform.python_version())


@pytest.mark.parametrize(("answer", "name", "code"), [(ALL, "passed", 0), (CLEAN, "failed", 1)])
def test_the_report_names_each_clause_and_what_was_expected_of_a_case_that_failed(
    kit: Callable[..., Completed], tmp_path: Path, answer: str, name: str, code: int
) -> None:
    page, kept = tmp_path / "report.md", tmp_path / "kept.md"
    page.write_text("Older.\n", "utf-8")
    os.link(page, kept)
    outcome = kit(answer, "--markdown", page)
    assert (outcome.code, outcome.err) == (code, "")
    assert outcome.out == expected_text(f"{name}.txt")
    assert page.read_text("utf-8") == expected_text(f"{name}.md")
    # A file that is written into, not replaced, changes under both names.
    assert kept.read_text("utf-8") == "Older.\n"


@pytest.mark.parametrize(("answer", "code"), [(ALL, 0), (CLEAN, 1)])
def test_the_matrix_is_a_page(kit: Callable[..., Completed], tmp_path: Path, answer: str, code: int) -> None:
    page = tmp_path / "matrix.html"
    assert kit(answer, "--html", page).code == code
    shown = page.read_text("utf-8")
    assert SORTED.partition("/")[2] in shown
    assert ('"verdict": "failed"' in shown) == bool(code)


@pytest.mark.parametrize("option", ["--markdown", "--html", "--badge"])
def test_an_empty_name_of_a_report_is_a_mistake(kit: Callable[..., Completed], option: str) -> None:
    outcome = kit(ALL, option, "")
    assert (outcome.code, outcome.out) == (2, "")
    assert option in outcome.err
    assert "it names no file" in outcome.err


def test_what_is_not_covered_is_named_and_fails_nothing(run: Run, answering: Callable[[str], str]) -> None:
    outcome = run("conformance", "--driver", answering(HALF), "--case", TWO)
    assert outcome.code == 0
    assert "passed       root.catalog-sorted  1 passed\n" in outcome.out
    assert "not covered  root.catalog-real    1 not covered\n" in outcome.out
    assert "\n1 case not covered: not yet\n" in outcome.out
    assert outcome.out.endswith(
        "2 cases: 1 passed, 1 not covered. Nothing failed, but not all is covered; not covered: root.catalog-real.\n"
    )
    assert CONFORMS not in outcome.out


@pytest.mark.parametrize(("answer", "code"), [(ALL, 1), (CLEAN, 1), (HALF, 0)])
def test_the_json_has_its_schema_and_the_same_results(
    run: Run, answering: Callable[[str], str], answer: str, code: int
) -> None:
    found, values = values_of(run, "--driver", answering(answer), "--case", TWO)
    assert found == code
    assert values["driver"] == {"name": "fair", "version": "2"}
    assert (values["whole"], values["conforms"]) == (False, False)
    assert sum(values["summary"].values()) == len(values["cases"]) == 2
    assert [case["id"] for case in values["cases"]] == [
        "files/clauses/root-catalog-sorted",
        "files/clauses/root-catalog-real",
    ]
    assert [clause["id"] for clause in values["clauses"]] == ["root.catalog-sorted", "root.catalog-real"]
    assert all(bool(case["lines"]) == (case["verdict"] != "passed") for case in values["cases"])


def test_the_answer_of_a_driver_is_no_markup_in_the_markdown(kit: Callable[..., Completed], tmp_path: Path) -> None:
    page = tmp_path / "report.md"
    kit("{'outcome': {'status': '<script>\\n# x\\n\\x1b[31m'}}", "--markdown", page)
    lines = page.read_text("utf-8").splitlines()
    assert all(line.startswith("    ") for line in lines if "script" in line)
    assert "# x" not in lines
    assert "\x1b" not in page.read_text("utf-8")


def test_a_report_that_cannot_be_written_is_a_failure_of_the_environment(
    kit: Callable[..., Completed], tmp_path: Path
) -> None:
    outcome = kit(ALL, "--markdown", tmp_path / "no" / "report.md")
    assert outcome.code == 4
    assert "No such file or directory" in outcome.err
    # A long run is not lost with it.
    assert "1 case: " in outcome.out


def test_the_list_shows_the_cases_and_runs_nothing(run: Run) -> None:
    outcome = run("conformance", "--list", "--case", TWO, "--driver", "no-such-driver")
    assert outcome.code == 0
    assert outcome.out == (
        "files/clauses/root-catalog-sorted  breach  [root.catalog-sorted]\n"  # in the order of the standard
        "files/clauses/root-catalog-real  breach  [root.catalog-real]\n"
    )
    _, values = values_of(run, "--list")
    assert [item["id"] for item in values["list"]] == [case.id for case in SUITE.cases]


def test_a_clause_a_part_of_the_standard_and_a_pattern_select(run: Run) -> None:
    def listed(*arguments: str) -> set[str]:
        return {item["id"] for item in values_of(run, "--list", *arguments)[1]["list"]}

    assert listed("--clause", "tags.use") == {case.id for case in SUITE.cases if "tags.use" in case.clauses}
    assert listed("--clause", "tags.use", "--clause", "tags.run-last") > listed("--clause", "tags.use")
    assert listed("--clause", "refresh") == {
        case.id for case in SUITE.cases if any(clause.startswith("refresh.") for clause in case.clauses)
    }
    both = listed("--clause", "root.catalog-sorted", "--case", "files/*")
    assert both == {"files/clauses/root-catalog-sorted"}


@each_row(
    ("arguments", "words"),
    [
        (["--driver", "'open"], '--driver "\'open": no closing quotation'),
        (["--driver", "  "], "--driver is empty"),
        (["--driver", "no-such-driver --fast"], "--driver: 'no-such-driver' can't be started: No such file"),
        (["--driver", "/"], "--driver: '/' can't be started: Permission denied"),
        (["--driver", "a\0b"], "--driver: 'a\\x00b' can't be started: embedded null byte"),
        (["--clause", "root.catalog-sortd"], "no clause 'root.catalog-sortd'; did you mean 'root.catalog-sorted'?"),
        (["--case", "nothing/*"], "no case matches; --list shows them all"),
        (["--clause", "tags.use", "--case", "files/clauses/root-catalog-sorted"], "no case matches"),
    ],
)
def test_bad_usage_is_one_sentence(run: Run, arguments: list[str], words: str) -> None:
    outcome = run("conformance", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("\n") == 1
    assert words in outcome.err
    code, values = values_of(run, *arguments)
    assert code == 2
    assert words.replace("\\x00", "\0") in values["error"] or words in values["error"]


@pytest.mark.parametrize("arguments", [["--jobs", "0"], ["--timeout", "0"], ["--jobs", "many"], ["x"]])
def test_an_option_that_makes_no_sense_is_refused(run: Run, arguments: list[str]) -> None:
    assert run("conformance", *arguments).code == 2


def test_a_driver_is_split_as_a_shell_would_and_run_without_a_shell(run: Run, tmp_path: Path) -> None:
    script = write(tmp_path / "my drivers", {"a driver.sh": '#!/bin/sh\nprintf %s "$1" > "$0.txt"\n'}) / "a driver.sh"
    script.chmod(0o755)
    run("conformance", "--driver", f"'{script}' '$HOME; `id`'", "--case", SORTED, "--jobs", 1)
    assert Path(f"{script}.txt").read_text("utf-8") == "$HOME; `id`"


def test_a_driver_runs_in_the_current_folder_without_variables_that_mislead_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"driver.py": DRIVER})
    monkeypatch.setenv("SKILLBAG_SESSION", "mine")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    names = ("SKILLBAG_SESSION", "GIT_DIR", "SKILLBAG_CACHE_DIR")
    answer = f"{{'unsupported': str([name for name in {names} if name in __import__('os').environ])}}"
    driver = shlex.join([sys.executable, "./driver.py", answer])
    outcome = run("conformance", "--driver", driver, "--case", SORTED, cwd=tmp_path)
    assert "1 case not covered: ['SKILLBAG_CACHE_DIR']\n" in outcome.out


def test_our_own_driver_passes_and_leaves_nothing_behind(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    outcome = run("conformance", "--case", "tags/run-last/several-*", "--jobs", 2)
    assert outcome.code == 0, outcome.out
    assert list(temporary.iterdir()) == []


def test_a_bar_is_shown_on_a_terminal_and_goes(answering: Callable[[str], str]) -> None:
    """Standard error is a terminal here; standard output a pipe, which has the report alone."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "skillbag", "team", "conformance", "--case", SORTED, "--driver"]
    done = subprocess.run(
        [*command, answering(ALL)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
        timeout=60,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert re.search(r"[01]/1", shown)
    assert "\x1b" not in done.stdout.decode()
    assert done.stdout.decode().startswith("fair 2: 1 case ")
