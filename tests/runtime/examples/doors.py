"""The three doors to active skills, as one interface: the command line, a client of the MCP server, and Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from skillbag import Runtime, open_runtime, scan_workspace
from tests.agents.mcp_server.mcp_worlds import Pipe, pipe
from tests.support import Run

Found = list[tuple[str, str, int]]
"""Findings: rule, path and line."""


class Door(Protocol):
    """What people and agents do with one skill. Each fails if the skill does."""

    def call(self, tool: str, **value: Any) -> str:
        """The result of a tool."""

    def run(self, workflow: str, **value: Any) -> Any:
        """The result of a workflow, `SKILL/NAME`."""

    def prompt(self) -> str:
        """What the skill adds to the prompt."""

    def scan(self) -> Found:
        """What a scan of the workspace finds."""

    def transform(self, text: str) -> str:
        """The text as the skill changes it."""


class CommandLine:
    """`skillbag runtime`."""

    def __init__(self, run: Run, workspace: Path, skill: str) -> None:
        self._run, self._workspace, self._skill = run, workspace, skill

    def _print(self, *arguments: str, codes: tuple[int, ...] = (0,), stdin: str = "") -> str:
        done = self._run(
            "runtime", *arguments, "--skills", self._skill, cwd=self._workspace, stdin=stdin.encode("utf-8")
        )
        assert done.code in codes, done
        return done.out.removesuffix("\n")

    def call(self, tool: str, **value: Any) -> str:
        return self._print("call", tool, json.dumps(value))

    def run(self, workflow: str, **value: Any) -> Any:
        return json.loads(self._print("run", workflow, json.dumps(value)))

    def prompt(self) -> str:
        requested: list[dict[str, Any]] = [
            {"do": "start", "protocol": 1, "folder": str(self._workspace), "skills": [self._skill]},
            {"do": "message", "text": ""},
            {"do": "build_prompt", "base": ""},
        ]
        lines = "".join(json.dumps({"id": number, **each}) + "\n" for number, each in enumerate(requested))
        done = self._run("runtime", "host", cwd=self._workspace, stdin=lines.encode())
        return str(json.loads(done.out.splitlines()[-1])["result"]["text"])

    def scan(self) -> Found:
        found = json.loads(self._print("scan", "--json", codes=(0, 1)))["findings"]
        return [(each["rule"], each["path"], each["line"]) for each in found]

    def transform(self, text: str) -> str:
        return self._print("transform", stdin=text)


class McpClient:
    """A client of `skillbag agent mcp`, in which the skill is active."""

    def __init__(self, server: Pipe, skill: str) -> None:
        self._server, self._skill = server, skill

    def _result(self, tool: str, value: Any) -> Any:
        result = self._server.tool(tool, value)
        assert not result.get("isError"), result
        return result

    def call(self, tool: str, **value: Any) -> str:
        return str(self._result(tool, value)["content"][0]["text"])

    def run(self, workflow: str, **value: Any) -> Any:
        return json.loads(self.call("workflow_" + workflow.partition("/")[2], **value))

    def prompt(self) -> str:
        got = self._server.ask("prompts/get", {"name": self._skill})
        return str(got["result"]["messages"][0]["content"]["text"])

    def scan(self) -> Found:
        found = self._result("skill_scan", {})["structuredContent"]["findings"]
        return [(each["rule"], each["path"], each["line"]) for each in found]

    def transform(self, text: str) -> str:
        return self.call("skill_transform", text=text)


class Python:
    """`skillbag.open_runtime`."""

    def __init__(self, runtime: Runtime, workspace: Path) -> None:
        self._runtime, self._workspace = runtime, workspace

    def call(self, tool: str, **value: Any) -> str:
        output = self._runtime.call_tool(tool, value).output
        assert not output.is_error, output
        return output.content

    def run(self, workflow: str, **value: Any) -> Any:
        return self._runtime.run_workflow(workflow, value)

    def prompt(self) -> str:
        return self._runtime.build_prompt().text

    def scan(self) -> Found:
        found = scan_workspace(self._runtime).result.findings
        return [(each.rule, each.path.removeprefix(f"{self._workspace}/"), each.line) for each in found]

    def transform(self, text: str) -> str:
        return self._runtime.respond(text).text


@contextmanager
def command_line(run: Run, workspace: Path, skill: str) -> Iterator[Door]:
    """The command line."""
    yield CommandLine(run, workspace, skill)


@contextmanager
def mcp(run: Run, workspace: Path, skill: str) -> Iterator[Door]:
    """A server, whose user's folders lie beside the workspace, and which is asked to activate the skill."""
    with pipe(workspace.parent) as server:
        server.shake_hands()
        reported = str(server.tool("skill_activate", {"skill": skill}))
        assert f"Active now: {skill}." in reported or "active already" in reported, reported
        yield McpClient(server, skill)


@contextmanager
def python(run: Run, workspace: Path, skill: str) -> Iterator[Door]:
    """A runtime of this process."""
    with open_runtime(str(workspace), skills=[skill]) as runtime:
        assert skill in runtime.begin("").activated
        yield Python(runtime, workspace)


DOORS: dict[str, Callable[[Run, Path, str], AbstractContextManager[Door]]] = {
    "command line": command_line,
    "mcp": mcp,
    "python": python,
}
