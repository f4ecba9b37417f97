"""Repositories that came in an archive: nothing that they name is run, and no other repository is read."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from skillbag.runtime.errors import RuntimeFaultError, TimeLimitError
from skillbag.runtime.host import git_repository
from tests.runtime.host.test_host_git import git
from tests.runtime.hosts import World, make_world
from tests.supply.install.worlds import write

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="active skills run on POSIX systems"),
    pytest.mark.usefixtures("git_config"),
]

CONFIG = """
[core]
	fsmonitor = {run}
	hooksPath = {hooks}
	pager = {run}
	editor = {run}
	sshCommand = {run}
	alternateRefsCommand = {run}
	attributesFile = {attributes}
[diff]
	external = {run}
[diff "evil"]
	command = {run}
	textconv = {run}
[filter "evil"]
	clean = {run}
	smudge = {run}
	process = {run}
	required = true
[gpg]
	program = {run}
[gpg "ssh"]
	program = {run}
[commit]
	gpgSign = true
[log]
	showSignature = true
[alias]
	status = "!{run}"
	log = "!{run}"
[pager]
	log = {run}
	diff = {run}
[credential]
	helper = {run}
[remote "origin"]
	url = ext::{run}
	uploadpack = {run}
	promisor = true
	partialCloneFilter = blob:none
[extensions]
	partialClone = origin
[include]
	path = {included}
[gc]
	auto = 1
	recentObjectsHook = {run}
[maintenance]
	auto = true
[trailer "evil"]
	command = {run}
	cmd = {run}
"""


USER = r"""
[user]
	name = "A \"B\\ C"
	email = a@example.org
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A repository that names a program wherever git knows one to be named; the program leaves the file `ran`."""
    world = make_world(tmp_path)
    git(world.work, "init", "-q", "-b", "main")
    write(world.work, {".gitattributes": "* filter=evil diff=evil merge=evil\n"})
    git(world.work, "add", ".")
    git(world.work, "commit", "-qm", "first")
    run = world.top / "run"
    run.write_text(f'#!/bin/sh\necho "$0 $*" >>{world.top}/ran\ncat\n')
    run.chmod(0o755)
    hooks = [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "prepare-commit-msg",
        "post-index-change",
        "reference-transaction",
    ]
    for folder in (world.top / "hooks", world.work / ".git/hooks"):
        for name in hooks:
            write(folder, {name: run.read_text()})
            (folder / name).chmod(0o755)
    names = {name: str(world.top / name) for name in ("run", "hooks", "attributes", "included")}
    write(world.top, {"attributes": "* diff=evil filter=evil\n", "included": f"[core]\n\tfsmonitor = {run}\n"})
    with (world.work / ".git/config").open("a") as file:
        file.write(CONFIG.format(**names) + USER)
    write(world.work, {".git/info/attributes": "* filter=evil diff=evil\n", "both.txt": "changed"})
    return world


def test_nothing_that_the_repository_names_is_run(world: World) -> None:
    assert [state["path"] for state in world.call("git_status")] == ["both.txt"]
    assert "+changed" in world.call("git_diff")
    assert "both.txt | 2 +-" in world.call("git_diff", "HEAD", "--stat", "--", "both.txt")
    assert len(world.call("git_log", "--all")) == 1
    world.call("git_add", ["both.txt"])
    world.call("git_commit", "second")
    world.call("git_branch", "topic")
    assert world.call("git_log", "-1")[0]["author"] == 'A "B\\ C'
    assert not (world.top / "ran").exists(), (world.top / "ran").read_text()


def test_an_object_that_is_missing_is_not_fetched(world: World) -> None:
    for folder in (world.work / ".git/objects").glob("[0-9a-f][0-9a-f]"):
        if folder.name != git_first_folder(world):
            shutil.rmtree(folder)
    with pytest.raises(RuntimeFaultError):
        world.call("git_diff", "HEAD")
    assert not (world.top / "ran").exists()


def git_first_folder(world: World) -> str:
    """The folder of the object of the first commit."""
    return (world.work / ".git/refs/heads/main").read_text()[:2]


def test_a_submodule_s_configuration_is_not_used(world: World) -> None:
    git(world.top, "init", "-q", "-b", "main", "outer")
    outer = world.top / "outer"
    shutil.copytree(world.work, outer / "sub")
    git(outer, "-c", "advice.addEmbeddedRepo=false", "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    inner = make_world(world.top / "more", workspace=str(outer))
    inner.call("git_status")
    inner.call("git_diff")
    assert not (world.top / "ran").exists()


@pytest.mark.parametrize("name", ["objects", "refs", "packed-refs", "info"])
def test_links_to_another_repository_s_parts_are_refused(world: World, tmp_path: Path, name: str) -> None:
    git(world.top, "init", "-q", "mine")
    part = world.top / "mine/.git" / name
    shutil.rmtree(part, ignore_errors=True)
    part.symlink_to(world.work / ".git" / name)
    with pytest.raises(RuntimeFaultError, match=f"{name} of the repository is a link"):
        make_world(tmp_path, workspace=str(world.top / "mine")).call("git_log", "--all")


@pytest.mark.parametrize("pointer", ["file", "link", "forged worktree", "commondir"])
def test_a_work_tree_that_points_to_another_repository_is_refused(world: World, tmp_path: Path, pointer: str) -> None:
    mine, theirs = world.top / "mine", world.work / ".git"
    if pointer == "file":
        write(mine, {".git": f"gitdir: {theirs}\n"})
    elif pointer == "link":
        mine.mkdir()
        (mine / ".git").symlink_to(theirs)
    elif pointer == "forged worktree":
        write(mine, {".git": "gitdir: made/worktrees/x\n", "made/worktrees/x/gitdir": f"{mine}/.git\n"})
        write(mine, {"made/worktrees/x/commondir": f"{theirs}\n", "made/worktrees/x/HEAD": "ref: refs/heads/main\n"})
    else:
        git(world.top, "init", "-q", "mine")
        write(mine, {".git/commondir": f"{theirs}\n"})
    found = make_world(tmp_path, workspace=str(mine))
    with pytest.raises(RuntimeFaultError):
        found.call("git_log", "main")


def test_the_work_tree_is_not_moved_by_the_repository(world: World) -> None:
    git(world.work, "config", "core.worktree", str(world.top))
    assert [state["path"] for state in world.call("git_status")] == ["both.txt"]


def test_the_line_ends_and_modes_that_the_repository_is_set_to_count(world: World) -> None:
    git(world.work, "config", "core.fileMode", "false")
    (world.work / "src/a.py").chmod(0o755)
    assert [state["path"] for state in world.call("git_status")] == ["both.txt"]
    git(world.work, "config", "core.autocrlf", "true")
    write(world.work, {"src/a.py": "a = 1\r\n"})
    assert world.call("git_diff", "--", "src/a.py") == ""


def test_references_of_another_kind_are_told(world: World) -> None:
    write(world.work, {".git/config": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n"})
    with pytest.raises(RuntimeFaultError, match="reftable"):
        world.call("git_log")


def test_too_much_output_and_too_much_time_are_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    write(world.work, {"both.txt": "x\n" * 1_000_000})
    with pytest.raises(RuntimeFaultError, match="more than 1 MiB"):
        world.call("git_diff")
    monkeypatch.setattr(git_repository, "SECONDS", 0.0)
    with pytest.raises(TimeLimitError):
        world.call("git_diff")
