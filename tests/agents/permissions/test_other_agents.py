"""The tools of other agents, which count as those that `allowed-tools` names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skillbag.kernel.hosts.tools import TOOLS
from skillbag.kernel.standard.tool_names import NAMES, tool_of, tool_of_entry
from tests.agents.permissions.path_worlds import is_allowed
from tests.rows import each_row

CLAUDE_CODE = {
    *("Bash", "Read", "Write", "Edit", "NotebookEdit", "Grep", "Glob", "LS"),
    *("WebFetch", "WebSearch", "TodoWrite", "Agent", "TaskStop", "ListAgents", "SendUserMessage", "SetGoal"),
    *("ListMcpResourcesTool", "ReadMcpResourceTool", "ReadMcpResourceDirTool"),
}


def test_the_names_of_other_agents_stand_for_tools_of_claude_code() -> None:
    assert set(TOOLS.values()) <= CLAUDE_CODE
    assert not NAMES & CLAUDE_CODE


@each_row(
    ("allowed", "tool", "arguments", "passes"),
    [
        ("Read", "file_head", {"path": "a", "lines": 5}, True),
        ("Read", "file_tail", {"path": "a"}, True),
        ("Read", "shell_exec", {"command": "cat a"}, False),
        ("file_head", "Read", {"file_path": "a"}, True),
        ("file_head", "file_lines", {"path": "a"}, True),
        ("file_head", "write_file", {"path": "a"}, False),
        ("Bash(git:*)", "shell_exec", {"command": "git status", "timeout_secs": 5}, True),
        ("Bash(git:*)", "shell_exec", {"command": "rm -r x"}, False),
        ("shell_exec(git:*)", "Bash", {"command": "git status"}, True),
        ("Bash(git:*)", "run_in_terminal", {"command": "git status", "explanation": "x", "isBackground": False}, True),
        ("Bash(git:*)", "exec_command", {"cmd": "git status"}, True),
        ("Bash(git:*)", "exec_command", {"cmd": "git status", "workdir": "/tmp/x"}, False),
        ("Bash(git:*)", "exec_command", {"cmd": "git status", "command": "git status"}, False),
        ("Bash(git:*)", "shell", {"command": ["bash", "-lc", "git status"]}, False),
        ("Bash(git:*)", "run_command", {"CommandLine": "rm x"}, False),
        ("Edit", "apply_patch", {"input": "*** Begin Patch"}, True),
        ("Edit(src/**)", "apply_patch", {"input": "*** Begin Patch"}, False),
        ("Read", "str_replace_based_edit_tool", {"command": "view", "path": "a"}, False),
        ("WebFetch(domain:host.example)", "fetch_url", {"url": "https://host.example/x"}, True),
        ("WebFetch(domain:host.example)", "fetch_url", {"url": "https://other.example/x"}, False),
        # A word in lower case is a program.
        ("patch", "Edit", {"file_path": "a"}, False),
        ("patch", "Bash", {"command": "ls"}, False),
        ("bash", "Bash", {"command": "rm x"}, False),
        ("view", "view", {"path": "a"}, True),
        ("Read", "view", {"path": "a"}, True),
        ("Read", "mcp__x__read_file", {"path": "a"}, False),
        # Claude Code's own names, before and after they changed.
        ("Read, Task", "Agent", {"prompt": "x"}, True),
        ("Agent", "Task", {"prompt": "x"}, True),
        ("Task", "runSubagent", {"prompt": "x"}, True),
        ("Task(*)", "Agent", {"prompt": "x"}, True),
        ("Task(Explore)", "Agent", {"subagent_type": "Explore", "prompt": "x"}, True),
        ("Agent(Explore)", "Task", {"subagent_type": "Explore", "prompt": "x"}, True),
        ("Task(Explore)", "Agent", {"subagent_type": "Plan", "prompt": "x"}, False),
        ("Task(Explore)", "Agent", {"prompt": "x"}, False),
        ("Task", "TaskCreate", {}, False),
        ("KillShell", "TaskStop", {"shell_id": "1"}, True),
        ("TaskStop", "KillBash", {"shell_id": "1"}, True),
        ("ListMcpResources", "ListMcpResourcesTool", {}, True),
        ("ListPeers", "ListAgents", {}, True),
        # A pattern of paths for reading or editing holds for each tool that reads or edits.
        ("Edit(src/**)", "Write", {"file_path": "src/a"}, True),
        ("Edit(src/**)", "NotebookEdit", {"notebook_path": "src/a.ipynb"}, True),
        ("Edit(src/**)", "Write", {"file_path": "lib/a"}, False),
        ("Read(src/**)", "Grep", {"pattern": "x", "path": "src/a"}, True),
        ("Read(src/**)", "Grep", {"pattern": "x", "path": "lib"}, False),
        ("Read(src/**)", "Edit", {"file_path": "src/a"}, False),
        ("Write(src/**)", "Edit", {"file_path": "src/a"}, False),
        ("Edit", "Write", {"file_path": "src/a"}, False),
    ],
)
def test_a_call_passes_where_the_same_tool_of_claude_code_does(
    tmp_path: Path, allowed: str, tool: str, arguments: dict[str, Any], passes: bool
) -> None:
    assert is_allowed(allowed, tool, arguments, str(tmp_path)) is passes


def test_a_pattern_of_paths_holds_for_their_arguments(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for path, passes in (("src/a", True), ("lib/a", False), ("vfs:///src/a", False), ("../src/a", False)):
        assert is_allowed("Read(src/**)", "file_head", {"path": path}, str(tmp_path)) is passes
    assert not is_allowed("Read(**)", "file_head", {"path": "vfs:///shared/a"}, str(tmp_path))


def test_unknown_names_stay_as_they_are() -> None:
    assert tool_of("teleport") == tool_of_entry("teleport") == "teleport"
    assert (tool_of("patch"), tool_of_entry("patch")) == ("Edit", "patch")
