"""`run_skill_script` where calls are held to `allowed-tools`: a script passes as the line for a shell that runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.registry import call_tool, offered_tools
from skillbag.agents.tools.tool import ToolFailedError, ToolResult
from tests.rows import each_row
from tests.session.bags import bag, skill_md

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts are run on POSIX systems")

PASSES = [
    *(
        "Bash",
        "*",
        "run_skill_script",
        "mcp__skillbag",
        "mcp__skillbag__*",
        "mcp__skillbag__run_skill_script",
        "Read Bash",
    ),
    *("Bash(python3:*)", "Bash(python:*)", "python3", "Bash(python *)", "Bash(python3 scripts/x.py:*)"),
    *("Bash(python scripts/x.py *)", "Bash(./scripts/x.py:*)", "Bash(scripts/x.py:*)", "Bash(scripts/x.py a 'b c')"),
    *("Bash(${CLAUDE_SKILL_DIR}/scripts/*)", "Bash(python3 ${CLAUDE_SKILL_DIR}/scripts/x.py:*)"),
]
FAILS = [
    *("Read", "Write Edit", "Bash(git:*)", "git curl", "Bash(node:*)", "Bash(scripts/y.py:*)", "Bash(scripts/x.py)"),
    *(
        "Bash (python3:*)",
        "mcp__other",
        "mcp__skillbag__enter",
        "read_skill_file",
        "Skill",
        "Bash(${CLAUDE_PROJECT_DIR}/x:*)",
    ),
]


def scope_with(folder: Path, allowed: str) -> Scope:
    files = {f".skills/{name}/scripts/x.py": "import sys\nprint(sys.argv[1:])\n" for name in ("apple", "pear")}
    skill = skill_md("apple", "Does it.", "Peel.", f"allowed-tools: {allowed!r}\n".replace('"\'"', "'"))
    root = bag(folder, ["apple", "pear"], {**files, ".skills/apple/SKILL.md": skill})
    return Scope(str(root), None, "s1", limited=True)


def run_script(scope: Scope, skill: str = "apple") -> ToolResult:
    return call_tool(scope, "run_skill_script", {"skill": skill, "script": "scripts/x.py", "args": ["a", "b c"]})


@each_row("allowed", PASSES)
def test_a_script_that_the_list_allows_is_run(tmp_path: Path, allowed: str) -> None:
    scope = scope_with(tmp_path, allowed)
    call_tool(scope, "skill_apple", {})
    assert run_script(scope).text == "['a', 'b c']\n"


@each_row("allowed", FAILS)
def test_a_script_that_the_list_does_not_allow_is_not(tmp_path: Path, allowed: str) -> None:
    scope = scope_with(tmp_path, allowed)
    call_tool(scope, "skill_apple", {})
    with pytest.raises(ToolFailedError, match=r"^Tool 'run_skill_script' is not"):
        run_script(scope)
    call_tool(scope, "end_skill", {})
    assert run_script(scope).text == "['a', 'b c']\n"


@each_row("allowed", ["Bash(cat:*)", "cat", "Bash(cat *)"])
def test_a_script_with_the_name_of_a_program_is_not_that(tmp_path: Path, allowed: str) -> None:
    scope = scope_with(tmp_path, allowed)
    other = tmp_path / "other/cat"
    other.parent.mkdir()
    for script in (*(tmp_path / ".skills/apple" / path for path in ("cat", "scripts/cat")), other):
        script.write_text("#!/bin/sh\necho run\n")
        script.chmod(0o755)
    (tmp_path / ".skills/apple/scripts/by").write_text(f"#!{other}\n")
    call_tool(scope, "skill_apple", {})
    for path in ("cat", "scripts/cat", "scripts/by"):
        with pytest.raises(ToolFailedError):
            call_tool(scope, "run_skill_script", {"skill": "apple", "script": path, "args": ["status"]})


@pytest.mark.parametrize("allowed", ["Bash(scripts/x.py:*)", "Bash(${CLAUDE_SKILL_DIR}/scripts/*)"])
def test_relative_words_mean_the_skill_s_own_scripts(tmp_path: Path, allowed: str) -> None:
    scope = scope_with(tmp_path, allowed)
    call_tool(scope, "skill_apple", {})
    with pytest.raises(ToolFailedError):
        run_script(scope, "pear")


def test_elsewhere_no_call_is_held_to_the_list(tmp_path: Path) -> None:
    scope = scope_with(tmp_path, "Read")._replace(limited=False)
    call_tool(scope, "skill_apple", {})
    assert run_script(scope).text == "['a', 'b c']\n"
    assert "end_skill" not in [tool.name for tool in offered_tools(scope).tools]
