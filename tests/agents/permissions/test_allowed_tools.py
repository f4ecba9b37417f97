"""What an active skill lets other tools do: the message, the separators, and patterns of tools and of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.agents.permissions.active import SkillInUse, activate, clear_active_skill
from skillbag.agents.permissions.allowed_tools import OWN_TOOLS, why_blocked
from skillbag.agents.settings.scope import Scope
from tests.agents.permissions.path_worlds import is_allowed
from tests.agents.permissions.shells import table
from tests.rows import each_row


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    return Scope(str(tmp_path), None, "s1")


def _line(allowed: str, line: object) -> bool:
    return is_allowed(allowed, "Bash", {"command": line}, None)


def test_a_block_is_reported_in_the_words_of_the_document(scope: Scope) -> None:
    activate(scope, SkillInUse("aa", "Read, Grep, Bash(git:*)"))

    expected = "Tool 'Write' is not allowed while skill 'aa' is active. Allowed tools: Read, Grep, Bash(git:*)"
    assert why_blocked(scope, "Write", {"file_path": "x"}) == expected
    assert why_blocked(scope, "Read", {"file_path": "x"}) is None
    assert why_blocked(scope, "Bash", {"command": "git status"}) is None


def test_nothing_is_blocked_before_a_skill_is_active_after_a_start_and_where_it_allows_all(scope: Scope) -> None:
    assert why_blocked(scope, "Write", {}) is None
    for allowed in (None, "", " \n"):
        activate(scope, SkillInUse("aa", allowed))
        assert why_blocked(scope, "Write", {}) is None
    activate(scope, SkillInUse("aa", "Read"))
    assert why_blocked(scope, "Write", {})
    clear_active_skill(scope)
    assert why_blocked(scope, "Write", {}) is None


def test_a_block_shows_no_control_characters(scope: Scope) -> None:
    activate(scope, SkillInUse("aa", "Read\n\x1b[2JGrep"))

    message = why_blocked(scope, "Wri\x07te\u202e", {})

    assert message
    assert message.isprintable()
    assert "Wri\\x07te\\u202e" in message
    assert "Read\\n\\x1b[2JGrep" in message


def test_another_session_is_not_bound(scope: Scope) -> None:
    activate(scope, SkillInUse("aa", "Read"))

    assert why_blocked(scope._replace(session="s2"), "Write", {}) is None
    assert why_blocked(scope._replace(session=None), "Write", {}) is None


@pytest.mark.parametrize("tool", [*sorted(OWN_TOOLS), "skill_aa", "skill_some-other-1", "skill_" + "a" * 64])
def test_known_fault_4_our_own_tools_are_never_blocked(tool: str, scope: Scope) -> None:
    activate(scope, SkillInUse("aa", "Read"))

    assert why_blocked(scope, tool, {}) is None
    assert why_blocked(scope, f"mcp__skillbag__{tool}", None) is None


@pytest.mark.parametrize(
    "tool",
    table("look_alikes"),
)
def test_what_only_looks_like_a_tool_of_ours_is_blocked(tool: str, scope: Scope) -> None:
    activate(scope, SkillInUse("aa", "Read"))

    assert why_blocked(scope, tool, {})


@each_row(
    "allowed",
    [
        "Read,Grep,Bash(git add *)",
        "Read Grep Bash(git add *)",
        "Read, Grep, Bash(git add *)",
        "Bash(git add *)  Grep\n\tRead",
        ",Read ,, Grep\u00a0,Bash(git add *),",
    ],
)
def test_known_fault_5_entries_are_separated_by_spaces_and_commas(allowed: str) -> None:
    assert is_allowed(allowed, "Read", {}, None)
    assert is_allowed(allowed, "Grep", {}, None)
    assert _line(allowed, "git add a b")
    assert not is_allowed(allowed, "Write", {}, None)
    assert not is_allowed(allowed, "add", {}, None)


@each_row("line", ["rm -rf x", "evil", "git status; evil", "echo git", "gitk", "$(git)"])
def test_known_fault_6_a_pattern_of_commands_is_held_against_the_command(line: str) -> None:
    assert not _line("Bash(git:*)", line)
    assert _line("Bash(git:*)", "git status")


@each_row(
    ("allowed", "passing", "blocked"),
    table("commands"),
)
def test_patterns_of_commands(allowed: str, passing: list[str], blocked: list[str]) -> None:
    for line in passing:
        assert _line(allowed, line), line
    for line in blocked:
        assert not _line(allowed, line), line


@each_row("allowed", ["Bash", "Bash(*)", "Read Bash", "*"])
def test_without_a_pattern_any_line_passes(allowed: str) -> None:
    assert _line(allowed, "for i in *; do $(x) > y & done\n")
    assert is_allowed(allowed, "Bash", None, None)


_RUNNERS = (
    "env x|sudo x|xargs x|nohup x|nice x|timeout 5 x|watch x|setsid x|stdbuf -o0 x|/usr/bin/env x|eval x|exec x|"
    "command x|builtin x|source x|. x|export PATH=x|alias ls=x|trap x EXIT|printf -v PATH x|hash -p x ls|"
    "bash -c x|sh x|/bin/BASH x|busybox sh|set -k|find . -exec x +|find . -fprint x|tar xIf x y|tar -xf a --to-com=x|"
    "tar --use-compress-program=x -xf a|rsync -e x a b|rsync --rsh=x a b|wget -e x=y z|sort --compress-program=x|"
    "rg --pre x y|fd -x x|fd --exec x|fd a --exec-b x|env.exe x|unset PATH|read PATH|test -v 'a[0]'|'[' -v x ]|"
    "jobs -x y|mapfile -C x a"
)


@each_row("line", _RUNNERS.split("|"))
def test_a_wildcard_lets_no_program_pass_that_runs_others(line: str) -> None:
    name = line.split()[0].strip("'")

    assert not _line(f"Bash({name}:*)", line)
    assert not _line(f"Bash({name} *)", line)
    assert not _line("Bash(* *)", line)


@each_row("line", ["timeout 5 npm test", "sudo make install", "env", "bash tools/x.sh", "find . -exec ls +"])
def test_it_passes_where_a_skill_allows_those_very_words(line: str) -> None:
    assert _line(f"Bash({line})", line)
    assert not _line(f"Bash({line})", f"{line} x")


def test_a_shell_may_run_the_script_that_a_pattern_names() -> None:
    assert _line("Bash(bash tools/x.sh:*)", "bash tools/x.sh -c y")
    assert _line("Bash(sh tools/x.sh *)", "sh tools/x.sh y")
    for allowed in ("Bash(bash:*)", "Bash(bash *)", "Bash(bash -c:*)", "Bash(bash -c *)", "Bash(bash */x.sh *)"):
        for line in ("bash -c y", "bash tools/x.sh y", "bash -x tools/x.sh"):
            assert not _line(allowed, line), (allowed, line)


@each_row("line", ["find . -name x", "tar xzf a.tgz", "rsync -a x y", "sort -u a", "wget https://a.b/c"])
def test_an_honest_use_of_programs_that_can_run_others_passes(line: str) -> None:
    assert _line(f"Bash({line.split()[0]}:*)", line)


def test_the_names_of_programs_in_the_bootstrap_skill_allow_their_commands() -> None:
    allowed = "git curl wget tar unzip cp rsync ln"

    assert _line(allowed, "git clone https://example.com/x.git && cp -r x y; tar xzf z.tgz | ln -s a b")
    for line in ("rm x", "git -c a.b=c log", "curl x | sh", "curls x"):
        assert not _line(allowed, line)
    assert is_allowed(allowed, "git", {}, None)
    assert not is_allowed(allowed, "Read", {"file_path": "x"}, "/")


@each_row(
    "arguments",
    [
        None,
        {},
        {"command": None},
        {"command": 1},
        {"command": ["git", "status"]},
        {"command": {"git": "status"}},
        {"command": ""},
        {"cmd": "git status"},
        {"COMMAND": "git status"},
        {"command": "git status", "env": {"GIT_SSH_COMMAND": "x"}},
        {"command": "git status", "cwd": "/tmp/x"},
        {"command": "git status", "shell": "/tmp/x"},
    ],
)
def test_arguments_of_another_shape_are_blocked(arguments: Any) -> None:
    assert not is_allowed("Bash(git:*)", "Bash", arguments, None)


def test_what_says_nothing_of_the_command_may_stand_beside_it() -> None:
    arguments = {"command": "git status", "description": "Look", "timeout": 5, "run_in_background": False}
    assert is_allowed("Bash(git:*)", "Bash", arguments, None)


@each_row(
    ("allowed", "tool", "passes"),
    table("tools"),
)
def test_tools_by_name(allowed: str, tool: str, passes: bool) -> None:
    assert is_allowed(allowed, tool, {"x": "x"}, None) is passes


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["command", "path", "url", "x"]) | st.text(), inner)
    ),
)


@given(st.text(), st.sampled_from(["Bash", "Read", "Glob", "WebFetch", "Task", ""]) | st.text(), _JSON)
def test_no_arguments_and_no_patterns_make_it_fail(allowed: str, tool: str, arguments: Any) -> None:
    for text in (
        allowed,
        f"Bash({allowed}) Read({allowed}) Glob({allowed}) WebFetch({allowed})",
        "Read(src/**) Bash(a:*)",
    ):
        assert is_allowed(text, tool, arguments, "/work") in (True, False)


def test_arguments_may_be_nested_as_deep_as_they_like() -> None:
    deep: Any = "src/x"
    for _ in range(100_000):
        deep = [deep]

    assert is_allowed("Read(src/**)", "Read", {"path": deep}, "/work")
    assert not is_allowed("Read(lib/**)", "Read", {"path": deep}, "/work")
