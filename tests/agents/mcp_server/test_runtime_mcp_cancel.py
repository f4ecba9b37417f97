"""A client cancels a call of an active skill: the skill is told, and the server is free for other calls."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from skillbag.runtime.backends.child import ChildBackend
from tests.agents.mcp_server.mcp_worlds import Pipe
from tests.processes import eventually
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write

CHILD = '''\
#!/usr/bin/env python3
"""Answers `slow` when the call is cancelled, and `told` with how many were."""
import json, sys

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

slow, told = None, 0
for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        send(id=number, result={"tools": [{"name": "slow", "description": ""}, {"name": "told", "description": ""}]})
    elif method == "tool/execute" and message["params"]["name"] == "slow":
        slow = number
        send(id="w", method="host/write_file", params={"call": number, "path": "started", "content": ""})
    elif method == "tool/execute":
        send(id=number, result={"content": "told %d times" % told})
    elif method == "$/cancel":
        told += message["params"]["id"] == slow
        send(id=slow, error={"code": -32003, "message": "cancelled"})
    elif method == "shutdown":
        send(id=number, result=None)
        break
'''
STARLARK = """\
def slow(input):
    write_file("started", "")
    for number in range(1000000000):
        pass

register_tool("slow", "Takes long.", slow)
register_tool("told", "Says hello.", lambda input: "told 1 times")
"""
SOON = 100.0
"""Seconds: a call that goes on takes ten times as long."""
LONG = 1000
ENDLESS = f"{{backend: starlark, entrypoint: main.star, timeout: {LONG}}}"
REACH = {"triggers": "{modes: [mcp]}", "permissions": "[file:write]"}


@pytest.fixture(autouse=True)
def approved(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's settings approve the skills, and one that is told of the end of a call has time to answer."""
    monkeypatch.setattr(ChildBackend, "grace", LONG)
    runtime = {"approved_skills": ["worker"]}
    write(tmp_path / "config", {"settings.json": json.dumps({"version": 1, "runtime": runtime})})


def cancelled(workspace: Path, server: Pipe) -> float:
    """Start a call that takes long and cancel it; the seconds until another tool of the skill answers."""
    number = server.start("tools/call", {"name": "slow", "arguments": {}})
    assert eventually((workspace / "started").exists)
    (workspace / "started").unlink()
    begun = time.monotonic()
    server.send("notifications/cancelled", {"requestId": number, "reason": "changed my mind"})
    assert eventually(lambda: answered(server))
    return time.monotonic() - begun


def answered(server: Pipe) -> bool:
    """Whether the skill answers. A call that waits for a child which does not hear in time ends with that child."""
    said: str = server.tool("told")["content"][0]["text"]
    return said.endswith(" times")


def test_a_process_is_told_and_goes_on(workspace: Path, server: Pipe) -> None:
    implementation = f"{{backend: process, entrypoint: worker.py, timeout: {LONG}}}"
    folder = active(workspace, "worker", implementation=implementation, **REACH)
    write(folder, {"worker.py": CHILD})
    (folder / "worker.py").chmod(0o755)
    assert cancelled(workspace, server) < SOON
    assert cancelled(workspace, server) < SOON
    assert server.tool("told")["content"][0]["text"] == "told 2 times"


def test_an_endless_loop_is_ended(workspace: Path, server: Pipe) -> None:
    active(workspace, "worker", STARLARK, implementation=ENDLESS, **REACH)
    assert cancelled(workspace, server) < SOON
    assert cancelled(workspace, server) < SOON


def test_calls_that_wait_for_the_skill_are_not_begun_after_they_were_cancelled(workspace: Path, server: Pipe) -> None:
    active(workspace, "worker", STARLARK, implementation=ENDLESS, **REACH)
    first = server.start("tools/call", {"name": "slow", "arguments": {}})
    assert eventually((workspace / "started").exists)
    (workspace / "started").unlink()
    second = server.start("tools/call", {"name": "slow", "arguments": {}})
    server.ask("ping")
    for number in (second, first):
        server.send("notifications/cancelled", {"requestId": number})
    assert eventually(lambda: answered(server))
    assert not (workspace / "started").exists()
