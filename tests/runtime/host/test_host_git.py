"""Git for skills, with real repositories: diffs, logs, states, commits and branches."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.runtime.errors import BadParametersError, NotFoundError, RuntimeFaultError
from tests.runtime.hosts import World, make_world
from tests.supply.install.worlds import write

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="active skills run on POSIX systems"),
    pytest.mark.usefixtures("git_config"),
]


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=A B", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A workspace with two commits."""
    world = make_world(tmp_path)
    git(world.work, "init", "-q", "-b", "main")
    git(world.work, "config", "user.name", "A B")
    git(world.work, "config", "user.email", "a@example.org")
    git(world.work, "add", ".")
    git(world.work, "commit", "-qm", "first")
    write(world.work, {"src/a.py": "a = 2\n"})
    git(world.work, "commit", "-qam", "second: line\n\nBody with \x1f and äöü.")
    return world


def test_the_status_keeps_the_first_letter_of_its_first_line(world: World) -> None:
    write(world.work, {"both.txt": "changed", "new file": "", "ä\nö": "", "folder/x": ""})
    git(world.work, "mv", "src/a.py", "src/renamed.py")
    assert world.call("git_status") == [
        {"path": "both.txt", "status": " M"},
        {"path": "src/renamed.py", "status": "R "},
        {"path": "folder/", "status": "??"},
        {"path": "new file", "status": "??"},
        {"path": "ä\nö", "status": "??"},
    ]
    git(world.work, "checkout", "-qf", ".")


def test_a_clean_workspace_has_no_states(world: World) -> None:
    assert world.call("git_status") == []


def test_the_log_has_whole_messages(world: World) -> None:
    second, first = world.call("git_log")
    assert (first["message"], first["author"]) == ("first", "A B")
    assert second["message"] == "second: line\n\nBody with \x1f and äöü."
    assert second["hash"] == git(world.work, "rev-parse", "HEAD").strip()
    assert second["date"].startswith("20")


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["-1"], ["second: line"]),
        (["-n", "1"], ["second: line"]),
        (["-n1", "--skip=1"], ["first"]),
        (["--reverse", "HEAD~1..HEAD"], ["second: line"]),
        (["HEAD", "--", "both.txt"], ["first"]),
        (["--grep=FIRST", "-i"], ["first"]),
        (["--author=nobody"], []),
        (["--max-count=0"], []),
    ],
)
def test_the_log_takes_harmless_arguments(world: World, arguments: list[str], messages: list[str]) -> None:
    found = world.call("git_log", *arguments)
    assert [commit["message"].splitlines()[0] for commit in found] == messages


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], ["--- a/both.txt", "+changed"]),
        (["--stat"], ["both.txt |"]),
        (["--name-only", "HEAD~1"], ["both.txt\nsrc/a.py"]),
        (["HEAD~1..HEAD", "-U0", "--", "src"], ["-a = 1", "+a = 2"]),
        (["--cached"], [""]),
    ],
)
def test_the_diff_takes_harmless_arguments(world: World, arguments: list[str], parts: list[str]) -> None:
    write(world.work, {"both.txt": "changed"})
    text = world.call("git_diff", *arguments)
    assert all(part in text for part in parts)


HARMFUL = [
    *("--output=x", "--output", "-O/etc/passwd", "--ext-diff", "--textconv", "-c", "--no-index", "--exec-path=/x"),
    *("--git-dir=/x", "--work-tree=/", "-C", "--upload-pack=x", "-p", "--show-signature", "--format=%x", "-z", "-G x"),
    *(
        "--submodule=diff",
        "--help",
        "-",
        "--open-files-in-pager=sh",
        "--stat=1",
        "--cached=x",
        "-n",
        "-n-1",
        "--since=",
    ),
    *("../x", "/etc/passwd", "./x", "a/../../x", ":/x", "HEAD:../../x", "HEAD:src/a.py", "x y", "", "a\nb", ".."),
]


@pytest.mark.parametrize("argument", HARMFUL)
@pytest.mark.parametrize("function", ["git_diff", "git_log"])
def test_other_arguments_are_refused(world: World, function: str, argument: str) -> None:
    if (function, argument) == ("git_log", "--since="):
        argument = "--since=a\nb"
    before = sorted(world.top.rglob("*"))
    with pytest.raises(BadParametersError) as raised:
        world.call(function, argument)
    assert str(raised.value).isprintable()
    assert sorted(world.top.rglob("*")) == before


