"""Over HTTP, only those get through who can read the token, and none of them is locked out by idle ones."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp_types import TextContent

from skillbag.agents.mcp_server import http
from tests.agents.mcp_server.forked import Forked
from tests.agents.mcp_server.mcp_worlds import Door, arguments_of, command, environment, make_world, over_http
from tests.agents.mcp_server.messages import ACCEPT, OPENING
from tests.processes import eventually

MODERN = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    make_world(tmp_path)
    with over_http(tmp_path) as running:
        yield running


def test_without_the_token_nothing_is_reported_and_nothing_done(door: Door) -> None:
    token = door.headers["Authorization"].removeprefix("Bearer ")
    wrong = ["", "Bearer", f"Basic {token}", f"Bearer {token}x", f"Bearer {token[:-1]}", token]
    wrong += [f"Bearer {token.swapcase()}", f"Bearer x {token}", "Bearer \u00e9", f"Bearer {token},Bearer {token}"]
    with httpx2.Client(trust_env=False) as client:
        for given in [None, *wrong]:
            headers: list[tuple[str, Any]] = [*ACCEPT.items()]
            if given is not None:
                headers.append(("Authorization", given.encode()))
            for more in ({}, MODERN, {"mcp-session-id": "x"}):
                answer = client.post(door.url, json=OPENING, headers=[*headers, *more.items()])
                assert answer.status_code == 401, given
                assert answer.headers["www-authenticate"].startswith("Bearer ")
                assert token not in answer.text + str(answer.headers)
        for method in ("GET", "DELETE", "OPTIONS", "PUT"):
            assert client.request(method, door.url).status_code == 401
        assert client.get(door.url.replace("/mcp", "/other")).status_code == 401
        twice = [*ACCEPT.items(), *door.headers.items(), *door.headers.items()]
        assert client.post(door.url, json=OPENING, headers=twice).status_code == 401
        assert client.post(f"{door.url}?token={token}", json=OPENING, headers=ACCEPT).status_code == 401
    with door.client() as client:
        assert client.post(door.url, json=OPENING, headers=ACCEPT).status_code == 200
        lower = {**ACCEPT, "authorization": f"bearer {token}"}
        assert client.post(door.url, json=OPENING, headers=lower).status_code == 200


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_is_served_with_the_token_and_not_without(door: Door, mode: Any) -> None:
    async def with_it() -> None:
        async with Client(door.transport(), mode=mode) as client:
            result = await client.call_tool("skill_aa", {})
            assert isinstance(result.content[0], TextContent)
            assert result.content[0].text.startswith("# Skill: aa")

    async def without() -> None:
        async with Client(door.url, mode=mode) as client:
            await client.list_tools()

    anyio.run(with_it)
    with pytest.raises(Exception, match="TaskGroup") as error:
        anyio.run(without)
    assert "skill_aa" not in "".join(traceback.format_exception(error.value))


def test_the_file_is_its_owners_alone_and_goes_with_the_server(tmp_path: Path) -> None:
    make_world(tmp_path)
    folder = tmp_path / "state" / "mcp"
    folder.mkdir(parents=True, mode=0o755)
    folder.chmod(0o755)
    with over_http(tmp_path) as one, over_http(tmp_path) as other:
        for door in (one, other):
            assert stat.S_IMODE(door.file.stat().st_mode) == 0o600
            assert len(door.file.read_text().strip()) >= 40
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert one.file != other.file
        assert one.url != other.url
        assert one.headers != other.headers
    assert list(folder.iterdir()) == []


def test_what_a_killed_server_left_is_replaced_and_its_value_is_never_printed(tmp_path: Path) -> None:
    make_world(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    left = tmp_path / "state" / "mcp" / f"{port}.token"
    options = ("--http", str(port))
    for end, code in ((signal.SIGKILL, -9), (signal.SIGTERM, 0), (signal.SIGINT, 0)):
        if left.exists():
            left.chmod(0o644)
        server: Forked | subprocess.Popen[bytes]
        if end == signal.SIGINT:
            server = subprocess.Popen(
                command(tmp_path / "ws", *options),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(tmp_path),
            )
        else:
            server = Forked(arguments_of(tmp_path / "ws", *options), environment(tmp_path))
        assert server.stdout
        assert server.stderr
        result = server.stderr.readline().decode() + server.stderr.readline().decode()
        assert re.findall(r"\S+\.token", result) == [str(left)]
        assert stat.S_IMODE(left.stat().st_mode) == 0o600
        token = left.read_text().strip()
        with httpx2.Client(trust_env=False) as client:
            assert client.post(f"http://127.0.0.1:{port}/mcp", json=OPENING, headers=ACCEPT).status_code == 401
        server.send_signal(end)
        assert server.wait(300) == code
        assert token not in result + (server.stdout.read() + server.stderr.read()).decode()
        assert left.exists() == (end == signal.SIGKILL)


@pytest.mark.parametrize("head", ["", "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/list\r\n"])
@pytest.mark.parametrize("body", ["content-length: 100\r\n\r\n{", "transfer-encoding: chunked\r\n\r\n20\r\n{"])
def test_a_client_that_leaves_within_its_request_is_no_error(door: Door, head: str, body: str) -> None:
    """`over_http` looks for a traceback when the server has ended."""
    host = door.url.removeprefix("http://").removesuffix("/mcp")
    lines = "".join(f"{name}: {value}\r\n" for name, value in {**ACCEPT, **door.headers, "host": host}.items())
    with socket.create_connection(("127.0.0.1", int(host.partition(":")[2]))) as client:
        client.sendall(f"POST /mcp HTTP/1.1\r\n{lines}{head}{body}".encode())
    with door.client() as other:
        assert other.post(door.url, json=OPENING, headers=ACCEPT).status_code == 200


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="another user needs root")
def test_another_user_of_this_machine_gets_nowhere() -> None:
    # Not below the folder of the tests, which is closed to others as it is.
    open_to_all = Path(tempfile.mkdtemp())
    open_to_all.chmod(0o755)
    try:
        make_world(open_to_all)
        (open_to_all / "state").mkdir(mode=0o755)
        with over_http(open_to_all) as door:
            script = (
                "import sys, urllib.request as r, urllib.error as e\n"
                "try: open(sys.argv[2]).read(); print('read')\n"
                "except PermissionError: print('closed')\n"
                "try: r.urlopen(r.Request(sys.argv[1], b'{}')); print('in')\n"
                "except e.HTTPError as error: print(error.code)\n"
            )
            python = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
            done = subprocess.run(
                [python, "-c", script, door.url, str(door.file)],
                user=65534,
                group=65534,
                extra_groups=[],
                cwd="/",
                env={"no_proxy": "*", "PATH": "/usr/bin:/bin"},
                capture_output=True,
                text=True,
                check=False,
            )
            if not done.stdout:
                pytest.skip(f"another user can run no Python here: {done.stderr.strip()[-100:]}")
            assert done.stdout.split() == ["closed", "401"]
    finally:
        shutil.rmtree(open_to_all)


def test_a_folder_of_somebody_elses_is_refused(tmp_path: Path) -> None:
    make_world(tmp_path)
    (tmp_path / "state").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state" / "mcp").symlink_to(tmp_path / "elsewhere")
    started = [*command(tmp_path / "ws"), "--http", "0"]
    done = subprocess.run(started, capture_output=True, text=True, env=environment(tmp_path), timeout=300, check=False)
    assert done.returncode == 4
    assert "this folder is not yours" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer sessions and less patience, which would take long to use up."""
    assert (http._MAX_SESSIONS, http._REQUEST_SECONDS) == (512, 10)
    monkeypatch.setattr(http, "_MAX_SESSIONS", 32)
    monkeypatch.setattr(http, "_REQUEST_SECONDS", 1.0)


