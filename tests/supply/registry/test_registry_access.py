"""Who may read a registry, and how it behaves with clients that are slow, many, or hostile."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skillbag.supply.registry.publishing import publish
from skillbag.supply.registry.store import RegistryStore
from tests.processes import eventually
from tests.rows import each_row
from tests.supply.registry.servers import Server, make_skill, published, serving
from tests.support import Run

pytestmark = pytest.mark.boundary

ANYWHERE = "0.0.0.0"  # noqa: S104 - what is tested
TOKEN = "ghp_" + "Z9x8" * 9
REQUESTED = b"GET /api/v1/search HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("access") / "reg"
    published(root, "1.0.0")
    with serving(root) as running:
        yield running


def said(server: Server, data: bytes) -> bytes:
    """What the server answers to these bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=300) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_a_token_is_needed_where_one_is_set(tmp_path: Path) -> None:
    published(tmp_path / "reg")
    with serving(tmp_path / "reg", "--token-env", "REGISTRY", "--host", ANYWHERE, REGISTRY=TOKEN) as server:
        refused = server.get("search")
        assert (refused.status, refused.headers["WWW-Authenticate"]) == (401, 'Bearer realm="skillbag"')
        for wrong in (f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer", f"Basic {TOKEN}", "Bearer grüße"):
            assert server.get("skills/say-it/versions", Authorization=wrong).status == 401
        assert server.get("nothing", "POST").status == 401
        assert server.get("search", Authorization=f"bearer {TOKEN}", Host="registry.example").status == 200
        server.get(f"search?q={TOKEN}", Authorization=f"Bearer {TOKEN}")
    assert TOKEN not in server.log.read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", ANYWHERE], "--token-env"),
        (["--host", "::"], "--token-env"),
        (["--token-env", "MISSING"], "MISSING"),
        (["--token-env", "BLANK"], "BLANK"),
        (["--host", "no such host"], "no such host"),
    ],
)
def test_what_is_refused_at_the_start(
    run: Run, tmp_path: Path, options: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLANK", "a b")
    done = run("registry", "serve", tmp_path, "--port", "0", *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    answer = json.loads(run("registry", "serve", tmp_path, "--port", "0", *options, "--json").out)
    assert (answer["command"], answer["exit"], said in answer["error"]) == ("registry serve", 2, True)


def test_a_web_page_with_a_name_of_its_own_gets_nothing(server: Server) -> None:
    for name in ("attacker.example", "127.0.0.1.attacker.example", f"localhost.evil:{server.port}", ""):
        assert server.get("search", Host=name).status == 421
    for name in ("localhost", f"LOCALHOST:{server.port}", "[::1]:80"):
        assert server.get("search", Host=name).status == 200


@pytest.mark.parametrize(
    "data",
    [
        b"GET /api/v1/search\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"GET http://localhost/api/v1/search HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /api/v1/search HTTP/1.1\r\nHost localhost\r\n\r\n",
        REQUESTED + b"Content-Length: 3\r\n\r\nabc",
        REQUESTED + b"Transfer-Encoding: chunked\r\n\r\n",
        REQUESTED + b"Host: localhost\r\n\r\n",
        REQUESTED + b"A: " + b"b" * 17_000,
        b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        REQUESTED + b"A:" + b" \t" * 7000 + b"\0\r\n\r\n",
    ],
)
def test_requests_that_are_none(server: Server, data: bytes) -> None:
    assert said(server, data).startswith(b"HTTP/1.1 400 ")


def test_a_connection_has_one_request(server: Server) -> None:
    for requested in (
        REQUESTED + b"\r\n" + REQUESTED + b"\r\n",
        REQUESTED.replace(b" localhost", b"\t localhost \t") + b"\r\n",
    ):
        answer = said(server, requested)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert answer.count(b"\r\nETag: ") == 1


def test_the_log_shows_control_characters(server: Server) -> None:
    said(server, b"GET /\x1b[2Jred HTTP/1.1\r\nHost: localhost\r\n\r\n")
    server.get("search%1b%5b2J")
    said(server, REQUESTED + b"\r\n")
    assert eventually(lambda: "GET /api/v1/search%1b%5b2J 404" in server.log.read_text())
    assert "\x1b" not in server.log.read_text()


def test_many_clients_at_once(server: Server) -> None:
    paths = ["search?q=", "skills/say-it/versions", "skills/say-it/latest/manifest", "skills/say-it/latest/download"]
    expected = [server.get(path) for path in paths]
    with ThreadPoolExecutor(24) as clients:
        found = list(clients.map(server.get, paths * 50))
    assert found == expected * 50


def test_clients_that_send_nothing_hold_up_nobody(server: Server) -> None:
    with contextlib.ExitStack() as open_:
        for number in range(300):
            slow = open_.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=300))
            slow.sendall(REQUESTED[: number % len(REQUESTED)])
        assert server.get("skills/say-it/versions").status == 200
        reader = open_.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=300))
        reader.sendall(b"GET /api/v1/skills/say-it/1.0.0/download HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert server.get("skills/say-it/versions").status == 200


@pytest.mark.slow
@pytest.mark.parametrize("descriptors", [0, 64])
def test_clients_that_read_nothing_hold_up_nobody(tmp_path: Path, descriptors: int) -> None:
    folder = make_skill(tmp_path / "made/big")
    (folder / "data.bin").write_bytes(random.Random(1).randbytes(3 << 20))
    publish(str(folder), RegistryStore(str(tmp_path / "reg")))
    requested = b"GET /api/v1/skills/big/latest/download HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving(tmp_path / "reg", descriptors=descriptors) as server, contextlib.ExitStack() as open_:
        for _ in range(300):
            slow = open_.enter_context(socket.socket())
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", server.port))
            slow.sendall(requested)
            # The answer has begun, or the connection was closed.
            with contextlib.suppress(ConnectionError):
                slow.recv(1)
        assert server.get("skills/big/versions").json == ["1.0.0"]
        assert len(server.get("skills/big/latest/download").body) > 3 << 20
    assert "Traceback" not in server.log.read_text()


@each_row("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path / "reg") as server, socket.create_connection(("127.0.0.1", server.port)) as waiting:
        waiting.sendall(REQUESTED)
        assert server.get("search").json == []
        server.process.send_signal(number)
        assert server.process.wait(300) == 0
        assert waiting.recv(10) == b""
    assert "Traceback" not in server.log.read_text()
