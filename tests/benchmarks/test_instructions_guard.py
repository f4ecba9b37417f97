"""The guard against slowness, in scratch repositories with a program that takes as long as it is told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.supply.sources.repositories import git

pytestmark = pytest.mark.slow

_GUARD = Path(__file__).parents[2] / "benchmarks" / "instructions"
_PROGRAM = """
import sys
import zipfile
for _ in range({rounds}):
    pass
sys.exit({code})
"""
_COUNTER = """#!/bin/sh
# Runs the command, and says that it took what the tree says.
while [ "${1#-}" != "$1" ]; do shift; done
"$@" || exit
[ "$1" = true ] && echo Collected : 1 >&2 || echo Collected : $(cat "$PYTHONPATH/cost") >&2
"""
_SLOWER = "- Slower: it counts further."
_RECORD = "benchmarks/results/instructions.json"


class Scratch:
    """A repository with a package `skillbag` that has nothing to do, and a counter that is told what it takes."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.root, self.capture = root / "repository", capture
        self.write("../programs/valgrind", _COUNTER)
        (root / "programs" / "valgrind").chmod(0o755)
        self.write("skillbag/__init__.py", "")
        self.program()
        self.write("CHANGELOG.md", "# Changelog\n")
        git(self.root, "init", "--quiet")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def program(self, rounds: int = 0, code: int = 0) -> None:
        self.write("skillbag/__main__.py", _PROGRAM.format(rounds=rounds, code=code))

    def cost(self, instructions: int, *changes: str) -> None:
        """Commit a program that takes so many instructions, with these lines in the changelog."""
        self.write("cost", str(instructions))
        self.write("skillbag/__init__.py", f"COST = {instructions}\n")
        if changes:
            self.write("CHANGELOG.md", "\n".join(["# Changelog", "", *changes, ""]))
        self.commit()

    def commit(self) -> None:
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--message=One")

    def guard(self, *options: str) -> tuple[int, str, str]:
        """Exit code, output and errors of the guard, on the start of the program alone."""
        import instructions_guard

        code = instructions_guard.main(["--repository", str(self.root), "--only", "start", *options])
        return code, *self.capture.readouterr()

    def judged(self, *options: str) -> dict[str, Any]:
        """What the guard says as JSON."""
        code, out, errors = self.guard("--json", *options)
        said: dict[str, Any] = json.loads(out)
        assert code == (0 if said["passed"] else 1), errors
        return said


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Scratch:
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
    return Scratch(tmp_path, capsys)


def test_a_commit_slower_by_more_than_a_twentieth_fails_unless_the_changelog_says_so(scratch: Scratch) -> None:
    scratch.cost(1000)
    scratch.cost(1050)
    code, out, _ = scratch.guard()
    assert (code, "+5.00%" in out, "FAILED" in out, "Slower" in out) == (0, True, False, False)
    scratch.cost(1103)
    code, out, _ = scratch.guard()
    assert code == 1
    assert "FAILED: `start`" in out
    assert "`- Slower:`" in out
    scratch.cost(1000)
    scratch.cost(1500, _SLOWER)
    (against,) = scratch.judged()["against"]
    assert against["growth"] == {"start": 0.5}
    assert against["excuses"] == [_SLOWER]
    # It was said of that commit, and excuses no later one.
    scratch.cost(1600)
    assert scratch.judged()["passed"] is False


@pytest.mark.nightly
def test_small_steps_add_up_since_the_last_acceptance(scratch: Scratch) -> None:
    scratch.cost(990)
    scratch.write("cost", "1000")
    assert scratch.guard("--record")[0] == 0
    scratch.cost(1000)
    assert [item["role"] for item in scratch.judged()["against"]] == ["the commit before"]
    scratch.cost(1040)
    assert [item["role"] for item in scratch.judged()["against"]] == ["the commit before"]
    scratch.cost(1080)
    assert scratch.guard("--record")[0] == 1
    before, accepted = scratch.judged()["against"]
    assert (before["role"], before["passed"]) == ("the commit before", True)
    assert (accepted["role"], accepted["passed"], accepted["counts"]) == ("last accepted", False, {"start": 1000})
    # What failed is not recorded; with its reason it is, and is the new measure.
    assert json.loads((scratch.root / _RECORD).read_text("utf-8"))["counts"] == {"start": 1000}
    scratch.write("CHANGELOG.md", _SLOWER)
    assert scratch.guard("--record")[0] == 0
    scratch.commit()
    scratch.cost(1100)
    scratch.cost(1120)
    assert [item["counts"]["start"] for item in scratch.judged()["against"]] == [1100, 1080]
    assert scratch.judged()["passed"] is True


