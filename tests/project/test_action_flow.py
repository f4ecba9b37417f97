"""All steps of the action in order, as the runner would: caches, what changed, review comments, the upload."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.doors.action.github import TOKEN, Pull, event_of, files_between, serving
from tests.once import once
from tests.project.action_expressions import evaluated, holds
from tests.project.action_runner import Job, Ran, Used
from tests.project.test_action import ACTION, install, job_in
from tests.supply.sources.repositories import committed, git
from tests.support import PROJECT, Tree, skill

pytestmark = pytest.mark.slow

BROKEN = "# No front matter\n"
LINKED = skill("a") + "\nSee [the guide](../b/references/guide.md).\n"

Flow = Callable[..., list[Ran]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment that the install step made."""
    return Path(once(tmp_path_factory, "action", install)).parent.parent


@pytest.fixture
def root(tree: Tree) -> Path:
    """The merge of `main` with `topic`, which deletes what a skill links to, and adds a broken skill."""
    root = tree({"skills/a/SKILL.md": LINKED, "skills/b/SKILL.md": skill("b"), "skills/old/SKILL.md": BROKEN})
    (root / "skills/b/references").mkdir()
    (root / "skills/b/references/guide.md").write_text("# Guide\n")
    committed(root)
    git(root, "switch", "-qc", "topic")
    git(root, "rm", "-q", "skills/b/references/guide.md")
    (root / "skills/new").mkdir()
    (root / "skills/new/SKILL.md").write_text(BROKEN)
    git(root, "add", ".")
    git(root, "commit", "-qm", "topic")
    git(root, "switch", "-q", "--detach", "main")
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "topic")
    return root


@pytest.fixture
def job(root: Path, tmp_path_factory: pytest.TempPathFactory, home: Path) -> Job:
    """A job of the pull request; the cache has the installed program."""
    folder = tmp_path_factory.mktemp("flow")
    job = job_in(root, folder / "runner temp", folder / "hijacked")
    job.event = event_of(root, "main", "topic")
    job.github = {
        "ref": "refs/pull/5/merge",
        "sha": git(root, "rev-parse", "HEAD").strip(),
        "repository": "owner/name",
        "token": TOKEN,
    }

    def use(used: Used) -> None:
        if used.name == "Restore the program":
            os.symlink(home, used.inputs["path"])

    job.use = use
    return job


@pytest.mark.nightly
def test_packages_are_installed_beside_the_program(root: Path, tmp_path: Path) -> None:
    config = '# Ours.\npacks = ["house-rules==1.0.0"]\n'
    (root / "skillbag.toml").write_text(config, "utf-8")
    job = job_in(root, tmp_path / "runner temp", tmp_path / "hijacked")
    packages = f"\n{PROJECT / 'examples/house-rules'}\n"
    for step in ("prepare", "install"):
        ran = ACTION.run(step, job, packages=packages)
        assert ran.code == 0, ran.log
    assert "house-owner-missing" in ACTION.run("check", job, **{"changed-since": "none"}).log
    # A line is no option of pip.
    job.steps["prepare"]["home"] += "-other"
    assert ACTION.run("install", job, packages="--help").code != 0


def check(ran: list[Ran]) -> Ran:
    (found,) = (each for each in ran if each.name == "Check")
    return found


def test_of_a_pull_request_what_it_changed_and_broke(job: Job) -> None:
    ran = check(ACTION.run_all(job))
    assert ran.code == 1
    assert "skills/new/SKILL.md" in ran.log
    assert "skills/a/SKILL.md" in ran.log
    assert "skills/old/SKILL.md" not in ran.log


def test_the_base_of_the_event_where_another_commit_is_checked_out(job: Job, root: Path) -> None:
    git(root, "switch", "-q", "topic")
    ran = check(ACTION.run_all(job))
    assert "skills/new/SKILL.md" in ran.log
    assert "skills/old/SKILL.md" not in ran.log


def test_without_the_base_everything_is_checked_and_a_warning_says_so(job: Job, root: Path, tmp_path: Path) -> None:
    clone = tmp_path.parent / f"{tmp_path.name}-clone"
    git(root, "branch", "merged")
    git(root, "clone", "-q", "--depth=1", "--branch=merged", f"file://{root}", str(clone))
    job.workspace = clone
    ran = check(ACTION.run_all(job))
    assert "::warning title=skillbag::The base of the pull request is not in the clone, so everything is" in ran.log
    assert "fetch-depth of 2" in ran.log
    assert "skills/old/SKILL.md" in ran.log


@pytest.mark.parametrize(("since", "is_all"), [("none", True), ("false", True), ("main", False), ("auto", False)])
def test_the_input_changed_since(job: Job, since: str, is_all: bool) -> None:
    ran = check(ACTION.run_all(job, changed_since=since))
    assert ("skills/old/SKILL.md" in ran.log) is is_all


