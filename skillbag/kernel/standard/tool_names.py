"""The names that agents give to the same tools. `allowed-tools` is written in those of Claude Code, new or old.

A tool that does several things stands for the one that needs most: an editor that also shows files is `Edit`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from skillbag.kernel.base.records import NamedTuple

SHELL = "Bash"


class AgentTools(NamedTuple):
    """The tools of an agent: where they are listed, and their names by the name in `allowed-tools`."""

    agent: str
    source: str
    names: Mapping[str, str]


AGENTS = (
    AgentTools(
        "Claude Code, under earlier and shorter names",
        "code.claude.com/docs/en/tools-reference, github.com/anthropics/claude-code/blob/main/CHANGELOG.md",
        {
            "Agent": "Task",
            "TaskStop": "KillShell KillBash",
            "ListAgents": "ListPeers",
            "SendUserMessage": "Brief",
            "SetGoal": "ProposeGoal",
            "ListMcpResourcesTool": "ListMcpResources",
            "ReadMcpResourceTool": "ReadMcpResource",
            "ReadMcpResourceDirTool": "ReadMcpResourceDir",
        },
    ),
    AgentTools(
        "chibi",
        "github.com/emesal/chibi, crates/chibi-core/src/tools",
        {
            "Bash": "shell_exec",
            "Read": "file_head file_tail file_lines",
            "Grep": "file_grep grep_files",
            "Glob": "glob_files",
            "LS": "dir_list",
            "Write": "write_file",
            "Edit": "file_edit",
            "WebFetch": "fetch_url",
        },
    ),
    AgentTools(
        "Codex",
        "github.com/openai/codex, codex-rs/core/src/tools",
        {
            "Bash": "shell shell_command exec_command local_shell",
            "Read": "read_file view_image",
            "Edit": "apply_patch",
            "Grep": "grep_files",
            "LS": "list_dir",
            "WebSearch": "web_search",
            "TodoWrite": "update_plan",
        },
    ),
    AgentTools(
        "Gemini CLI",
        "geminicli.com/docs/reference/tools",
        {
            "Bash": "run_shell_command",
            "Read": "read_file read_many_files",
            "Write": "write_file",
            "Edit": "replace",
            "Grep": "search_file_content grep_search",
            "Glob": "glob",
            "LS": "list_directory",
            "WebFetch": "web_fetch",
            "WebSearch": "google_web_search",
            "TodoWrite": "write_todos",
        },
    ),
    AgentTools(
        "GitHub Copilot in VS Code",
        "github.com/microsoft/vscode-copilot-chat, package.json",
        {
            "Bash": "run_in_terminal",
            "Read": "read_file",
            "Write": "create_file",
            "Edit": "apply_patch insert_edit_into_file replace_string_in_file multi_replace_string_in_file",
            "NotebookEdit": "edit_notebook_file",
            "Grep": "grep_search",
            "Glob": "file_search",
            "LS": "list_dir",
            "WebFetch": "fetch_webpage",
            "TodoWrite": "manage_todo_list",
            "Agent": "runSubagent",
        },
    ),
    AgentTools(
        "GitHub Copilot CLI",
        "docs.github.com/copilot/reference/hooks-configuration",
        {"Bash": "bash", "Read": "view", "Write": "create", "Edit": "edit", "WebFetch": "web_fetch", "Agent": "task"},
    ),
    AgentTools(
        "Cursor",
        "cursor.com/docs/agent/tools",
        {
            "Bash": "run_terminal_cmd Shell",
            "Read": "read_file",
            "Edit": "edit_file search_replace StrReplace",
            "Grep": "grep_search",
            "Glob": "file_search",
            "LS": "list_dir",
            "WebSearch": "web_search",
        },
    ),
    AgentTools(
        "Cline, Roo Code",
        "docs.cline.bot/exploring-clines-tools, docs.roocode.com/basic-usage/how-tools-work",
        {
            "Bash": "execute_command",
            "Read": "read_file",
            "Write": "write_to_file",
            "Edit": "replace_in_file apply_diff insert_content search_and_replace",
            "Grep": "search_files",
            "LS": "list_files",
            "Agent": "new_task",
        },
    ),
    AgentTools(
        "OpenCode",
        "opencode.ai/docs/tools",
        {
            "Bash": "bash",
            "Read": "read",
            "Write": "write",
            "Edit": "edit multiedit patch apply_patch",
            "Grep": "grep",
            "Glob": "glob",
            "LS": "list",
            "WebFetch": "webfetch",
            "WebSearch": "websearch",
            "TodoWrite": "todowrite",
            "Agent": "task",
        },
    ),
    AgentTools(
        "Windsurf",
        "docs.windsurf.com/windsurf/cascade",
        {
            "Bash": "run_command",
            "Read": "view_file",
            "Write": "write_to_file",
            "Edit": "replace_file_content multi_replace_file_content",
            "Grep": "grep_search",
            "Glob": "find_by_name",
            "LS": "list_dir",
            "WebFetch": "read_url_content",
            "WebSearch": "search_web",
        },
    ),
    AgentTools(
        "Claude's API",
        "platform.claude.com/docs/en/agents-and-tools/tool-use",
        {
            "Bash": "bash",
            "Edit": "str_replace_editor str_replace_based_edit_tool",
            "WebFetch": "web_fetch",
            "WebSearch": "web_search",
        },
    ),
    AgentTools(
        "Kimi CLI, Factory",
        "github.com/MoonshotAI/kimi-cli, docs.factory.ai/cli",
        {
            "Bash": "Shell Execute",
            "Read": "ReadFile",
            "Write": "WriteFile Create",
            "Edit": "StrReplaceFile ApplyPatch",
            "WebFetch": "FetchURL FetchUrl",
            "WebSearch": "SearchWeb",
        },
    ),
)
"""Some names are in several agents; they mean the same everywhere."""

_TOOLS = {name: tool for agent in AGENTS for tool, names in agent.names.items() for name in names.split()}

NAMES = frozenset(_TOOLS)
"""All names but the present ones of Claude Code."""

_LINES = {"exec_command": "cmd", "run_command": "CommandLine"}
"""The argument with the line for a shell where it is not `command`: of Codex and of Windsurf."""


def tool_of(name: str) -> str:
    """The name in `allowed-tools` of a tool that an agent calls; the same where no agent is known to have it."""
    return _TOOLS.get(name, name)


def is_known(name: str) -> bool:
    """Whether agents have a tool of this name, as far as it is known; those of Claude Code begin with a capital."""
    return name in NAMES or name[:1].isupper()


def tool_of_entry(name: str) -> str:
    """The same for an entry of `allowed-tools`.

    A word in lower case is left alone: it names a program (clause bootstrap.tools), and `patch` and `view` are some.
    """
    return name if name.isalpha() and name.islower() else tool_of(name)


def line_argument(name: str, given: Container[str]) -> str:
    """The argument with the line, of the shell's tool of this name, which is given these arguments."""
    return "command" if "command" in given else _LINES.get(name, "command")
