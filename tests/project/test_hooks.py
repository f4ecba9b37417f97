"""The hooks, run by the real pre-commit in real git repositories, installed from a copy of this project as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from skillbag import __version__
from tests.once import once
from tests.support import PROJECT, Completed, Tree, skill

pytestmark = pytest.mark.slow

GOOD = {"skills/a/SKILL.md": skill("a"), "notes.txt": "Nothing of ours.\n"}
BAD = {"skills/b/SKILL.md": "# No front matter\n"}
MISNAMED = {"skills/b/skill.md": skill("b")}
PROGRAMS = Path(sys.executable).parent


class Desk(NamedTuple):
    """Where commands run: their environment, and the address of the repository that has this project's files."""

    environment: dict[str, str]
    address: str

    def call(self, *command: object, cwd: Path) -> Completed:
        """Run a command that may fail."""
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=cwd, env=self.environment, capture_output=True, text=True, check=False)
        return Completed(done.returncode, done.stdout, done.stderr)

    def git(self, *arguments: object, cwd: Path) -> str:
        """Run git, which must not fail."""
        outcome = self.call("git", *arguments, cwd=cwd)
        assert outcome.code == 0, outcome.err
        return outcome.out

    def hook(self, name: str, cwd: Path) -> Completed:
        """Run one hook on what is staged, as `git commit` would."""
        return self.call(sys.executable, "-m", "pre_commit", "run", name, "--color=never", "--verbose", cwd=cwd)

    def repository(self, root: Path, config: str) -> Path:
        """Make `root` a repository with this pre-commit configuration and with all its files staged."""
        if config:
            (root / ".pre-commit-config.yaml").write_text(config, "utf-8")
        self.git("init", "--quiet", cwd=root)
        self.git("add", "--all", cwd=root)
        return root


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A pre-commit store of its own, and a repository of the project's files, tagged with its version."""
    folder = Path(once(tmp_path_factory, "hooks", publish))
    return Desk(clean_environment(folder / "store"), (folder / "project").as_uri())


def publish(folder: Path) -> str:
    """Make the repository in `folder`."""
    project = folder / "project"
    copy_project(project)
    desk = Desk(clean_environment(folder / "store"), "")
    desk.repository(project, "")
    desk.git("commit", "--quiet", "--message=All", cwd=project)
    desk.git("tag", f"v{__version__}", cwd=project)
    return str(folder)


def copy_project(destination: Path) -> None:
    """Copy the working tree as it is, without what git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    for name in names.split("\0"):
        if (PROJECT / name).is_file():
            (destination / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, destination / name)


def clean_environment(store: Path) -> dict[str, str]:
    """The environment, in which neither the user's settings of git nor a hook around this test run have a say."""
    ours = ("GIT_", "PRE_COMMIT", "COV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    people = {f"GIT_{who}_{what}": "tests@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    git = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **people}
    return {**kept, **git, "PRE_COMMIT_HOME": str(store)}


def config(desk: Desk) -> str:
    hooks = "".join(f"      - id: {name}\n" for name in ("skillbag-check", "skillbag-staged", "skillbag-fix"))
    return f"repos:\n  - repo: {desk.address}\n    rev: v{__version__}\n    hooks:\n{hooks}"


def committed(tree: Tree, desk: Desk) -> Path:
    """A repository with the hooks and a broken skill, all committed."""
    root = desk.repository(tree({**GOOD, **BAD}), config(desk))
    desk.git("commit", "--quiet", "--no-verify", "--message=All", cwd=root)
    return root


def test_pre_commit_accepts_the_list_of_hooks() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", f"{PROJECT}/.pre-commit-hooks.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # It only warns of keys that it does not know.
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_clean_workspace_passes_and_a_broken_one_fails_with_its_finding(tree: Tree, desk: Desk) -> None:
    root = desk.repository(tree(GOOD), config(desk))
    outcome = desk.hook("skillbag-check", root)
    assert (outcome.code, "Passed" in outcome.out) == (0, True), outcome
    tree(BAD)
    desk.git("add", "--all", cwd=root)
    outcome = desk.hook("skillbag-check", root)
    assert (outcome.code, "Failed" in outcome.out) == (1, True), outcome
    assert "skills/b/SKILL.md" in outcome.out
    assert "frontmatter-invalid" in outcome.out


def test_the_whole_workspace_is_checked_when_one_file_triggers_the_hook(tree: Tree, desk: Desk) -> None:
    root = committed(tree, desk)
    (root / "skills/a/SKILL.md").write_text(skill("a", "Another one."), "utf-8")
    desk.git("add", "skills/a/SKILL.md", cwd=root)
    outcome = desk.hook("skillbag-check", root)
    assert (outcome.code, outcome.out.count("skills/b/SKILL.md")) == (1, 1), outcome