def test_an_acceptance_is_judged_by_the_one_before(scratch: Scratch) -> None:
    scratch.write("cost", "1000")
    scratch.write(_RECORD, "{}")
    scratch.cost(1000)
    scratch.cost(1040)
    scratch.write(_RECORD, '{"counts": {"start": 1080}}')
    scratch.cost(1080)
    assert [item["passed"] for item in scratch.judged()["against"]] == [True, False]


def test_a_tree_that_is_not_committed_is_compared_with_its_commit_and_left_as_it_is(scratch: Scratch) -> None:
    scratch.cost(1000)
    assert scratch.judged()["against"] == []
    scratch.write("cost", "2000")
    scratch.write("skillbag/new.py", "")
    assert scratch.judged()["passed"] is False
    files = {path.name for path in scratch.root.rglob("*") if ".git" not in path.parts}
    assert files == {"CHANGELOG.md", "cost", "skillbag", "__init__.py", "__main__.py", "new.py"}


def test_a_commit_that_can_t_be_counted_is_named_and_passes(scratch: Scratch) -> None:
    scratch.program(code=2)
    scratch.cost(1000)
    scratch.program()
    scratch.cost(1000)
    code, out, _ = scratch.guard()
    assert code == 0
    assert "it can't be counted, so nothing was compared. start: exit code 2" in out
    scratch.program(code=2)
    code, _, errors = scratch.guard()
    assert code == 1
    assert "the working tree can't be counted" in errors
    assert scratch.guard("--against", "nothing")[0] == 2


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="nothing counts instructions here")
def test_what_is_really_counted_grows_with_the_work_and_with_nothing_else(scratch: Scratch) -> None:
    (scratch.root / "../programs/valgrind").unlink()
    scratch.write(_RECORD, "{}")
    scratch.commit()
    scratch.program(rounds=300_000)
    scratch.commit()
    scratch.write("skillbag/new.py", "")
    same, less = scratch.judged()["against"]
    assert abs(same["growth"]["start"]) < 0.001
    assert less["passed"] is False


def test_where_nothing_counts_it_warns_and_passes(scratch: Scratch, tmp_path: Path) -> None:
    command: list[str | Path] = [sys.executable, _GUARD, "--repository", tmp_path]
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0
    assert done.stderr.startswith("warning: neither valgrind nor perf")


def test_published_skills_are_counted_where_the_archive_is_and_left_out_with_a_message_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import corpora
    import instructions_guard

    monkeypatch.setattr(corpora, "ARCHIVE", str(tmp_path / "gone.zip"))
    assert list(instructions_guard._workloads(str(tmp_path), ["check, 60 published"])) == []
    assert capsys.readouterr().err == f"{corpora.NO_ARCHIVE}\n"
    with zipfile.ZipFile(tmp_path / "here.zip", "w") as archive:
        for number in range(70):
            archive.writestr(f"skills/skill-{number:02}/SKILL.md", "# Skill\n")
    monkeypatch.setattr(corpora, "ARCHIVE", str(tmp_path / "here.zip"))
    (workload,) = instructions_guard._workloads(str(tmp_path), ["check, 60 published"])
    assert "--config=cache=false" in workload.arguments
    assert sorted(os.listdir(f"{workload.folder}/skills")) == [f"skill-{number:02}" for number in range(60)]


def test_what_was_not_counted_keeps_its_recorded_figure(scratch: Scratch) -> None:
    scratch.cost(1000)
    assert scratch.guard("--record")[0] == 0
    record = json.loads((scratch.root / _RECORD).read_text("utf-8"))
    for system, kept in ((record["system"], {"start": 1000, "other": 7}), ("elsewhere", {"start": 1000})):
        scratch.write(_RECORD, json.dumps({**record, "system": system, "counts": {"start": 1, "other": 7}}))
        assert scratch.guard("--record")[0] == 0
        assert json.loads((scratch.root / _RECORD).read_text("utf-8"))["counts"] == kept
