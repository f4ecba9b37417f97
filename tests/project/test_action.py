"""`action.yml`: its shape, and its shell steps run as the runner would, on workspaces that may be hostile."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.once import once
from tests.project.action_runner import Action, Job, Ran, read_action
from tests.sampling import sample
from tests.support import PROJECT, Tree, skill

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

ACTION = read_action(PROJECT)
GOOD = {"skills/a/SKILL.md": skill("a")}
BAD = {"skills/b/SKILL.md": "# No front matter\n"}
WARNED = {"skills/a/SKILL.md": skill("a") + "\nSee [the guide](references/guide.md).\n"}

HIJACK = "import os; open(os.environ['HIJACKED'], 'w').close()\n"
MODULES = ("json", "secrets", "venv", "pip", "skillbag")
"""Names that the steps import; a repository that holds them must not get them run."""


class Checked(NamedTuple):
    """What the check step left, and the outputs of the action."""

    ran: Ran
    outputs: dict[str, str]
    job: Job


Check = Callable[..., Checked]


def job_in(workspace: Path, temporary: Path, hijacked: Path) -> Job:
    ours = ("GIT", "PYTHON", "COV", "PYTEST")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    # The interpreter of the tests as `python3`, without the programs that lie beside it in its environment.
    programs = temporary / "programs"
    programs.mkdir(parents=True, exist_ok=True)
    (programs / "python3").symlink_to(os.path.realpath(sys.executable))
    environment |= {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HIJACKED": str(hijacked)}
    return Job(workspace, temporary, environment)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter that the install step made."""
    return once(tmp_path_factory, "action", install)


def install(folder: Path) -> str:
    """Run the install step in a repository that tries to slip in its own modules."""
    workspace = folder / "workspace"
    workspace.mkdir()
    for name in MODULES:
        (workspace / f"{name}.py").write_text(HIJACK, "utf-8")
    job = job_in(workspace, folder / "runner temp", folder / "hijacked")
    before = dict(job.environment)
    for step in ("prepare", "install"):
        ran = ACTION.run(step, job)
        assert ran.code == 0, ran.log
    assert not (folder / "hijacked").exists()
    assert job.environment == before, "the step leaves something in the environment of the job's later steps"
    return job.steps["install"]["python"]


@pytest.fixture
def check(python: str, tmp_path_factory: pytest.TempPathFactory) -> Check:
    """Run the check step in a workspace with these inputs; nothing of the workspace may be run."""

    def call(workspace: Path, **inputs: str) -> Checked:
        folder = tmp_path_factory.mktemp("check")
        job = job_in(workspace, folder / "runner temp", folder / "hijacked")
        job.steps["install"] = {"python": python}
        before = dict(job.environment)
        ran = ACTION.run("check", job, **inputs)
        assert job.environment == before
        assert not (folder / "hijacked").exists()
        return Checked(ran, ACTION.outputs(job), job)

    return call


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 1\n", None], ids=["an old one", "none"])
def test_without_a_python_that_is_new_enough_the_job_says_what_to_add(tmp_path: Path, script: str | None) -> None:
    job = job_in(tmp_path, tmp_path / "runner temp", tmp_path / "hijacked")
    programs = tmp_path / "few programs"
    programs.mkdir()
    (programs / "bash").symlink_to(shutil.which("bash") or "")
    if script:
        (programs / "python3").write_text(script, "utf-8")
        (programs / "python3").chmod(0o755)
    job.environment["PATH"] = str(programs)
    ran = ACTION.run("prepare", job)
    assert ran.code == 4
    assert "::error title=skillbag::Python 3.11 or later is needed: add actions/setup-python" in ran.log


def test_a_clean_workspace_passes_with_counts_and_a_summary(tree: Tree, check: Check) -> None:
    ran, outputs, _ = check(tree(GOOD))
    assert ran.code == 0
    assert outputs == {"errors": "0", "warnings": "0", "notes": "0", "skills": "1", "files": "1", "sarif-file": ""}
    assert ran.summary.startswith("### SkillBag check: no findings\n")
    assert "::" not in ran.log


