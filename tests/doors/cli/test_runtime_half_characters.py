"""Half characters (lone surrogates) in what a skill's process answers: no door fails at them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import PROJECT

MANIFEST = """name: halves
version: 1.0.0
description: Halves.
types: [tool, workflow]
permissions: [file:read, hook:observe, hook:change]
triggers: {modes: [mcp]}
implementation: {backend: process, entrypoint: run}
tools: [{name: half, description: H}, {name: bad, description: B}]
"""
CHILD = r"""
import json, sys
HALF = "a\ud800b\udfffc \U0001f600"
RESULTS = {
    "initialize": {"tools": [{"name": "half"}, {"name": "bad"}], "hooks": ["OnBeforeToolCall", "OnAfterToolResult"],
                   "workflows": ["w"]},
    "tool/execute": {"content": HALF, "is_error": False},
    "workflow/run": {"value": {HALF: [HALF]}},
}
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"result": RESULTS.get(asked["method"])}
    parameters = asked.get("params", {})
    if asked["method"] == "hook/handle" and parameters["phase"] == "OnAfterToolResult":
        answer = {"result": {"modified": {"content": parameters["data"]["content"] + HALF}}}
    if asked["method"] == "hook/handle" and parameters["phase"] == "OnBeforeToolCall":
        cancels = parameters["data"]["tool_name"] == "Bash"
        answer = {"result": {"modified": {}, "cancel": cancels, "reason": HALF}}
    if parameters.get("name") == "bad":
        answer = {"error": {"code": -32603, "message": HALF}}
    sys.stderr.write(HALF.encode("utf-8", "replace").decode() + "\n")
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""
SEEN = "a�b�c 😀"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    skill = tmp_path / "ws/.skills/halves"
    skill.mkdir(parents=True)
    (tmp_path / "ws/SKILLBAG.md").write_text("SkillBag v0.3.0\n")
    (skill / "SKILL.yaml").write_text(MANIFEST)
    (skill / "run").write_text(f"#!{sys.executable}{CHILD}")
    (skill / "run").chmod(0o755)
    return tmp_path / "ws"


def said(workspace: Path, *words: str, stdin: str = "", code: int = 0) -> str:
    environment = {"HOME": str(workspace.parent), "PYTHONPATH": str(PROJECT), "PATH": os.environ["PATH"]}
    environment["SKILLBAG_APPROVE_SKILLS"] = "halves"
    done = subprocess.run(
        [sys.executable, "-m", "skillbag", *words],
        cwd=workspace,
        env={**environment, "PYTHONIOENCODING": "utf-8"},
        input=stdin.encode(),
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode("utf-8")


def test_the_commands(workspace: Path) -> None:
    trace = workspace.parent / "trace"
    assert said(workspace, "runtime", "call", "half", "--trace", str(trace)) == f"{SEEN}{SEEN}\n"
    assert SEEN in trace.read_text("utf-8") or json.dumps(SEEN)[1:-1] in trace.read_text("utf-8")
    value = json.loads(said(workspace, "runtime", "call", "half", "--json"))
    assert value["content"] == SEEN + SEEN
    assert SEEN in said(workspace, "runtime", "call", "bad", code=1)
    value = json.loads(said(workspace, "runtime", "run", "halves/w", "--json"))
    assert value["value"] == json.dumps({SEEN: [SEEN]}, ensure_ascii=False) + SEEN


def test_the_protocol_of_lines(workspace: Path) -> None:
    requests: list[dict[str, Any]] = [
        {"do": "start", "protocol": 1, "folder": str(workspace), "skills": ["halves"]},
        {"do": "call_tool", "tool": "half", "input": {}},
        {"do": "run_workflow", "workflow": "halves/w"},
        {"do": "before_tool", "tool": "Bash", "input": {}},
        {"do": "after_tool", "tool": "Bash", "input": {}, "content": "", "is_error": False},
    ]
    lines = "".join(json.dumps({"id": number, **each}) + "\n" for number, each in enumerate(requests))
    answers = [json.loads(line)["result"] for line in said(workspace, "runtime", "host", stdin=lines).splitlines()]
    assert answers[1]["content"] == SEEN + SEEN
    assert answers[2]["value"] == json.dumps({SEEN: [SEEN]}, ensure_ascii=False) + SEEN
    assert answers[3]["reason"] == SEEN
    assert answers[4]["content"] == SEEN


def test_a_hook_of_claude_code(workspace: Path) -> None:
    said(workspace, "runtime", "activate", "halves", "--session", "s1")
    event = {"session_id": "s1", "cwd": str(workspace), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    answer = said(
        workspace, "runtime", "hook", "--host", "claude", stdin=json.dumps({**event, "tool_input": {"command": "ls"}})
    )
    assert SEEN in json.loads(answer)["hookSpecificOutput"]["permissionDecisionReason"]