@pytest.mark.parametrize("since", ["missing", "--fix", "; touch x", "$(touch x)"])
def test_a_commit_that_is_not_there(job: Job, root: Path, since: str) -> None:
    ran = check(ACTION.run_all(job, changed_since=since))
    assert ran.code == 2
    assert "--changed-since" in ran.log
    assert not (root / "x").exists()


def test_a_push_is_checked_as_a_whole(job: Job) -> None:
    job.event = {"after": "0" * 40}
    assert "skills/old/SKILL.md" in check(ACTION.run_all(job)).log


@pytest.mark.parametrize("event", [{"pull_request": 5}, {"pull_request": {"base": {"sha": "--x"}}}, []])
def test_an_event_of_another_shape(job: Job, event: Any) -> None:
    job.event = event
    assert "skills/old/SKILL.md" in check(ACTION.run_all(job, review="true")).log


def test_the_caches_have_keys_of_the_program_and_hold_results(job: Job) -> None:
    ACTION.run_all(job)
    program, results = job.used
    assert program.action.startswith("actions/cache@")
    key = program.inputs["key"].removeprefix("skillbag-program-Linux-X64-")
    assert len(key) == 32
    assert program.inputs["path"] == str(job.temporary / f"skillbag-{key}")
    assert results.inputs["key"] == f"skillbag-results-Linux-{key}-7-1"
    assert results.inputs["key"].startswith(results.inputs["restore-keys"])
    assert list(Path(results.inputs["path"]).rglob("*")), "the check keeps its results elsewhere"


def test_the_caches_can_be_switched_off(job: Job, home: Path) -> None:
    ACTION.run("prepare", job)
    os.symlink(home, job.steps["prepare"]["home"])
    ACTION.run_all(job, cache="false")
    assert job.used == []


def test_a_restored_program_that_is_damaged_is_not_used(job: Job) -> None:
    ACTION.run("prepare", job)
    python = Path(job.steps["prepare"]["home"], "bin/python")
    python.parent.mkdir(parents=True)
    python.write_text("damaged")
    job.steps["prepare"]["interpreter"] = "/bin/false"
    assert ACTION.run("install", job).code != 0


@pytest.mark.parametrize(("fork", "uploads"), [(False, 1), (True, 0)])
def test_findings_are_uploaded_after_a_failure_too(job: Job, fork: bool, uploads: int) -> None:
    job.event["pull_request"]["head"]["repo"]["fork"] = fork
    assert check(ACTION.run_all(job, sarif="true")).code == 1
    used = [each for each in job.used if each.action.startswith("github/codeql-action/upload-sarif@")]
    assert len(used) == uploads
    for each in used:
        assert Path(each.inputs["sarif_file"]).is_file()


def test_comments_are_written_after_a_failure_too(job: Job, root: Path) -> None:
    with serving(Pull(files_between(root, "main", "topic"))) as pull:
        job.github["api_url"] = pull.address
        ran = ACTION.run_all(job, review="true")
    assert [each.code for each in ran] == [0, 0, 1, 0]
    assert [comment["path"] for comment in pull.comments] == ["skills/new/SKILL.md"]
    assert pull.tokens == {f"Bearer {TOKEN}"}
    assert ran[-1].log == "::notice title=skillbag::1 review comment written.\n"
    assert not any(TOKEN in each.log for each in ran)


def test_without_a_pull_request_there_are_no_comments(job: Job) -> None:
    job.event = {}
    ran = ACTION.run_all(job, review="true")
    assert ran[-1].log == "::notice title=skillbag::No review comments: the job is not about a pull request.\n"


def test_where_nothing_was_checked_nothing_is_uploaded(job: Job, root: Path) -> None:
    ran = ACTION.run_all(job, path="missing", sarif="true", review="true")
    assert [each.name for each in ran] == ["Prepare", "Install", "Check"]
    assert len(job.used) == 2


@pytest.mark.parametrize(
    ("condition", "failed", "runs"),
    [
        (None, False, True),
        (None, True, False),
        ("inputs.a == 'x'", True, False),
        ("always() && inputs.a == 'x'", True, True),
        ("always() && (inputs.a != 'x' || !inputs.b)", True, True),
        ("${{ failure() }}", True, True),
        ("failure()", False, False),
        ("github.event.pull_request.head.repo.fork != true", False, True),
        ("inputs.a == 'it''s'", False, False),
        ("github.event.missing != ''", False, False),
        ("inputs.a == 'X'", False, True),
        ("inputs.a == true", False, False),
    ],
)
def test_the_runner_of_these_tests_judges_conditions(condition: str | None, failed: bool, runs: bool) -> None:
    contexts = {"inputs": {"a": "x", "b": ""}, "github": {"event": {}}}
    assert holds(condition, contexts, failed) is runs
    with pytest.raises(AssertionError):
        evaluated("unknown.name", contexts)
