"""What a plugin of a skill imports: the context that it is given, its types and errors (skill runtime, section 7.3).

A plugin is a Python file with `new_skill()`, which returns an object like `SkillPlugin`. It runs in a process of its
own, which has nothing else of this package: this file imports the standard library alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class HostError(Exception):
    """A function of the context failed; the message says why. `code` is that of the protocol."""

    def __init__(self, message: str, code: int = -32603) -> None:
        super().__init__(message)
        self.code = code


class PermissionDeniedError(HostError):
    """The skill does not declare the permission that a function needs, or the user has not approved it."""


class ExecResult(NamedTuple):
    """The end of a program."""

    stdout: str
    stderr: str
    exit_code: int


class FileInfo(NamedTuple):
    """An entry of a folder; `size` is in bytes."""

    name: str
    is_dir: bool
    size: int


class GitCommit(NamedTuple):
    """A commit; `date` is ISO 8601."""

    hash: str
    author: str
    message: str
    date: str


class GitFileStatus(NamedTuple):
    """A changed file, and the two letters that git has for it."""

    path: str
    status: str


class PluginManifest(NamedTuple):
    """What a plugin says of itself: the name of the skill in its manifest. A mapping with `name` does as well."""

    name: str


class SkillPlugin(Protocol):
    """What `new_skill()` returns."""

    def manifest(self) -> PluginManifest:
        """What it says of itself."""

    def activate(self, ctx: Context) -> None:
        """Register what the skill brings."""

    def deactivate(self, ctx: Context) -> None:
        """Release what is held; the process ends soon after."""


class Context:
    """What a plugin may do. Each function asks for its permission first, and raises `HostError` if it fails."""

    def __init__(self, host: Callable[..., Any], register: Callable[..., None]) -> None:
        self._host = host
        self._register = register

    def read_file(self, path: str) -> str:
        """The text of a file of the skill, else of the workspace. `file:read`"""
        return self._text("read_file", path=path)

    def write_file(self, path: str, content: str) -> None:
        """Write a file of the workspace. `file:write`"""
        self._call("write_file", path=path, content=content)

    def list_dir(self, path: str = ".") -> list[FileInfo]:
        """The entries of a folder, by name. `file:read`"""
        entries = self._call("list_dir", path=path, details=True)
        return [FileInfo(entry["name"], entry["is_dir"], entry["size"]) for entry in entries]

    def search_files(self, pattern: str) -> list[str]:
        """The paths that match a glob, sorted. `file:read`"""
        return list(self._call("search_files", pattern=pattern))

    def exec(self, command: str, *arguments: str) -> ExecResult:
        """Run a program, without a shell. `shell:exec`"""
        ended = self._call("exec", command=command, args=list(arguments))
        return ExecResult(ended["stdout"], ended["stderr"], ended["exit_code"])

    def complete(self, prompt: str) -> str:
        """What the host's language model answers. `llm:call`"""
        return self._text("llm_complete", prompt=prompt)

    def complete_json(self, prompt: str, schema: Mapping[str, Any]) -> Any:
        """What the host's language model answers, as a value that matches the JSON Schema. `llm:call`"""
        return self._call("llm_json", prompt=prompt, schema=dict(schema))

    def fetch(self, url: str) -> str:
        """The text at an address. `net:fetch`"""
        return self._text("fetch", url=url)

    def git_diff(self, *arguments: str) -> str:
        """The difference that git prints. `git:read`"""
        return self._text("git_diff", args=list(arguments))

    def git_log(self, *arguments: str) -> list[GitCommit]:
        """Commits, the newest first. `git:read`"""
        commits = self._call("git_log", args=list(arguments))
        return [GitCommit(one["hash"], one["author"], one["message"], one.get("date", "")) for one in commits]

    def git_status(self) -> list[GitFileStatus]:
        """Changed files. `git:read`"""
        return [GitFileStatus(one["path"], one["status"]) for one in self._call("git_status")]

    def git_add(self, *paths: str) -> None:
        """Stage files. `git:write`"""
        self._call("git_add", paths=list(paths))

    def git_commit(self, message: str) -> Any:
        """Commit what is staged. `git:write`"""
        return self._call("git_commit", message=message)

    def git_branch(self, name: str) -> Any:
        """Create a branch. `git:write`"""
        return self._call("git_branch", name=name)

    def get_env(self, key: str) -> str:
        """A variable of the environment; empty if it is not set. `env:read`"""
        return self._text("env", key=key)

    def set_env(self, key: str, value: str) -> None:
        """Set a variable of the programs that this skill runs. `env:write`"""
        self._call("set_env", key=key, value=value)

    def invoke_skill(self, name: str, input: Any = None) -> Any:  # noqa: A002 - the protocol's name
        """Run a workflow of another skill: `SKILL`, `SKILL/WORKFLOW`, or a unique `WORKFLOW`. `skill:invoke`"""
        return self._call("invoke_skill", name=name, input=input)

    def project_root(self) -> str:
        """The workspace's folder; empty outside of any."""
        return self._text("project_root")

    def project_language(self) -> str:
        """The main language of the workspace; empty if it is unknown."""
        return self._text("project_language")

    def load_file(self, path: str) -> str:
        """The text of a file of the skill."""
        return self._text("load_file", path=path)

    def log(self, message: str, level: str = "info") -> None:
        """Write to the host's log."""
        self._call("log", level=level, message=message)

    def register_tool(
        self,
        name: str,
        description: str,
        handler: Callable[[dict[str, Any]], Any],
        input_schema: Mapping[str, Any] | None = None,
        requires_approval: bool = False,
    ) -> None:
        """Register a tool: `handler` gets its input and returns a text or a JSON value."""
        schema = None if input_schema is None else dict(input_schema)
        of_tool = {"description": description, "input_schema": schema, "requires_approval": requires_approval}
        self._register("tool", name, handler, **of_tool)

    def register_hook(self, phase: str, handler: Callable[[dict[str, Any]], Mapping[str, Any] | None]) -> None:
        """Register a hook. `handler` gets `phase`, `skill_name`, `data`; it returns `modified`, `cancel`, `reason`."""
        self._register("hook", phase, handler)

    def register_workflow(self, name: str, handler: Callable[[Any], Any]) -> None:
        """Register a workflow: `handler` gets its input and returns a JSON value."""
        self._register("workflow", name, handler)

    def register_scanner(self, name: str, handler: Callable[[str], Sequence[Any]]) -> None:
        """Register a scanner. `handler` gets a text; it returns texts, or `rule`, `message`, `severity`, `line`."""
        self._register("scanner", name, handler)

    def _call(self, function: str, **arguments: Any) -> Any:
        return self._host(function, **arguments)

    def _text(self, function: str, **arguments: Any) -> str:
        return str(self._host(function, **arguments))
