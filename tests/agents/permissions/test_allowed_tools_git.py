"""`Bash(git:*)`: hostile lines that try to pass it, and honest lines."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.agents.permissions.shell_lines import GlobWord, commands_of
from tests.agents.permissions.path_worlds import is_allowed
from tests.agents.permissions.shells import SHELLS, Stubs, lines_of
from tests.rows import each_row

GIT = "Bash(git:*)"


HOSTILE = lines_of("git_hostile")
HONEST = lines_of("git_honest")


def _passes(allowed: str, line: object, root: str = "/work") -> bool:
    return is_allowed(allowed, "Bash", {"command": line}, root)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A repository `app` with the remote `origin`."""
    folder = tmp_path_factory.mktemp("repository") / "app"
    folder.mkdir()
    for words in (["init", "-q"], ["remote", "add", "origin", "https://example.com/x.git"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return str(folder)


def test_the_tables_are_long_enough() -> None:
    assert len(set(HOSTILE)) >= 80
    assert len(set(HONEST)) >= 40


def test_a_line_that_may_run_something_else_is_blocked_alone_and_beside_an_honest_one(repository: str) -> None:
    def passes(line: str) -> bool:
        beside = [
            pair
            for joint in (";", "&&", "||", "|")
            for pair in (f"git status {joint} {line}", f"{line} {joint} git status")
        ]
        return (
            _passes(GIT, line)
            or _passes(GIT, line, repository)
            or _passes(f"Read {GIT}, Grep", line)
            or any(_passes(GIT, both) for both in beside)
        )

    assert list(filter(passes, HOSTILE)) == []


@pytest.mark.parametrize("line", HONEST)
def test_an_honest_line_passes_and_the_shells_run_git_with_those_very_words(
    line: str, stubs: Stubs, repository: str
) -> None:
    assert _passes(GIT, line, repository)
    for shell in SHELLS:
        calls = stubs.calls(shell, line)
        assert calls == set(commands_of(line) or ()), shell
        assert {call[0] for call in calls} == {"git"}


@pytest.mark.parametrize(
    ("allowed", "line"),
    [
        ("Bash(git:*) Bash(ls:*)", "git status && ls -l src"),
        ("Bash(git:*), Bash(npm run x)", "git ls-files | npm run x"),
        ("Bash(git log:*) Bash(git status)", "git log -3; git status"),
    ],
)
def test_commands_pass_together_where_each_is_allowed(allowed: str, line: str, stubs: Stubs) -> None:
    assert _passes(allowed, line)
    for shell in SHELLS:
        assert stubs.calls(shell, line) == set(commands_of(line) or ()), shell
    assert not _passes(allowed.split(")")[0] + ")", line)


@each_row("line", ["git -c alias.x='!evil' x", "git bisect run npm test", "git grep -O less", "git -C sub log"])
def test_words_that_a_skill_allows_exactly_pass_whatever_they_do(line: str) -> None:
    assert _passes(f"Bash({line})", line)
    assert not _passes(f"Bash({line})", f"{line} more")
    assert not _passes(f"Bash({line}:*)", line)


@pytest.fixture
def real_git(tmp_path: Path) -> Callable[[str], int]:
    """Runs a line in a repository of two commits, and gives how often the program `evil` was run."""
    log, programs, work = tmp_path / "log", tmp_path / "programs", tmp_path / "work"
    for folder in (programs, work):
        folder.mkdir()
    (programs / "evil").write_text(f"#!/bin/sh\necho hit >>'{log}'\n")
    (programs / "evil").chmod(0o755)
    (programs / "git-evil").symlink_to("evil")
    someone = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {**someone, "PATH": path, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}

    def hits(line: str) -> int:
        log.write_text("")
        subprocess.run(
            ["/bin/bash", "-c", line],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
        )
        return len(log.read_text().splitlines())

    start = "git init -qb main . && echo a >f && git add f && git commit -qm a && echo b >f && git commit -qam b"
    assert hits(f"{start} && evil") == 1
    return hits


@pytest.mark.parametrize(
    "line",
    lines_of("git_real"),
)
def test_the_real_git_runs_the_other_program_for_what_is_blocked(line: str, real_git: Callable[[str], int]) -> None:
    assert not _passes(GIT, line)
    assert not _passes(GIT, line.split("; ")[-1])
    assert real_git(line) >= 1


_HOOK = "printf '#!/bin/sh\\nevil\\n' >x; chmod +x x"
_COMMIT = "git commit -q --allow-empty -m c"
_BRANCH = "git checkout -qb n; cp x pre-commit; git add pre-commit; git commit -qm n; git checkout -q main"


@pytest.mark.parametrize(
    ("setup", "line", "then"),
    [
        ("git clone -q --bare . b; cp x b/hooks/update", "git push b HEAD:n", ""),
        ("git clone -q --bare . b.git; cp x b.git/hooks/update", "git push b HEAD:refs/heads/n", ""),
        ("git clone -q --bare . s/b; cp x s/b/hooks/update", "git fetch --set-upstream ./s/b main", "git push"),
        ("git clone -q --bare . s/b; cp x s/b/hooks/update", "git pull --set-upstream ./s/b main", "git push"),
        ("git add x; ln -s .git l", "git mv x l/hooks/pre-commit", ""),
        (f"rm -r .git/hooks; {_BRANCH}; ln -s .git l", "git worktree add l/hooks n", ""),
        (f"rm -r .git/hooks; {_BRANCH}; ln -s .git l", "git clone -b n . l/hooks", ""),
        ("rm -r .git; mkdir hooks; cp x hooks/reference-transaction", "git init --bare", "git fetch -q ../o main:m"),
    ],
)
def test_no_file_of_the_work_tree_is_made_a_hook(
    setup: str, line: str, then: str, real_git: Callable[[str], int], tmp_path: Path
) -> None:
    assert real_git(f"git clone -q . ../o; {_HOOK}; {setup}") == 0

    assert not _passes(GIT, line, str(tmp_path / "work"))
    assert real_git(f"{line}; {_COMMIT}; {then}") >= 1


def test_where_home_lies_in_the_workspace_its_settings_are_no_place_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _passes(GIT, "git worktree add .config/git x", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not _passes(GIT, "git worktree add .config/git x", str(tmp_path))
    assert _passes(GIT, "git worktree add trees/x x", str(tmp_path))


def test_a_push_goes_to_a_remote_that_git_knows(repository: str) -> None:
    assert _passes(GIT, "git push origin main", repository)
    assert not _passes(GIT, "git push other main", repository)
    assert not _passes(GIT, "git remote remove origin; git push origin main", repository)
    assert not _passes(GIT, "git push origin main", f"{repository}/nowhere")


_PIECES = st.one_of(
    st.sampled_from(["git", " ", " ", " ", "'", "'", '"', '"', "&&", "||", ";", "|", "a", "-n", "status", "log"]),
    st.sampled_from(["evil", "sh", "env", "x=1", "if ", "then", "do", "eval ", "\u00a0", "\u200b", "ü", "\n", "\t"]),
    st.sampled_from(["&", "$", "$(", ")", "(", "`", "{", "}", "<", ">", "\\", "!", "*", "?", "[", "]", "~", "#", "@{"]),
)
_START = st.sampled_from(["git ", "git status ", "git log 'a' ", 'git log "a" ', ""])


@given(_START, st.lists(_PIECES, max_size=9).map("".join))
def test_nothing_but_git_is_ever_run_by_a_line_that_passes(stubs: Stubs, start: str, rest: str) -> None:
    line = start + rest
    if _passes(GIT, line):
        for shell in SHELLS:
            calls = stubs.calls(shell, line)
            assert {call[0] for call in calls} <= {"git"}, shell
            if not any(isinstance(word, GlobWord) for command in commands_of(line) or () for word in command):
                assert calls == stubs.expected(line), shell


def _options() -> Iterator[str]:
    programs = ("upload-pack", "receive-pack", "exec", "ext-diff", "textconv", "open-files-in-pager")
    for name in (*programs, "output", "config"):
        yield from (f"--{name[:size]}" for size in range(1, len(name) + 1) if name[:size] != "text")


@each_row("subcommand", ["log", "fetch", "clone", "push", "rebase", "grep", "stash show", "remote update"])
def test_long_options_are_known_by_any_beginning(subcommand: str) -> None:
    for option in _options():
        for words in (f"{option}=evil", f"{option} evil", f"a {option}"):
            assert not _passes(GIT, f"git {subcommand} {words}"), words
