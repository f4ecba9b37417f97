"""`timing=true` beside other options and formats: the report stays as it is, and a plain check costs nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.kernel.base import clock
from skillbag.kernel.documents import markdown_events
from tests.doors.cli.timings import EMPTY, SKILLS, rules, timed
from tests.supply.sources.repositories import git
from tests.support import PROJECT, Run, Tree


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_rest_of_the_report_is_the_same(tree: Tree, run: Run, form: str) -> None:
    root = tree(SKILLS)
    plain = run("check", "--format", form, cwd=root)
    both = run("check", "--config=timing=true", "--format", form, cwd=root)
    report, mark, _ = both.out.partition(',\n"timing": ' if form == "json" else "\nThe check took ")
    assert mark
    assert report + ("}\n" if form == "json" else "") == plain.out
    assert (both.code, both.err) == (plain.code, plain.err)


@pytest.mark.parametrize("form", ["github", "sarif", "gitlab", "junit", "markdown"])
def test_other_formats_stay_as_they_are_and_the_table_goes_to_standard_error(tree: Tree, run: Run, form: str) -> None:
    root = tree(SKILLS)
    plain = run("check", "--format", form, cwd=root)
    both = run("check", "--config=timing=true", "--format", form, cwd=root)
    assert both.out == plain.out
    assert both.err.startswith("The check took ")
    assert "body-empty" in both.err


def test_another_report_of_the_same_run_holds_the_times(tree: Tree, run: Run) -> None:
    root = tree(SKILLS)
    done = run("check", "--config=timing=true", "--output", "json=out.json", "--output", "sarif=out.sarif", cwd=root)
    assert (done.err, done.out.count("The check took")) == ("", 1)
    assert json.loads((root / "out.json").read_text("utf-8"))["timing"]["rules"]
    assert json.loads((root / "out.sarif").read_text("utf-8"))["runs"]


@pytest.mark.parametrize("other", [("--watch",), ("--fix",), ("--format=diff",), ("--output=baseline=base.json",)])
def test_what_is_no_single_check_with_a_report_is_refused(
    tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, other: tuple[str, ...]
) -> None:
    # It would not end.
    monkeypatch.setattr("skillbag.doors.cli.watching.watch_check", lambda *_, **__: 0)
    root = tree(SKILLS)
    done = run("check", "--config=timing=true", *other, cwd=root)
    assert (done.code, done.out) == (2, "")
    assert "timing=true measures one check" in done.err
    assert other[0].replace("=", " ", 1).removesuffix("base.json").replace("--output", "-o") in done.err
    assert not (root / "base.json").exists()


def test_a_baseline_standard_input_and_staged_files_are_measured(tree: Tree, run: Run, git_config: Path) -> None:
    root = tree(SKILLS)
    assert run("check", "--output=baseline=base.json", cwd=root).code == 0
    assert rules(timed(run, root, "--baseline", "base.json"))["link-broken"][2] == 1
    file = "skills/a/SKILL.md"
    done = run("check", "-", file, "--config=timing=true", cwd=root, stdin=EMPTY.format("a").encode())
    assert "The check took" in done.out
    git(root, "init", "-q")
    git(root, "add", ".")
    assert rules(timed(run, root, "--staged"))["body-empty"][1] == 4


def test_the_cache_is_neither_read_nor_written(tree: Tree, run: Run, tmp_path: Path) -> None:
    root = tree(SKILLS)
    folder = Path(os.environ["SKILLBAG_CACHE_DIR"])
    assert rules(timed(run, root))["body-empty"][1] == 4
    assert not folder.exists()
    run("check", cwd=root)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert before
    assert rules(timed(run, root))["body-empty"][1] == 4
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_no_clock_is_left_running(tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(SKILLS)
    timed(run, root)
    assert clock.timed is None

    def broken(*_: object) -> None:
        raise OSError(5, "broken")

    monkeypatch.setattr(markdown_events, "read_markdown", broken)
    assert run("check", "--config=timing=true", cwd=root).code == 4
    assert clock.timed is None


def test_a_plain_check_imports_nothing_of_it(tree: Tree) -> None:
    program = (
        "import atexit, sys; from skillbag.doors.cli import main\n"
        "atexit.register(lambda: print([name for name in sys.modules if name.endswith('.timing')], file=sys.stderr))\n"
        "main()"
    )
    command = [sys.executable, "-c", program, "check", "--config=cache=false"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(command, cwd=tree(SKILLS), env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == "[]\n"
