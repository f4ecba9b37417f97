"""`skillbag conformance`: what it prints in each form, what it selects, and what it says of bad usage."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillbag.conformance.suite import load_suite
from tests.support import PROJECT, Run

pytestmark = pytest.mark.boundary

SCHEMA = json.loads((PROJECT / "schemas" / "conformance-report.schema.json").read_text("utf-8"))
SORTED = "rules/root.catalog-sorted"
TWO = "rules/root.catalog-[rs]*"
CONFORMS = "conforms to the checked clauses of SkillBag v0.3.0"


@pytest.fixture
def answering(tmp_path: Path) -> str:
    """The command of a driver that answers every check as the first argument (a Python expression) says."""
    path = tmp_path / "driver.py"
    path.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    if request['operation'] == 'hello':\n"
        "        answer = {'protocol': 1, 'name': 'fair', 'version': '2', 'operations': ['check']}\n"
        "    else:\n"
        "        folders = request['inputs'].get('folders', {})\n"
        "        answer = {'id': request['id'], **eval(sys.argv[1])}\n"
        "    print(json.dumps(answer), flush=True)\n",
        "utf-8",
    )
    return shlex.join([sys.executable, str(path)])


ALL = "{'outcome': {'status': 'done', 'broken': {f: ['root.catalog-sorted'] * ('-fail-' in f) for f in folders}}}"
CLEAN = "{'outcome': {'status': 'done', 'broken': {f: [] for f in folders}}}"
HALF = "{'unsupported': 'not yet'} if 'catalog-entry-unknown-pass-1' in folders else " + ALL


def values_of(run: Run, *arguments: object) -> tuple[int, dict[str, Any]]:
    outcome = run("conformance", *arguments, "--json")
    values: dict[str, Any] = json.loads(outcome.out)
    Draft202012Validator(SCHEMA).validate(values)
    assert values["exit"] == outcome.code
    return outcome.code, values


def test_a_selection_that_passes_is_told_and_conforms_to_nothing(run: Run, answering: str) -> None:
    outcome = run("conformance", "--driver", f"{answering} {shlex.quote(ALL)}", "--case", SORTED)
    assert outcome.code == 0
    assert outcome.out == (
        "fair 2: 1 case about 1 clause\n"
        "\n"
        "passed  root.catalog-sorted  1 passed\n"
        "\n"
        "1 case: 1 passed. All of the chosen cases passed; the others were not run.\n"
    )
    assert outcome.err == ""


def test_a_case_that_fails_is_told_with_what_was_expected(run: Run, answering: str) -> None:
    outcome = run("conformance", "--driver", f"{answering} {shlex.quote(CLEAN)}", "--case", SORTED)
    assert outcome.code == 1
    assert outcome.out == (
        "fair 2: 1 case about 1 clause\n"
        "\n"
        "FAILED  root.catalog-sorted  1 failed\n"
        "\n"
        "rules/root.catalog-sorted failed  [root.catalog-sorted]\n"
        "  about: The catalog is sorted by name.\n"
        '  step 1 (check): broken.catalog-unsorted-fail-1: expected contains "root.catalog-sorted", got []\n'
        '  step 1 (check): broken.catalog-unsorted-fail-2: expected contains "root.catalog-sorted", got []\n'
        "\n"
        "1 case: 1 failed. It fails 1 clause of SkillBag: root.catalog-sorted.\n"
    )


def test_what_is_not_covered_is_named_and_fails_nothing(run: Run, answering: str) -> None:
    outcome = run("conformance", "--driver", f"{answering} {shlex.quote(HALF)}", "--case", TWO)
    assert outcome.code == 0
    assert "passed       root.catalog-sorted  1 passed\n" in outcome.out
    assert "not covered  root.catalog-real    1 not covered\n" in outcome.out
    assert "\n1 case not covered: not yet\n" in outcome.out
    assert outcome.out.endswith(
        "2 cases: 1 passed, 1 not covered. Nothing failed, but not all is covered; not covered: root.catalog-real.\n"
    )
    assert CONFORMS not in outcome.out


@pytest.mark.parametrize(("answer", "code"), [(ALL, 1), (CLEAN, 1), (HALF, 0)])
def test_the_json_has_its_schema_and_says_the_same(run: Run, answering: str, answer: str, code: int) -> None:
    found, values = values_of(run, "--driver", f"{answering} {shlex.quote(answer)}", "--case", TWO)
    assert found == code
    assert values["driver"] == {"name": "fair", "version": "2"}
    assert (values["whole"], values["conforms"]) == (False, False)
    assert sum(values["summary"].values()) == len(values["cases"]) == 2
    assert [one["id"] for one in values["cases"]] == ["rules/root.catalog-sorted", "rules/root.catalog-real"]
    assert [one["id"] for one in values["clauses"]] == ["root.catalog-sorted", "root.catalog-real"]
    assert [bool(one["lines"]) for one in values["cases"]] == [one["verdict"] != "passed" for one in values["cases"]]


def test_the_markdown_has_a_row_for_each_clause_and_the_cases_that_failed(
    run: Run, answering: str, tmp_path: Path
) -> None:
    page = tmp_path / "report.md"
    run("conformance", "--driver", f"{answering} {shlex.quote(CLEAN)}", "--case", SORTED, "--markdown", page)
    assert page.read_text("utf-8") == (
        "# Conformance to SkillBag v0.3.0\n"
        "\n"
        "    fair 2\n"
        "\n"
        "1 case: 1 failed. It fails 1 clause of SkillBag: root.catalog-sorted.\n"
        "\n"
        "| Clause | Level |  | Passed | Failed | Not covered |\n"
        "| --- | --- | --- | ---: | ---: | ---: |\n"
        "| root.catalog-sorted | MUST | **failed** | 0 | 1 | 0 |\n"
        "\n"
        "## rules/root.catalog-sorted\n"
        "\n"
        "root.catalog-sorted (breach). The catalog is sorted by name.\n"
        "\n"
        '    step 1 (check): broken.catalog-unsorted-fail-1: expected contains "root.catalog-sorted", got []\n'
        '    step 1 (check): broken.catalog-unsorted-fail-2: expected contains "root.catalog-sorted", got []\n'
    )


def test_what_a_driver_says_is_no_markup_in_the_markdown(run: Run, answering: str, tmp_path: Path) -> None:
    page = tmp_path / "report.md"
    hostile = "{'outcome': {'status': '<script>\\n# x\\n\\x1b[31m'}}"
    run("conformance", "--driver", f"{answering} {shlex.quote(hostile)}", "--case", SORTED, "--markdown", page)
    lines = page.read_text("utf-8").splitlines()
    assert all(line.startswith("    ") for line in lines if "script" in line)
    assert "# x" not in lines
    assert "\x1b" not in page.read_text("utf-8")


def test_a_report_that_can_t_be_written_is_an_environment_s_failure(run: Run, answering: str, tmp_path: Path) -> None:
    options = ("--driver", f"{answering} {shlex.quote(ALL)}", "--case", SORTED)
    outcome = run("conformance", *options, "--markdown", tmp_path / "no" / "report.md")
    assert outcome.code == 4
    assert "No such file or directory" in outcome.err
    # A long run is not lost with it.
    assert "1 case: " in outcome.out


def test_an_older_report_is_replaced_as_a_whole(run: Run, answering: str, tmp_path: Path) -> None:
    page, kept = tmp_path / "report.md", tmp_path / "kept.md"
    page.write_text("Older.\n", "utf-8")
    os.link(page, kept)
    run("conformance", "--driver", f"{answering} {shlex.quote(ALL)}", "--case", SORTED, "--markdown", page)
    assert page.read_text("utf-8").startswith("# Conformance")
    # What was written into, not replaced, would have changed under both names.
    assert kept.read_text("utf-8") == "Older.\n"


def test_the_list_shows_the_cases_and_runs_nothing(run: Run) -> None:
    outcome = run("conformance", "--list", "--case", TWO, "--driver", "no-such-driver")
    assert outcome.code == 0
    assert outcome.out == (
        "rules/root.catalog-sorted  breach  [root.catalog-sorted]\n"  # in the order of the standard
        "rules/root.catalog-real  breach  [root.catalog-real]\n"
    )
    _, values = values_of(run, "--list")
    assert [one["id"] for one in values["list"]] == [case.id for case in load_suite().cases]


def test_a_clause_a_part_of_the_standard_and_a_pattern_select(run: Run) -> None:
    def listed(*arguments: str) -> set[str]:
        return {one["id"] for one in values_of(run, "--list", *arguments)[1]["list"]}

    suite = load_suite()
    assert listed("--clause", "tags.use") == {case.id for case in suite.cases if "tags.use" in case.clauses}
    assert listed("--clause", "tags.use", "--clause", "tags.run-last") > listed("--clause", "tags.use")
    assert listed("--clause", "refresh") == {
        case.id for case in suite.cases if any(clause.startswith("refresh.") for clause in case.clauses)
    }
    both = listed("--clause", "root.catalog-sorted", "--case", "rules/*")
    assert both == {"rules/root.catalog-sorted"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--driver", "'open"], '--driver "\'open": no closing quotation'),
        (["--driver", "  "], "--driver is empty"),
        (["--driver", "no-such-driver --fast"], "--driver: 'no-such-driver' can't be started: No such file"),
        (["--driver", "/"], "--driver: '/' can't be started: Permission denied"),
        (["--driver", "a\0b"], "--driver: 'a\\x00b' can't be started: embedded null byte"),
        (["--clause", "root.catalog-sortd"], "no clause 'root.catalog-sortd'; did you mean 'root.catalog-sorted'?"),
        (["--case", "nothing/*"], "no case matches; skillbag conformance --list shows them all"),
        (["--clause", "tags.use", "--case", "rules/root.catalog-sorted"], "no case matches"),
    ],
)
def test_bad_usage_is_one_sentence(run: Run, arguments: list[str], words: str) -> None:
    outcome = run("conformance", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("skillbag: ")
    assert outcome.err.count("\n") == 1
    assert words in outcome.err
    code, values = values_of(run, *arguments)
    assert code == 2
    assert words.replace("\\x00", "\0") in values["error"] or words in values["error"]


@pytest.mark.parametrize("arguments", [["--jobs", "0"], ["--timeout", "0"], ["--jobs", "many"], ["x"]])
def test_an_option_that_makes_no_sense_is_refused(run: Run, arguments: list[str]) -> None:
    assert run("conformance", *arguments).code == 2


def test_a_driver_is_split_as_a_shell_would_and_run_without_one(run: Run, answering: str, tmp_path: Path) -> None:
    folder = tmp_path / "my drivers"
    folder.mkdir()
    script = folder / "a driver.sh"
    script.write_text('#!/bin/sh\nprintf %s "$1" > "$0.said"\n', "utf-8")
    script.chmod(0o755)
    run("conformance", "--driver", f"'{script}' '$HOME; `id`'", "--case", SORTED, "--jobs", 1)
    assert Path(f"{script}.said").read_text("utf-8") == "$HOME; `id`"


def test_a_driver_runs_where_the_kit_was_called(run: Run, answering: str, tmp_path: Path) -> None:
    (tmp_path / "driver.py").chmod(0o644)
    answer = shlex.quote(ALL)
    driver = f"{shlex.quote(sys.executable)} ./driver.py {answer}"
    assert run("conformance", "--driver", driver, "--case", SORTED, cwd=tmp_path).code == 0


def test_a_driver_does_not_see_what_would_mislead_it(
    run: Run, answering: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBAG_SESSION", "mine")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    answer = shlex.quote("{'unsupported': str([n for n in __import__('os').environ if n[:4] in ('GIT_', 'SKIL')])}")
    outcome = run("conformance", "--driver", f"{answering} {answer}", "--case", SORTED)
    assert "GIT_DIR" not in outcome.out
    assert "SKILLBAG_SESSION" not in outcome.out


def test_our_own_driver_passes_and_leaves_nothing_behind(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    outcome = run("conformance", "--case", "tags/run-last/*", "--jobs", 2)
    assert outcome.code == 0, outcome.out
    assert list(temporary.iterdir()) == []


def test_a_bar_is_shown_on_a_terminal_and_goes(answering: str) -> None:
    """Standard error is a terminal here; standard output a pipe, which has the report alone."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "skillbag", "conformance", "--case", SORTED, "--driver"]
    done = subprocess.run(
        [*command, f"{answering} {shlex.quote(ALL)}"],
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
