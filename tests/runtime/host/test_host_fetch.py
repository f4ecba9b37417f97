"""`fetch`: from real servers on loopback, which only tests may reach; and where a name may never lead."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.runtime.errors import BadParametersError, NotPermittedError, RuntimeFaultError, TimeLimitError
from skillbag.runtime.host.fetch import is_public
from tests.rows import each_row
from tests.runtime.hosts import World, make_world
from tests.supply.sources.servers import (
    Server,
    answer,
    content,
    delayed,
    make_certificate,
    redirect,
    serve,
    stalling,
    truncated,
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path, allow_private=True)


@pytest.fixture
def server() -> Iterator[Server]:
    with serve({"/text": content("äöü".encode())}) as running:
        yield running


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, list[list[str]]], list[str]]:
    """Makes a name lead to these addresses, at each look-up the next ones; gives the list of look-ups."""
    real = socket.getaddrinfo

    def lead(name: str, answers: list[list[str]]) -> list[str]:
        requested: list[str] = []

        def look_up(host: Any, port: Any, *more: Any, **keys: Any) -> Any:
            if host != name:
                return real(host, port, *more, **keys)
            requested.append(host)
            found = answers[min(len(requested), len(answers)) - 1]
            return [entry for address in found for entry in real(address, port, type=socket.SOCK_STREAM)]

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        return requested

    return lead


def test_a_text_is_given(world: World, server: Server) -> None:
    assert world.call("fetch", f"{server.url}/text?a=b#c") == "äöü"
    assert server.seen() == ["GET /text?a=b"]
    headers = server.requests[0].headers
    assert headers["host"] == server.url.removeprefix("http://")
    assert not {"authorization", "cookie"} & set(headers)


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain", b"a\xff", "a\ufffd"),
        ("text/plain; charset=iso-8859-1", b"\xe4", "ä"),
        ("text/plain; charset=hex_codec", b"00", "00"),
        ("text/plain; charset=nonsense", b"x", "x"),
    ],
)
def test_the_charset_of_the_answer_counts_where_it_is_known(
    world: World,
    server: Server,
    kind: str,
    body: bytes,
    text: str,
) -> None:
    server.table["/text"] = content(body, headers={"Content-Type": kind})
    assert world.call("fetch", f"{server.url}/text") == text


@pytest.mark.parametrize("status", [400, 404, 500, 503])
def test_an_error_of_the_server_is_an_error(world: World, server: Server, status: int) -> None:
    server.table["/text"] = content(b"secret page", status)
    with pytest.raises(RuntimeFaultError, match=f"^fetch: the server answered {status}$"):
        world.call("fetch", f"{server.url}/text")


def test_five_redirects_are_followed_and_no_more(world: World, server: Server) -> None:
    for number in range(6):
        server.table[f"/{number}"] = redirect(f"/{number + 1}" if number < 5 else "/text")
    assert world.call("fetch", f"{server.url}/1") == "äöü"
    with pytest.raises(RuntimeFaultError, match="more than 5 times"):
        world.call("fetch", f"{server.url}/0")


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://x/", "gopher://x", ""])
def test_a_redirect_to_something_else_is_not_followed(world: World, server: Server, to: str) -> None:
    server.table["/text"] = redirect(to)
    with pytest.raises(RuntimeFaultError, match="redirects to nothing"):
        world.call("fetch", f"{server.url}/text")


def test_credentials_in_a_redirect_are_not_sent(world: World, server: Server) -> None:
    server.table["/0"] = redirect(server.url.replace("//", "//me:secret@") + "/text")
    assert world.call("fetch", f"{server.url}/0") == "äöü"
    assert "authorization" not in server.requests[-1].headers


@pytest.mark.parametrize(
    "url", ["", "x", "file:///etc/passwd", "/etc/passwd", "ftp://x", "http://", "http://[::1", "\n"]
)
def test_what_is_no_address_is_refused(world: World, url: str) -> None:
    with pytest.raises(BadParametersError, match="fetch: "):
        world.call("fetch", url)


def test_an_address_with_a_password_is_refused_and_not_repeated(world: World, server: Server) -> None:
    with pytest.raises(BadParametersError) as raised:
        world.call("fetch", server.url.replace("//", "//me:hunter2hunter2@"))
    assert "hunter2" not in str(raised.value)
    assert "hunter2" not in str(world.demands)


@pytest.mark.parametrize("body", ["declared", "undeclared"])
def test_no_more_than_the_limit_is_read(tmp_path: Path, body: str) -> None:
    world = make_world(tmp_path, allow_private=True, limits={"fetch_bytes": 1024})
    headers = {} if body == "declared" else {"Content-Length": str(1 << 40)}
    with serve({"/fits": content(b"x" * 1024), "/large": content(b"x" * 200_000, headers=headers)}) as server:
        assert len(world.call("fetch", f"{server.url}/fits")) == 1024
        with pytest.raises(RuntimeFaultError, match="larger than 1 KiB"):
            world.call("fetch", f"{server.url}/large")


def test_a_compressed_answer_is_not_unpacked(world: World, server: Server) -> None:
    server.table["/text"] = content(b"bomb", headers={"Content-Encoding": "gzip"})
    with pytest.raises(RuntimeFaultError, match="compresses"):
        world.call("fetch", f"{server.url}/text")


def dripping(_: Any, handler: Any) -> None:
    """Keeps within every time limit of a single read."""
    answer(handler, b"", headers={"Content-Length": "1000"})
    for _ in range(100):
        handler.wfile.write(b"x")
        time.sleep(0.05)


@each_row("handle", [delayed(content(b"x"), 3), stalling(b"x", 3), dripping, redirect("/slow")])
def test_the_whole_call_has_an_end(tmp_path: Path, handle: Any) -> None:
    world, began = make_world(tmp_path, allow_private=True, limits={"fetch_seconds": 0.3}), time.monotonic()
    with serve({"/text": handle, "/slow": delayed(content(b"x"), 3)}) as server, pytest.raises(TimeLimitError):
        world.call("fetch", f"{server.url}/text")
    assert time.monotonic() - began < 50


def test_a_look_up_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: Any, **__: Any) -> list[Any]:
        time.sleep(2)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    with pytest.raises(TimeLimitError, match="look-up"):
        make_world(tmp_path, limits={"fetch_seconds": 0.5}).call("fetch", "http://slow.example/")


def test_broken_connections_are_told(world: World, server: Server) -> None:
    server.table["/text"] = truncated(b"half", 100)
    with pytest.raises(RuntimeFaultError, match=r"127\.0\.0\.1 sent no complete answer"):
        world.call("fetch", f"{server.url}/text")
    with pytest.raises(RuntimeFaultError, match="can't be connected to"):
        world.call("fetch", "http://127.0.0.1:1/")
    with pytest.raises(RuntimeFaultError, match="there is no host"):
        world.call("fetch", "http://no-such-host.invalid/")


PRIVATE = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1"),
    *("::", "::1", "fe80::1", "fe80::1%lo", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1"),
    *("64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::"),
]


@each_row("address", PRIVATE)
def test_an_address_of_this_machine_or_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@each_row("address", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_other_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]", "0", "LOCALHOST."],
)
def test_private_addresses_are_refused_however_they_are_written(tmp_path: Path, server: Server, host: str) -> None:
    port = server.url.rpartition(":")[2]
    with pytest.raises((NotPermittedError, BadParametersError, RuntimeFaultError)) as raised:
        make_world(tmp_path).call("fetch", f"http://{host}:{port}/text")
    assert server.requests == []
    if host in ("127.0.0.1", "localhost", "[::1]"):
        assert "private network" in str(raised.value)


def test_a_name_that_leads_to_a_private_address_among_others_is_refused(
    tmp_path: Path, server: Server, names: Callable[..., list[str]]
) -> None:
    names("two.example", [["8.8.8.8", "127.0.0.1"]])
    with pytest.raises(NotPermittedError):
        make_world(tmp_path).call("fetch", f"http://two.example:{server.url.rpartition(':')[2]}/text")
    assert server.requests == []


def test_a_redirect_to_a_private_address_is_refused(
    tmp_path: Path, server: Server, names: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first server counts as public here, the second, on the same machine, does not.
    names("public.example", [["127.0.0.1"]])
    names_of = {"127.0.0.2": False, "127.0.0.1": True}
    monkeypatch.setattr("skillbag.runtime.host.fetch.is_public", lambda address: names_of[address])
    port = server.url.rpartition(":")[2]
    server.table["/0"] = redirect(f"http://127.0.0.2:{port}/text")
    with pytest.raises(NotPermittedError):
        make_world(tmp_path).call("fetch", f"http://public.example:{port}/0")
    assert server.seen() == ["GET /0"]


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    world: World, server: Server, names: Callable[..., list[str]]
) -> None:
    # A second look-up would lead elsewhere.
    requested = names("rebound.example", [["127.0.0.1"], ["127.0.0.9"]])
    host = f"rebound.example:{server.url.rpartition(':')[2]}"
    assert world.call("fetch", f"http://{host}/text") == "äöü"
    assert (requested, server.requests[0].headers["host"]) == (["rebound.example"], host)


def test_the_next_address_is_tried_where_one_takes_no_connection(
    world: World, server: Server, names: Callable[..., list[str]]
) -> None:
    names("two.example", [["127.0.0.9", "127.0.0.1"]])
    assert world.call("fetch", f"http://two.example:{server.url.rpartition(':')[2]}/text") == "äöü"


def test_the_certificate_is_that_of_the_name(
    world: World, tmp_path: Path, names: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_certificate(tmp_path)
    names("other.example", [["127.0.0.1"]])
    with serve({"/text": content(b"safe"), "/0": redirect("http://127.0.0.1/")}, made) as server:
        with pytest.raises(RuntimeFaultError, match="can't be connected to"):
            world.call("fetch", f"{server.url}/text")
        monkeypatch.setenv("SSL_CERT_FILE", str(made.certificate))
        assert world.call("fetch", f"{server.url}/text") == "safe"
        with pytest.raises(RuntimeFaultError, match=r"not valid for 'other\.example'"):
            world.call("fetch", server.url.replace("localhost", "other.example") + "/text")
        with pytest.raises(RuntimeFaultError, match="from https to http"):
            world.call("fetch", f"{server.url}/0")


def test_no_proxy_is_asked(world: World, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert world.call("fetch", f"{server.url}/text") == "äöü"
