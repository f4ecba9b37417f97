"""`skillbag session remember` in a git repository: the file stays out of it, and nothing shared says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.session.settings.value import typed
from tests.session.user_contexts import git, value_in
from tests.supply.install.worlds import call, make_workspace, snapshot
from tests.support import Run


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in a repository of its own; git has no configuration but its defaults."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_DIR", raising=False)
    workspace = make_workspace(tmp_path / "repository")
    git(workspace, "init", "--quiet")
    git(workspace, "add", "--all")
    git(workspace, "commit", "--quiet", "--message", "first")
    return workspace


def test_git_ignores_the_file_from_the_first_value_on(run: Run, repository: Path) -> None:
    outcome = run("remember", "a=1", cwd=repository)
    assert outcome.out.splitlines()[2:] == [
        "git leaves USER_CONTEXT.md alone from now on: a line in .git/info/exclude says so"
    ]
    assert git(repository, "status", "--porcelain") == ""
    exclude = repository / ".git/info/exclude"
    assert exclude.read_text().endswith("\n/USER_CONTEXT.md\n")
    assert exclude.read_text().startswith("# git ls-files")
    assert "\n\n" not in exclude.read_text()
    before = exclude.read_bytes()
    assert call(run, repository, "remember", "a=2")[1]["ignored_by"] is None
    assert exclude.read_bytes() == before


def test_git_ignores_the_file_of_a_worktree(run: Run, repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "-b", "work", "../[work] tree")
    worktree = tmp_path / "[work] tree"
    _, values = call(run, worktree, "remember", "a=1")
    assert values["ignored_by"] == str(repository / ".git/info/exclude")
    assert git(worktree, "status", "--porcelain") == ""


def test_git_ignores_the_file_of_a_workspace_deep_in_a_repository(run: Run, repository: Path) -> None:
    workspace = make_workspace(repository / "pack[a]ges/*" / "deep")
    (repository / ".git/info/exclude").write_bytes(b"*.log")
    assert call(run, workspace, "remember", "a=1")[1]["ignored_by"] == str(repository / ".git/info/exclude")
    expected = b"*.log\n/pack\\[a\\]ges/\\*/deep/USER_CONTEXT.md\n"
    assert (repository / ".git/info/exclude").read_bytes() == expected
    assert "USER_CONTEXT" not in git(repository, "status", "--porcelain", "--untracked-files=all")
    # No other file of that name is hidden.
    (repository / "USER_CONTEXT.md").touch()
    assert "?? USER_CONTEXT.md" in git(repository, "status", "--porcelain")


def test_a_path_that_no_rule_can_hold_is_ignored_by_name(run: Run, repository: Path) -> None:
    workspace = make_workspace(repository / "two\nlines")
    assert call(run, workspace, "remember", "a=1")[1]["ignored_by"]
    assert "USER_CONTEXT" not in git(repository, "status", "--porcelain", "--untracked-files=all")


def test_the_folder_of_rules_is_made_where_it_is_missing(run: Run, repository: Path) -> None:
    (repository / ".git/info/exclude").unlink()
    (repository / ".git/info").rmdir()
    assert call(run, repository, "remember", "a=1")[1]["ignored_by"] == ".git/info/exclude"
    assert git(repository, "status", "--porcelain") == ""


def test_what_is_ignored_already_needs_no_rule(run: Run, repository: Path) -> None:
    (repository / ".gitignore").write_text("USER_CONTEXT.md\n")
    before = (repository / ".git/info/exclude").read_bytes()
    _, values = call(run, repository, "remember", "a=1")
    assert (values["ignored_by"], values["tracked"], values["exposed"]) == (None, False, False)
    assert (repository / ".git/info/exclude").read_bytes() == before


def test_a_tracked_file_is_reported(run: Run, repository: Path) -> None:
    (repository / "USER_CONTEXT.md").write_text("# Mine\n")
    git(repository, "add", "USER_CONTEXT.md")
    outcome = run("remember", "a=1", cwd=repository)
    assert "git tracks USER_CONTEXT.md, so others will see it; git rm --cached USER_CONTEXT.md" in outcome.out
    _, values = call(run, repository, "remember", "a=1")
    assert (values["tracked"], values["ignored_by"], values["exposed"]) == (True, None, False)


@pytest.mark.parametrize("why", ["asked for", "a link", "a folder", "no git"])
def test_a_file_that_git_can_not_ignore_is_reported(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    exclude = repository / ".git/info/exclude"
    if why == "asked for":
        (repository / ".gitignore").write_text("!/USER_CONTEXT.md\n")
    elif why == "a link":
        exclude.rename(repository / "elsewhere")
        exclude.symlink_to(repository / "elsewhere")
    elif why == "a folder":
        exclude.unlink()
        exclude.mkdir()
    else:
        monkeypatch.setenv("PATH", str(repository))
    before = snapshot(repository / ".git/info")
    outcome = run("remember", "a=1", cwd=repository)
    assert outcome.code == 0
    assert outcome.out.endswith("a line with its name in .gitignore keeps it here alone\n")
    assert call(run, repository, "remember", "a=1")[1]["exposed"] is True
    assert snapshot(repository / ".git/info") == before


def test_without_a_repository_or_a_home_nothing_is_asked_of_git(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(tmp_path / "workspace")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run("remember", "a=1", cwd=workspace).code == 0
    assert value_in(workspace, "a") == typed(1)
    assert list((tmp_path / "home").iterdir()) == []
