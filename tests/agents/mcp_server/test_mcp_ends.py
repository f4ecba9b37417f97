"""How the server ends: clients that vanish, signals, kills during a change, and requests that are too large."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.agents.mcp_server.mcp_worlds import (
    Pipe,
    arguments_of,
    command,
    environment,
    make_world,
    over_http,
    pipe,
    skill_text,
    slow_script,
)
from tests.agents.mcp_server.messages import ACCEPT, GARBAGE, HELLO, MODERN, OPENING, SLOW, conversation
from tests.processes import all_processes, eventually, fields_of, running
from tests.sampling import NIGHTLY
from tests.supply.install.worlds import contents, write
from tests.support import Run, ignoring


def test_what_was_asked_before_the_end_of_the_input_is_answered(tmp_path: Path) -> None:
    make_world(tmp_path)
    data = conversation({"id": 2, "method": "tools/call", "params": {"name": "skill_aa", "arguments": {}}})
    # As a command, but for the time that the last answers have: a loaded machine may need more.
    code = "from skillbag.agents.mcp_server import stdio; stdio._GRACE = 300; from skillbag.__main__ import run; run()"
    started = [sys.executable, "-c", code, *arguments_of(tmp_path / "ws")]
    done = subprocess.run(started, input=data, capture_output=True, env=environment(tmp_path), check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["content"][0]["text"].startswith("# Skill: aa")


def test_nothing_but_the_protocol_is_on_standard_output(tmp_path: Path) -> None:
    make_world(tmp_path)
    # Whatever prints while a tool is at work: a library, or C code that knows the descriptor alone.
    (tmp_path / "sitecustomize.py").write_text(NOISE)
    with pipe(tmp_path, PYTHONPATH=str(tmp_path)) as server:
        server.shake_hands()
        (tmp_path / "go").touch()
        result = server.tool("run_skill_script", {"skill": "aa", "script": "scripts/say.sh", "args": ["loud"]})
        assert result["structuredContent"]["result"] == "said loud\n"
        assert eventually(lambda: b"noise from below" in server.errors and b"noise from above" in server.errors)
        assert server.ask("ping")["result"] == {}
        assert Path(f"/proc/{server.process.pid}/fd/0").resolve() == Path("/dev/null")


NOISE = """
import os, threading, time
def noise():
    while True:
        time.sleep(0.01)
        if os.path.exists(os.path.join(os.path.dirname(__file__), "go")):
            print("noise from above", flush=True)
            os.write(1, b"noise from below\\n")
