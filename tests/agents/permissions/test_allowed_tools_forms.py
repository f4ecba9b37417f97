"""`Bash(git:*)`: the forms in which agents write lines, and hostile lines of the same forms.

The lines run in a workspace with the folders `src` and `src/deep`, and with a repository of its own in `lib`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from skillbag.agents.permissions.active import SkillInUse, activate
from skillbag.agents.permissions.allowed_tools import refusal, why_blocked
from skillbag.agents.settings.scope import Scope
from tests.agents.permissions.path_worlds import is_allowed
from tests.agents.permissions.shells import SHELLS, Stubs, lines_of, table
from tests.rows import each_row

GIT = "Bash(git:*)"
HONEST, HOSTILE = lines_of("forms_honest"), lines_of("forms_hostile")


def _passes(line: str, root: Path, allowed: str = GIT) -> bool:
    return is_allowed(allowed, "Bash", {"command": line}, str(root))


def _why(line: str, root: Path, allowed: str = GIT) -> str | None:
    return refusal(allowed, "Bash", {"command": line}, str(root))


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Stubs:
    stubs = Stubs(tmp_path_factory.mktemp("shells"))
    (stubs.work / "src/deep").mkdir()
    return stubs


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with folders, one that is a repository of its own, and links."""
    root = tmp_path_factory.mktemp("forms") / "app"
    for name in ("src/deep", "lib/deep", "gitfile", "bare/hooks", "bare/refs", "bare/objects"):
        (root / name).mkdir(parents=True)
    (root / "gitfile/.git").write_text("gitdir: ../bare\n")
    (root / "bare/HEAD").write_text("ref: refs/heads/main\n")
    (root / "out").symlink_to("..")
    (root / "into").symlink_to("lib/deep")
    for folder in (root, root / "lib"):
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://example.com/x.git"], cwd=root, check=True)
    return root


def test_the_tables_are_long_enough() -> None:
    assert len(set(HONEST)) >= 79
    assert len(set(HOSTILE)) >= 280


@pytest.mark.parametrize("line", HONEST)
def test_an_honest_line_passes_and_the_shells_run_those_very_words(line: str, stubs: Stubs, workspace: Path) -> None:
    assert _why(line, workspace) is None
    for shell in SHELLS:
        assert stubs.calls(shell, line) == stubs.expected(line), shell
    for more in ("; evil", " && evil", " | evil", " & evil", "\nevil", "$(evil)", " `evil`", " >x", " && (evil)"):
        assert not _passes(line.rstrip("\n") + more, workspace), more


def test_a_hostile_line_in_the_like_of_them_is_blocked(workspace: Path) -> None:
    for line in HOSTILE:
        why = _why(line, workspace)
        assert why, line
        assert why[-1] != ":", line
        for joint in (";", "&&", "||", "|"):
            assert not _passes(f"git status {joint} {line}", workspace), line
            assert not _passes(f"{line} {joint} git status", workspace), line


@pytest.mark.parametrize("line", ["cd src", "head -20", "head -20 | git log", "cat", "wc -l"])
def test_what_only_belongs_to_a_command_of_git_is_blocked_alone(line: str, workspace: Path) -> None:
    assert _why(line, workspace)
    assert not _passes(f"{line}; git status", workspace)


@pytest.mark.parametrize(("line", "reported", "allowed"), [(*row, GIT)[:3] for row in table("reasons")])
def test_a_refusal_says_which_word_and_why(line: str, reported: str, allowed: str, workspace: Path) -> None:
    scope = Scope(str(workspace), None, "s1")
    activate(scope, SkillInUse("aa", allowed))

    message = why_blocked(scope, "Bash", {"command": line})
    assert message
    head = f"Tool 'Bash' is not allowed while skill 'aa' is active. Allowed tools: {allowed}. Refused: "
    assert message.startswith(head)
    assert reported in message
    assert message.isprintable()