def test_the_hook_for_staged_files_ignores_existing_findings(tree: Tree, desk: Desk) -> None:
    root = committed(tree, desk)
    for text, code in ((skill("a", "Another one."), 0), ("# No front matter\n", 1)):
        (root / "skills/a/SKILL.md").write_text(text, "utf-8")
        desk.git("add", "skills/a/SKILL.md", cwd=root)
        outcome = desk.hook("skillbag-staged", root)
        assert (outcome.code, "skills/b/SKILL.md" in outcome.out) == (code, False), outcome


def test_the_hook_for_staged_files_judges_what_is_committed(tree: Tree, desk: Desk) -> None:
    root = committed(tree, desk)
    text = root / "skills/a/SKILL.md"
    text.write_text(skill("a") + "\nSee [the guide](guide.md).\n", "utf-8")
    desk.git("add", "skills/a/SKILL.md", cwd=root)
    text.write_text(skill("a"), "utf-8")
    tree({"skills/a/guide.md": "# Guide\n"})
    assert "link-broken" in desk.hook("skillbag-staged", root).out
    desk.git("add", "skills/a/guide.md", cwd=root)
    assert "link-broken" not in desk.hook("skillbag-staged", root).out


@pytest.mark.parametrize("name", ["notes.txt", "plugins/p/x/scripts/a.sh", ""])
def test_it_runs_at_each_commit_also_at_one_that_only_removes_files(tree: Tree, desk: Desk, name: str) -> None:
    root = committed(tree, desk)
    tree({name: "Changed.\n"} if name else {})
    desk.git(*(("add", name) if name else ("rm", "--quiet", "notes.txt")), cwd=root)
    outcome = desk.hook("skillbag-check", root)
    assert (outcome.code, "skills/b/SKILL.md" in outcome.out) == (1, True), outcome


def test_fix_applies_fixes_and_pre_commit_reports_modified_files(tree: Tree, desk: Desk) -> None:
    root = desk.repository(tree({**GOOD, **MISNAMED}), config(desk))
    outcome = desk.hook("skillbag-fix", root)
    assert (outcome.code, "files were modified by this hook" in outcome.out) == (1, True), outcome
    assert [path.name for path in (root / "skills/b").iterdir()] == ["SKILL.md"]
    desk.git("add", "--all", cwd=root)
    assert desk.hook("skillbag-fix", root).code == 0


@pytest.mark.nightly
@pytest.mark.parametrize("by", ["this version", "a commit"])
def test_the_hook_that_init_writes_for_a_published_project_works(tree: Tree, desk: Desk, by: str) -> None:
    root = tree({})
    program = [sys.executable, "-m", "skillbag", "init", "--pre-commit", "--repo", desk.address]
    tip = desk.git("ls-remote", desk.address, f"refs/tags/v{__version__}", cwd=root).split()[0]
    assert desk.call(*program, *(["--rev", tip] if by == "a commit" else []), cwd=root).code == 0
    outcome = desk.hook("skillbag-check", desk.repository(root, ""))
    assert (outcome.code, "Passed" in outcome.out) == (0, True), outcome


@pytest.mark.nightly
def test_the_workflow_that_init_writes_installs_the_program_and_runs_it(tree: Tree, desk: Desk, tmp_path: Path) -> None:
    root = tree({})
    program = [sys.executable, "-m", "skillbag", "init", "--github", "--repo", desk.address]
    assert desk.call(*program, cwd=root).code == 0
    steps = yaml.safe_load((root / ".github/workflows/skillbag.yml").read_text("utf-8"))["jobs"]["check"]["steps"]
    venv.create(tmp_path / "runner", with_pip=True)
    path = f"{tmp_path / 'runner' / 'bin'}{os.pathsep}{desk.environment['PATH']}"
    runner = desk._replace(environment={**desk.environment, "PATH": path})
    lines = [step["run"] for step in steps if "run" in step]
    assert len(lines) == 2
    for line in lines:
        outcome = runner.call("bash", "-e", "-c", line, cwd=root)
        assert outcome.code == 0, outcome


def test_the_hook_that_init_writes_for_the_installed_program_works(tree: Tree, desk: Desk) -> None:
    root = tree({})
    assert desk.call(sys.executable, "-m", "skillbag", "init", "--pre-commit", cwd=root).code == 0
    path = f"{PROGRAMS}{os.pathsep}{desk.environment['PATH']}"
    local = desk._replace(environment={**desk.environment, "PATH": path})
    local.repository(root, "")
    assert "Passed" in local.hook("skillbag-check", root).out
    tree({".skills/broken/SKILL.md": "# No front matter\n"})
    local.git("add", "--all", cwd=root)
    outcome = local.hook("skillbag-check", root)
    assert (outcome.code, "frontmatter-invalid" in outcome.out) == (1, True), outcome