threading.Thread(target=noise, daemon=True).start()
"""


@pytest.mark.parametrize("end", ["close", "stop reading", "kill"])
def test_a_client_that_vanishes_leaves_no_script_running(workspace: Path, tmp_path: Path, end: str) -> None:
    with pipe(tmp_path, reads=end != "stop reading") as server:
        server.send("initialize", HELLO, id="hello")
        server.send("notifications/initialized")
        for _ in range(3):
            server.start("tools/call", SLOW)
        slow_script(workspace)
        script = str(workspace / ".skills")
        assert eventually(lambda: len(running("slow.sh", script)) >= 3)
        if end == "close":
            assert server.end() == 0
        elif end == "stop reading":
            assert server.process.stdout
            server.process.stdout.close()
            server.send("ping", id="nobody reads this")
            assert server.process.wait(300) == 0
        else:
            server.process.kill()
            server.process.wait(300)
        assert eventually(lambda: not running("slow.sh", script)), running("slow.sh", script)
        assert eventually(
            lambda: (
                str(server.process.pid) not in {process[3] for process in map(fields_of, all_processes()) if process}
            )
        )


def test_a_client_that_is_killed_takes_the_server_and_its_scripts_with_it(workspace: Path, tmp_path: Path) -> None:
    lines = conversation({"id": 2, "method": "tools/call", "params": SLOW}).decode()
    started = [sys.executable, "-c", CLIENT, lines, *command(workspace)]
    client = subprocess.Popen(started, env=environment(tmp_path), start_new_session=True)
    slow_script(workspace)
    server = running("skillbag agent mcp", str(workspace), "-m skillbag")
    assert len([entry for entry in server if entry != client.pid]) >= 1
    client.kill()
    client.wait()
    assert eventually(lambda: not running("skillbag", str(workspace)))
    assert eventually(lambda: not running("slow.sh", str(workspace)))


CLIENT = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.argv[1].encode())
server.stdin.flush()
time.sleep(1000)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_at_once_with_its_scripts(workspace: Path, server: Pipe, number: signal.Signals) -> None:
    server.start("tools/call", SLOW)
    slow_script(workspace)
    began = time.monotonic()
    server.process.send_signal(number)
    assert server.process.wait(300) == 0
    assert time.monotonic() - began < 50
    assert eventually(lambda: not running("slow.sh", str(workspace)))


def test_signals_that_it_was_started_to_ignore_do_not_end_it(tmp_path: Path) -> None:
    make_world(tmp_path)
    with ignoring(signal.SIGINT, signal.SIGHUP), pipe(tmp_path) as server:
        server.shake_hands()
        for number in (signal.SIGINT, signal.SIGHUP):
            server.process.send_signal(number)
        assert server.ask("tools/list")["result"]["tools"]
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(300) == 0


def test_over_http_too_a_client_that_hangs_up_kills_its_script(workspace: Path, tmp_path: Path) -> None:
    with over_http(tmp_path) as door, door.client() as client:
        url = door.url
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**SLOW, "_meta": MODERN}}
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": "run_skill_script",
        }
        request = client.build_request("POST", url, json=message, headers=headers)
        head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
        with socket.create_connection((request.url.host, request.url.port or 0)) as raw:
            raw.sendall(f"POST {request.url.path} HTTP/1.1\r\n{head}\r\n".encode() + request.content)
            slow_script(workspace)
            assert running("slow.sh", str(workspace))
        assert eventually(lambda: not running("slow.sh", str(workspace)))


def test_http_refuses_garbage_bodies_that_are_too_large_and_pages_of_the_web(tmp_path: Path) -> None:
    make_world(tmp_path)
    with over_http(tmp_path) as door, door.client() as client:
        url = door.url
        assert client.post(url, json=OPENING, headers=ACCEPT).status_code == 200
        for origin in ("http://evil.example", "https://127.0.0.1.evil.example", "null"):
            assert client.post(url, json=OPENING, headers={**ACCEPT, "origin": origin}).status_code == 403
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example:80"):
            assert client.post(url, json=OPENING, headers={**ACCEPT, "host": host}).status_code == 421
        for version in ("2025-06-18", "2026-07-28", "x"):
            for body in GARBAGE:
                headers = {**ACCEPT, "mcp-protocol-version": version}
                assert 400 <= client.post(url, content=body, headers=headers).status_code < 500, body[:50]
        large = client.post(url, content=b" " * (5 << 20), headers=ACCEPT)
        assert large.status_code == 413
        assert client.post(url, content=b"{}", headers={"content-type": "text/plain"}).status_code == 400
        assert client.get(url, headers={**ACCEPT, "mcp-session-id": "none"}).status_code == 404
        assert client.put(url).status_code in (404, 405, 400)
        port = int(url.rpartition(":")[2].partition("/")[0])
        for data in (b"\0" * 100, b"GET / HTTP/9.9\r\n\r\n", b"POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port)) as raw:
                raw.sendall(data)
                raw.settimeout(300)
                raw.recv(100)
        assert client.post(url, json=OPENING, headers=ACCEPT).status_code == 200


ROUNDS = 12 if NIGHTLY else 3
"""Each server is killed later than the one before, by the answers that it gave."""


def test_killed_while_personal_skills_come_and_go_each_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    make_world(tmp_path)
    versions = []
    for number in range(2):
        folder = tmp_path / f"version-{number}"
        files: dict[str, str | bytes] = {f"files/{entry}.txt": f"{number}\n" * 2000 for entry in range(60)}
        versions.append(contents(write(folder, {"SKILL.md": skill_text("big", f"Version {number}."), **files})))
    installed = tmp_path / "personal" / "big"
    for number in range(ROUNDS):
        with pipe(tmp_path) as server:
            server.shake_hands()
            for _ in range(3):
                server.start("tools/call", {"name": "skill_remove", "arguments": {"name": "big"}})
                for entry in range(2):
                    path = str(tmp_path / f"version-{entry}")
                    server.start("tools/call", {"name": "skill_add", "arguments": {"path": path}})
            # The kill comes during the request after this one: at its start, or later on.
            server.answer(2 + 3 * number % 9)
            time.sleep(0.01 * (number % 4))
            server.process.kill()
            server.process.wait()
        found = contents(installed) if installed.exists() else {}
        assert found in ({}, *versions)
    with pipe(tmp_path) as server:
        server.shake_hands()
        server.tool("skill_add", {"path": str(tmp_path / "version-1")})
        assert contents(installed) == versions[1]
        left = sorted(path.name for path in (tmp_path / "personal").glob("*"))
        left += sorted(path.name for path in (tmp_path / "personal/.skillbag").iterdir())
        # The versions that were replaced or removed are kept.
        assert left == [".skillbag", "big", ".gitignore", "backup"], left


def test_killed_while_skills_are_installed_and_removed_the_workspace_is_whole(
    workspace: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cache", "state", "config", "personal"):
        monkeypatch.setenv(f"SKILLBAG_{name.upper()}_DIR", str(tmp_path / name))
    assert run("marketplace", "update").code == 0
    for number in range(ROUNDS):
        with pipe(tmp_path) as server:
            server.shake_hands()
            for action in ("install", "remove", "install"):
                for name in ("fill-pdf", "tidy-up"):
                    arguments = {"action": action, "skill_ref": name}
                    server.start("tools/call", {"name": "skill_marketplace", "arguments": arguments})
            server.answer(2 + 2 * number % 6)
            time.sleep(0.04 * (number % 4))
            server.process.kill()
            server.process.wait()
        listed = run("list", "--json", cwd=workspace)
        assert listed.code == 0, listed
        names = {entry["name"] for entry in json.loads(listed.out)["skills"]}
        there = {path.parent.name for path in (workspace / ".skills").glob("*/SKILL.md")}
        assert names <= there
        assert {"aa", "ask"} <= there
        assert there - {"aa", "ask", "skillbag-get-skills"} <= {"fill-pdf", "tidy-up"}
        assert run("verify", cwd=workspace).code == 0