def test_very_many_idle_sessions_lock_nobody_out(limits: None, door: Door) -> None:
    def opened(client: httpx2.Client) -> str:
        answer = client.post(door.url, json=OPENING, headers=ACCEPT)
        assert answer.status_code == 200, answer.text
        session: str = answer.headers["mcp-session-id"]
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        recorded = client.post(door.url, json=done, headers={**ACCEPT, "mcp-session-id": session})
        assert recorded.status_code == 202
        return session

    def asks(client: httpx2.Client, session: str) -> int:
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        return client.post(door.url, json=ping, headers={**ACCEPT, "mcp-session-id": session}).status_code

    with door.client(timeout=300) as client:
        first, second = opened(client), opened(client)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: opened(client), range(30)))
        assert asks(client, first) == 200
        new = [opened(client) for _ in range(3)]
        assert asks(client, second) == 404
        assert [asks(client, entry) for entry in (first, *new)] == [200] * 4


def test_connections_that_ask_nothing_lock_nobody_out(limits: None, door: Door) -> None:
    host, port = re.findall(r"//(.+):(\d+)/", door.url)[0]
    with ExitStack() as held:
        silent = [held.enter_context(socket.create_connection((host, int(port)))) for _ in range(400)]
        for entry in silent[200:]:
            entry.sendall(b"POST /mcp HT")
        with door.client(timeout=300) as client:
            assert client.post(door.url, json=OPENING, headers=ACCEPT).status_code == 200
        silent[0].settimeout(300)
        assert silent[0].recv(1) == b""

        def is_closed() -> bool:
            silent[-1].settimeout(0.1)
            try:
                return silent[-1].recv(1) == b""
            except TimeoutError:
                return False

        assert eventually(is_closed)