def test_a_refusal_masks_secrets_and_is_short(workspace: Path) -> None:
    scope = Scope(str(workspace), None, "s1")
    activate(scope, SkillInUse("aa", f"{GIT} Read(src/**)"))
    token = "gh" + "p_9aKx2LmQw8ZrT4yVb6Nc1Df3Gh5Jk7Ms0Pq7"

    for tool, arguments in (
        ("Bash", {"command": f"git push https://x:{token}@example.com/{'a' * 9000} $y"}),
        ("Read", {"file_path": f"lib/{token}"}),
    ):
        message = why_blocked(scope, tool, arguments)
        assert message
        assert token not in message
        assert len(message) < 1000


def test_after_a_cd_that_a_pattern_allows_git_is_blocked_for_its_folder_is_not_known(workspace: Path) -> None:
    allowed = "Bash(cd:*) Bash(ls:*) Bash(git:*)"

    assert _passes("cd /tmp && ls", workspace, allowed)
    assert not _passes("cd /tmp && git status", workspace, allowed)
    assert not _passes("cd lib; git status", workspace, allowed)


def test_after_a_cd_into_the_workspace_programs_that_only_read_may_follow(workspace: Path) -> None:
    allowed = "Bash(ls:*) Bash(cat:*) Bash(find:*) Bash(sort:*) Bash(npm:*) Bash(./x:*) Bash(git:*)"
    for line in (
        "cd src && ls -l",
        "(cd src/deep && cat a | head -3; git log)",
        "cd src && find . -name '*.py' | wc -l",
    ):
        assert _why(line, workspace, allowed) is None, line
    for folder in ("lib", "..", "/", "out", "into", "gitfile", "bare", "src/.."):
        assert not _passes(f"cd {folder} && ls", workspace, allowed), folder
    for line in (
        "npm test",
        "./x",
        "./ls",
        "ls; npm test",
        "ls | ./x",
        "rm a",
        "find . -exec evil",
        "sort -o x",
        "cd deep",
    ):
        assert not _passes(f"cd src && {line}", workspace, allowed), line


_EVIL = "printf '#!/bin/sh\\necho hit >>\"$LOG\"\\n' >$0/evil; chmod +x $0/evil"


_FOLDERS = "git init -q lib; git -C lib config core.fsmonitor evil"
_BARE = "git init -q --bare bare; " + "; ".join(
    f"git -C bare config core.{setting}" for setting in ("bare false", "worktree .", "fsmonitor evil")
)
_POINTER = "git init -q x; git -C x config core.fsmonitor evil; mkdir s; printf 'gitdir: ../x/.git' >s/.git"
_DIFF = "git config diff.external evil; git add a; echo b >a; touch -- --ext-diff"


@each_row(
    ("setup", "line"),
    [
        (_FOLDERS, "git -C lib status"),
        (_FOLDERS, "cd lib && git status"),
        (_BARE, "cd bare && git status"),
        (_BARE, "git -C bare status"),
        (_POINTER, "git -C s status"),
        (_DIFF, "git log -p --ext-diff; git diff *"),
        (f"{_DIFF}; mkdir b", "git diff -*"),
        ("touch -- --open-files-in-pager=evil; git add a", "git grep -e a *"),
    ],
)
def test_the_real_git_runs_the_other_program_for_what_is_blocked(setup: str, line: str, tmp_path: Path) -> None:
    work, log, programs = tmp_path / "work", tmp_path / "log", tmp_path / "programs"
    for folder in (work, programs):
        folder.mkdir()
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path), "LOG": str(log)}
    begin = f"{_EVIL}; cd '{work}'; git init -q -b main .; echo a >a; {setup}"
    subprocess.run(
        ["/bin/bash", "-c", begin, str(programs)], env=environment, check=True, capture_output=True, cwd=work
    )
    log.write_text("")

    assert not _passes(line, work)
    subprocess.run(["/bin/bash", "-c", line], env=environment, cwd=work, capture_output=True, check=False, timeout=300)
    assert "hit" in log.read_text()
