"""The built-in skills: tools that work without the extra, and that nobody but the user activates."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from skillbag import open_runtime
from skillbag.runtime.errors import BadParametersError, NotPermittedError, RuntimeFaultError
from skillbag.runtime.sessions.runtime import Runtime
from tests.agents.mcp_server.mcp_worlds import pipe
from tests.doors.cli.runtime_worlds import values
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace that is a repository with one commit and one change."""
    root = write(tmp_path / "ws", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "", "a.txt": "one\n"})
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "First"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    write(root, {"a.txt": "two\n"})
    return root


def called(runtime: Runtime, tool: str, **value: Any) -> Any:
    output = runtime.call_tool(tool, value).output
    assert not output.is_error, output
    return output.content


def test_git_shows_changes_and_history(root: Path) -> None:
    with open_runtime(str(root), skills=["git"]) as runtime:
        runtime.begin("")
        assert json.loads(called(runtime, "git-status")) == [{"path": "a.txt", "status": " M"}]
        assert "-one\n+two\n" in called(runtime, "git-diff")
        assert called(runtime, "git-diff", range="HEAD..HEAD") == ""
        (commit,) = json.loads(called(runtime, "git-log", count=1))
        assert (commit["message"], commit["author"]) == ("First", "A")
        refused = runtime.call_tool("git-diff", {"range": "--output=x"}).output
        assert (refused.is_error, "begins with a hyphen" in refused.content) == (True, True)
        with pytest.raises(BadParametersError):
            runtime.call_tool("git-log", {"count": "-1"})
    assert not (root / "x").exists()


def test_core_tools_work_on_files_and_ask_before_programs(root: Path) -> None:
    requested = []

    def confirm(request: Any) -> bool:
        requested.append(request.tool)
        return "rm" not in str(request.value)

    with open_runtime(str(root), skills=["core-tools"], confirm=confirm) as runtime:
        runtime.begin("")
        assert called(runtime, "file", operation="read", path="a.txt") == "two\n"
        called(runtime, "file", operation="write", path="b/c.txt", content="new")
        assert called(runtime, "file", operation="search", pattern="*.txt").split() == ["a.txt", "b/c.txt"]
        assert "b/" in called(runtime, "file", operation="list").split()
        assert json.loads(called(runtime, "shell", command="cat a.txt | tr a-z A-Z"))["stdout"] == "TWO\n"
        ended = json.loads(called(runtime, "process", program="cat", arguments=["a b"]))
        assert ended["exit_code"] == 1
        assert requested == ["shell", "process"]
        with pytest.raises(NotPermittedError):
            runtime.call_tool("shell", {"command": "rm a.txt"})
        with pytest.raises(BadParametersError):
            runtime.call_tool("file", {"operation": "write", "path": "a.txt"})
        assert runtime.call_tool("file", {"operation": "read", "path": "../x"}).output.is_error
    assert (root / "b/c.txt").read_text() == "new"


def test_only_the_user_activates_them(root: Path) -> None:
    active(root, "needy", dependencies="[{name: core-tools}]", triggers='{files: ["a.txt"]}')
    with open_runtime(str(root)) as runtime:
        turn = runtime.begin("git core-tools")
        assert turn.activated == ()
        assert "core-tools" in turn.failed["needy"]
        assert "core-tools" not in runtime.build_prompt().added
        with pytest.raises(RuntimeFaultError, match="the user must name a built-in skill: --skills git"):
            runtime.activate("git")
    with open_runtime(str(root), approve=["core-tools"]) as runtime:
        assert runtime.begin("").activated == ("core-tools", "needy")


def test_the_command_line_and_the_settings_name_them(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert values(run, root, "call", "git-status", code=1)["error"].endswith("--skills git, or SKILLBAG_SKILLS")
    assert json.loads(values(run, root, "call", "git-status", "--skills", "git")["content"])[0]["path"] == "a.txt"
    settings = Path(os.environ["SKILLBAG_CONFIG_DIR"]) / "settings.json"
    write(settings.parent, {settings.name: '{"version": 1, "runtime": {"denied_skills": ["git"]}}'})
    values(run, root, "call", "git-status", "--skills", "git", code=1)
    write(settings.parent, {settings.name: '{"version": 1, "runtime": {"approved_skills": ["git"]}}'})
    values(run, root, "call", "git-status")
    settings.unlink()
    monkeypatch.setenv("SKILLBAG_SKILLS", "core-tools")
    assert values(run, root, "call", "file", '{"operation": "read", "path": "a.txt"}')["content"] == "two\n"
    assert values(run, root, "call", "shell", '{"command": "true"}', code=3)["questions"][0]["about"] == "shell"


def test_a_project_cannot_replace_them(run: Run, root: Path) -> None:
    active(root, "git")
    found = values(run, root, "list")
    assert [each["name"] for each in found["hidden"]] == ["git"]
    (tool,) = [each for each in found["skills"] if each["name"] == "git"]
    assert tool["source"] == "builtin"


def test_an_agent_is_offered_them_only_if_the_user_named_them(root: Path) -> None:
    active(root, "loud")
    with pipe(root.parent) as server:
        server.shake_hands()
        tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
        assert "core-tools" not in tools["skill_activate"]["description"]
        refused = server.tool("skill_activate", {"skill": "core-tools"})
        assert (refused["isError"], "the user must name" in str(refused)) == (True, True)
        # Also after the server has found the skills again.
        active(root, "later")
        assert "later" in str(server.tool("skill_activate", {"skill": "later"}))
        assert "the user must name" in str(server.tool("skill_activate", {"skill": "core-tools"}))
    with pipe(root.parent, SKILLBAG_SKILLS="git") as server:
        server.shake_hands()
        tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
        assert "git-status" in tools
        assert "a.txt" in str(server.tool("git-status"))