@pytest.mark.parametrize("paths", [["/etc/passwd", "/dev/null"], ["../secret", "both.txt"], ["src/../../secret"], [""]])
def test_paths_out_of_the_workspace_are_never_compared(world: World, paths: list[str]) -> None:
    for function in ("git_diff", "git_log"):
        with pytest.raises(BadParametersError):
            world.call(function, "--", *paths)
    with pytest.raises(BadParametersError):
        world.call("git_add", paths)
    assert "root:" not in world.call("git_diff", "--", ":(top)../secret", ":/")


def test_a_part_of_a_repository_sees_itself_alone(world: World, tmp_path: Path) -> None:
    write(world.work, {"both.txt": "changed", "src/a.py": "a = 3\n"})
    git(world.work, "commit", "-qm", "outside", "both.txt")
    inner = make_world(tmp_path, workspace=str(world.work / "src"))
    write(world.work, {"both.txt": "again"})
    assert inner.call("git_status") == [{"path": "a.py", "status": " M"}]
    assert [commit["message"][:6] for commit in inner.call("git_log")] == ["second", "first"]
    diff = inner.call("git_diff")
    assert ("a/a.py" in diff, "both" in diff) == (True, False)
    assert "a/a.py" in inner.call("git_diff", "HEAD", "--", "a.py")


def test_files_are_staged_committed_and_branched(world: World) -> None:
    write(world.work, {"new*": "new", "other": "other"})
    world.call("git_add", ["new*"])
    commit = world.call("git_commit", "Add it\n\n# not a comment")
    assert git(world.work, "log", "-1", "--format=%H|%an|%B").strip() == f"{commit}|A B|Add it\n\n# not a comment"
    assert git(world.work, "show", "--name-only", "--format=").split() == ["new*"]
    assert git(world.work, "symbolic-ref", "HEAD").strip() == "refs/heads/main"
    world.call("git_branch", "topic/one")
    assert git(world.work, "rev-parse", "topic/one").strip() == commit
    assert git(world.work, "fsck", "--strict") == ""
    assert "commit: Add it" in git(world.work, "reflog", "-1"), "the log of the reference is the repository's"
    assert [state["path"] for state in world.call("git_status")] == ["other"]


@pytest.mark.parametrize("name", ["", "-D", "a..b", "a b", "a~1", "HEAD", "x.lock", "/x", "@{-1}", "a\nb"])
def test_not_every_name_is_a_branch_s(world: World, name: str) -> None:
    with pytest.raises(RuntimeFaultError, match="git_branch: "):
        world.call("git_branch", name)
    assert git(world.work, "branch").split() == ["*", "main"]


def test_nothing_to_commit_is_told(world: World) -> None:
    with pytest.raises(RuntimeFaultError, match="git_commit: "):
        world.call("git_commit", "nothing")
    with pytest.raises(BadParametersError, match="message"):
        world.call("git_commit", " \n")
    with pytest.raises(BadParametersError, match="name the files"):
        world.call("git_add", [])


@pytest.mark.parametrize("arguments", [["no-such-branch"], ["HEAD~99"]])
def test_git_s_own_errors_are_told(world: World, arguments: list[str]) -> None:
    with pytest.raises(RuntimeFaultError, match=r"git_log: .*(unknown|ambiguous|bad) "):
        world.call("git_log", *arguments)


def test_without_a_repository_or_a_workspace_it_is_said(tmp_path: Path) -> None:
    for world, error in (
        (make_world(tmp_path), NotFoundError),
        (make_world(tmp_path, workspace=None), RuntimeFaultError),
    ):
        for function in ("git_status", "git_log", "git_diff"):
            with pytest.raises(error, match=f"{function}: .*(no git repository|no workspace)"):
                world.call(function)


def test_a_linked_worktree_and_a_submodule_work(world: World, tmp_path: Path) -> None:
    git(world.work, "worktree", "add", "-q", "-b", "side", str(world.top / "tree"))
    tree = make_world(tmp_path, workspace=str(world.top / "tree"))
    write(world.top, {"tree/both.txt": "changed"})
    assert tree.call("git_status") == [{"path": "both.txt", "status": " M"}]
    tree.call("git_add", ["both.txt"])
    commit = tree.call("git_commit", "on the side")
    assert git(world.work, "rev-parse", "side").strip() == commit
    assert len(world.call("git_log")) == 2
    git(world.top, "init", "-q", "outer")
    git(world.top / "outer", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(world.work), "sub")
    inner = make_world(tmp_path, workspace=str(world.top / "outer/sub"))
    assert len(inner.call("git_log")) == 2
    assert make_world(tmp_path, workspace=str(world.top / "outer")).call("git_status")[0]["path"] == ".gitmodules"