def test_a_broken_one_fails_with_annotations_and_all_reports(tree: Tree, check: Check) -> None:
    root = tree({**GOOD, **BAD})
    ran, outputs, _ = check(root, sarif_file="reports/skillbag.sarif", html_file="reports/page.html")
    assert (ran.code, outputs["sarif-file"]) == (1, "reports/skillbag.sarif")
    assert re.findall(r"^::(\w+) file=([^,]+),line=(\d+)", ran.log, re.M) == [("error", "skills/b/SKILL.md", "1")]
    assert (outputs["errors"], outputs["skills"]) == ("1", "2")
    assert "| error | skills/b/SKILL.md" in ran.summary
    assert "<title>1 error in the skills of" in (root / "reports/page.html").read_text("utf-8")
    (run,) = json.loads((root / "reports/skillbag.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["frontmatter-invalid"]


def test_the_findings_of_a_baseline_are_left_out(tree: Tree, check: Check) -> None:
    root = tree({**GOOD, **BAD})
    skillbag = [sys.executable, "-m", "skillbag", "check", "--output=baseline=old.json"]
    subprocess.run(skillbag, cwd=root, check=True, capture_output=True)
    tree({"skills/c/SKILL.md": "# No front matter\n"})
    ran, outputs, _ = check(root, baseline="old.json")
    assert (ran.code, outputs["errors"], outputs["skills"]) == (1, "1", "3")
    assert re.findall(r"^::error file=([^,]+)", ran.log, re.M) == ["skills/c/SKILL.md"]


def test_nothing_to_check_is_exit_2_and_says_so(tree: Tree, check: Check) -> None:
    ran, outputs, _ = check(tree({"notes.txt": "Nothing.\n"}))
    assert ran.code == 2
    assert "nothing to check here; looked for a workspace" in ran.log
    assert "::error title=skillbag::Nothing was checked (exit code 2)" in ran.log
    assert "nothing was checked" in ran.summary
    assert set(outputs.values()) == {""}


@pytest.mark.parametrize(("strict", "code"), [("false", 0), ("", 0), ("true", 1), ("yes", 2), ("$(touch x)", 2)])
def test_strict(tree: Tree, check: Check, strict: str, code: int) -> None:
    root = tree(WARNED)
    assert check(root, strict=strict).ran.code == code
    assert not (root / "x").exists()


HOSTILE = ["-q", "with space", "--fix", "; touch x", "$(touch x)", "`touch x`", "*", "a\"b'c", "x=y", "%0A::error::"]


def test_paths_are_data(tree: Tree, check: Check) -> None:
    root = tree({**{f"{name}/skills/a/SKILL.md": skill("a") for name in HOSTILE}, **BAD})
    ran, outputs, _ = check(root, path="\n".join(HOSTILE))
    assert (ran.code, outputs["skills"]) == (0, str(len(HOSTILE))), ran.log
    assert not (root / "x").exists()


OTHERS = product(
    ["target", "format", "baseline", "sarif_file", "html_file"], ["; touch x", "$(touch x)", "--fix", "a\nb"]
)


@pytest.mark.parametrize(("name", "value"), sample("inputs of the action", OTHERS, 4))
def test_the_other_inputs_are_data_too(tree: Tree, check: Check, name: str, value: str) -> None:
    root = tree(GOOD)
    assert check(root, **{name: value}).ran.code == (0 if name.endswith("_file") else 2)
    assert (root / value).is_file() is name.endswith("_file")
    assert not (root / "x").exists()


def test_several_paths_stand_on_lines_of_their_own(tree: Tree, check: Check) -> None:
    root = tree({f"{name}/skills/a/SKILL.md": skill("a") for name in ("one", "two", "three")})
    assert check(root, path="one\n\ntwo\n").outputs["skills"] == "2"
    assert check(root, path="").outputs["skills"] == "3"


def test_the_input_target(tree: Tree, check: Check) -> None:
    root = tree({"AGENTS.md": "Read this.\n", **GOOD})
    assert check(root).ran.code == 0
    ran, outputs, _ = check(root, target="source")
    assert (ran.code, outputs["errors"] > "0") == (1, True)


def test_modules_of_the_repository_are_not_imported(tree: Tree, check: Check) -> None:
    assert check(tree({**GOOD, **{f"{name}.py": HIJACK for name in MODULES}})).ran.code == 0


def test_in_another_format_the_log_gives_the_runner_no_commands(tree: Tree, check: Check) -> None:
    ran = check(tree({"skills/b/SKILL.md": "::error::not ours\n"}), format="text").ran
    quoted = re.fullmatch(r"::stop-commands::(\w{32})\n(.*)^::\1::\n", ran.log, re.S | re.M)
    assert quoted, ran.log
    assert "frontmatter-invalid" in quoted[2]


def test_a_report_that_cannot_be_written_fails_with_the_counts(tree: Tree, check: Check) -> None:
    ran, outputs, _ = check(tree(GOOD), sarif_file="skills")
    assert (ran.code, outputs["skills"], outputs["sarif-file"]) == (4, "1", "")


def test_the_program_runs_once(tree: Tree, tmp_path: Path, python: str) -> None:
    root = tree({"w/skills/b/SKILL.md": "# x\n"})
    counting, calls = tmp_path / "python", tmp_path / "calls"
    counting.write_text(f'#!/bin/sh\necho "$@" >> "{calls}"\nexec "{python}" "$@"\n', "utf-8")
    counting.chmod(0o755)
    job = job_in(root / "w", tmp_path / "runner temp", tmp_path / "hijacked")
    job.steps["install"] = {"python": str(counting)}
    assert ACTION.run("check", job, sarif_file="out.sarif").code == 1
    assert calls.read_text().count("-m skillbag check") == 1


def test_the_runner_of_these_tests_reads_environment_files(tmp_path: Path) -> None:
    script = (
        'printf "a=1=2\\nb<<END\\nx\\n\\ny=z\\nEND\\n" >> "$GITHUB_OUTPUT"\n'
        'echo "SET=yes" >> "$GITHUB_ENV"; echo /added >> "$GITHUB_PATH"\nfalse | true\necho "not reached"\n'
    )
    action = Action(tmp_path, {"inputs": {}, "runs": {"steps": [{"id": "one", "shell": "bash", "run": script}]}})
    job = Job(tmp_path, tmp_path, {"PATH": os.environ["PATH"]})
    ran = action.run("one", job)
    assert (ran.code, ran.log) == (1, "")
    assert job.steps == {"one": {"a": "1=2", "b": "x\n\ny=z"}}
    assert (job.environment["SET"], job.environment["PATH"].split(os.pathsep)[0]) == ("yes", "/added")
