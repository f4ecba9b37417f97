"""Archives over HTTP(S), from real servers that behave well or badly; no failure says what is secret."""

from __future__ import annotations

import dataclasses
import email.utils
import gzip
import logging
import os
import socket
import struct
import threading
import time
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import NamedTuple

import pytest

from skillbag.sources import http_limits
from skillbag.sources.address import parse_source
from skillbag.sources.fetched import FetchError
from skillbag.sources.http_client import Deadline, Progress, download
from tests.sources.proxies import proxy
from tests.sources.servers import (
    Certificate,
    Handle,
    Request,
    Server,
    authenticated,
    content,
    make_certificate,
    redirect,
    serve,
    stalling,
    truncated,
)

BODY = b"PK\3\4" + bytes(range(256)) * 1000
SECRET = "hunter2-is-secret"
VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"]

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.boundary]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine, and no long waits."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setattr(http_limits, "PAUSES", (0.01, 0.02))
    monkeypatch.setattr(http_limits, "READ_SECONDS", 0.4)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with an empty table."""
    with serve({}) as running:
        yield running


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """An authority of the test's own."""
    return make_certificate(tmp_path_factory.mktemp("certificate"))


def get(url: str, folder: Path, progress: Progress | None = None) -> bytes:
    """What is downloaded from `url`."""
    to = folder / "x.zip"
    download(parse_source(url, str(folder)), str(to), progress)
    assert [path.name for path in folder.iterdir()] == ["x.zip"]
    return to.read_bytes()


def failure(url: str, folder: Path) -> str:
    """Why nothing is downloaded; nothing is left behind, and nothing secret said, not even in a traceback."""
    with pytest.raises(FetchError) as failed:
        download(parse_source(url, str(folder)), str(folder / "x.zip"))
    assert not list(folder.iterdir())
    told = "".join(traceback.format_exception(failed.value)) + repr(failed.value)
    assert SECRET not in told
    assert str(failed.value).startswith(f"{failed.value.source}: ")
    return failed.value.reason


def with_secrets(url: str) -> str:
    """The address with credentials and a secret parameter."""
    return url.replace("://", f"://user:{SECRET}-1@") + f"?token={SECRET}-2"


def test_an_archive_comes_as_it_is_and_its_progress_is_told(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(BODY)
    told: list[tuple[int, int | None]] = []
    assert get(f"{server.url}/x.zip", tmp_path, lambda done, total: told.append((done, total))) == BODY
    assert told[-1] == (len(BODY), len(BODY))
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert server.requests[0].headers["accept-encoding"] == "identity"
    assert "authorization" not in server.requests[0].headers


def test_an_older_file_is_replaced_only_by_a_whole_one(server: Server, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"old")
    server.table["/x.zip"] = truncated(BODY, len(BODY) + 1)
    with pytest.raises(FetchError):
        get(f"{server.url}/x.zip", tmp_path)
    assert (tmp_path / "x.zip").read_bytes() == b"old"
    server.table["/x.zip"] = content(BODY)
    assert get(f"{server.url}/x.zip", tmp_path) == BODY


def raw(*parts: bytes, pause: float = 0.0) -> Handle:
    """These bytes as they are, with a pause before each but the first; then the connection is closed."""

    def handle(_: Request, handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        try:
            for part in parts:
                handler.wfile.write(part)
                time.sleep(pause)
        except OSError:
            pass

    return handle


def test_an_archive_without_a_length(server: Server, tmp_path: Path) -> None:
    server.table["/closed.zip"] = raw(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", BODY)
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (BODY[:1000], BODY[1000:]))
    server.table["/chunked.zip"] = raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunks + b"0\r\n\r\n")
    told: list[int | None] = []
    for name in ("closed", "chunked"):
        assert get(f"{server.url}/{name}.zip", tmp_path, lambda _, total: told.append(total)) == BODY
    assert set(told) == {None}


def test_bytes_beyond_the_promised_length_are_not_part_of_it(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(BODY, headers={"Content-Length": "1000", "Connection": "close"})
    assert get(f"{server.url}/x.zip", tmp_path) == BODY[:1000]


def test_an_archive_that_breaks_off(server: Server, tmp_path: Path) -> None:
    cut = raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1000\r\nPK")
    for handle in (truncated(BODY, len(BODY) + 1), cut, raw(b"HTTP/1.1 2"), raw(b"what?\r\n\r\n"), reset):
        server.table["/x.zip"] = handle
        server.requests.clear()
        assert "127.0.0.1 did not give a whole and proper answer" in failure(
            with_secrets(f"{server.url}/x.zip"), tmp_path
        )
        assert len(server.requests) == 3


def reset(_: Request, handler: BaseHTTPRequestHandler) -> None:
    """The connection is broken off the hard way."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def test_a_server_that_falls_silent_is_asked_once(server: Server, tmp_path: Path) -> None:
    for body in (b"", b"PK\3\4"):
        server.table["/x.zip"] = stalling(body)
        server.requests.clear()
        assert failure(f"{server.url}/x.zip", tmp_path).startswith("127.0.0.1 has fallen silent; try again later, or ")
        assert len(server.requests) == 1


def test_a_server_that_drips_is_given_up(
    server: Server, tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_limits, "WHOLE_SECONDS", 0.3)
    head = b"HTTP/1.1 200 OK\r\n"
    drips = {
        "header": raw(head, b"X: ", *[b"x"] * 1000, pause=0.1),
        "body": raw(head, b"Content-Length: 1000\r\n\r\nPK", *[b"x"] * 1000, pause=0.1),
        "endless": raw(head, b"Connection: close\r\n\r\nPK", *[b"x"] * 1000, pause=0.1),
    }
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))
    with serve({}, certificate) as secure:
        for running in (server, secure):
            running.table.update({f"/{name}.zip": handle for name, handle in drips.items()})
            for name in drips:
                before = time.monotonic()
                reason = failure(f"{running.url}/{name}.zip", tmp_path)
                assert reason == "the download took longer than 0.3 seconds; try again later"
                assert time.monotonic() - before < 50


class Stream(NamedTuple):
    """What the client tells of a connection that it has made."""

    socket: socket.socket

    def get_extra_info(self, name: str) -> object:
        return getattr(self, name)


def test_a_connection_that_is_made_too_late_is_ended_at_once() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, Deadline(0.0) as deadline:
        while not deadline.over:
            time.sleep(0.01)
        deadline.watch("connection.connect_tcp.complete", {"return_value": Stream(ours)})
        theirs.settimeout(60)
        assert theirs.recv(1) == b""


def test_nothing_goes_on_after_a_download(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(BODY)
    get(f"{server.url}/x.zip", tmp_path)
    end = time.monotonic() + 60
    while any(isinstance(thread, threading.Timer) for thread in threading.enumerate()):
        assert time.monotonic() < end


def test_an_archive_that_is_too_large(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_limits, "MAX_BYTES", 1 << 20)
    server.table["/told.zip"] = stalling(b"PK", promised=(1 << 20) + 1)
    server.table["/untold.zip"] = raw(b"HTTP/1.1 200 OK\r\n\r\nPK", *[bytes(1 << 16)] * 100)
    for name in ("told", "untold"):
        expected = "the archive is larger than 1 MiB, the most that is downloaded"
        assert failure(f"{server.url}/{name}.zip", tmp_path) == expected


def test_an_archive_that_is_packed_once_more(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(gzip.compress(BODY), headers={"Content-Encoding": "gzip"})
    assert "packs the archive once more ('gzip')" in failure(f"{server.url}/x.zip", tmp_path)
    server.table["/x.zip"] = content(BODY, headers={"Content-Encoding": "identity"})
    assert get(f"{server.url}/x.zip", tmp_path) == BODY


def test_a_page_in_the_place_of_an_archive(server: Server, tmp_path: Path) -> None:
    html = {"Content-Type": "text/html; charset=utf-8"}
    for handle in (content(b"Log in first", headers=html), content(b"\n <!DOCTYPE html><title>Log in</title>")):
        server.table["/x.zip"] = handle
        assert "a web page instead of an archive" in failure(f"{server.url}/x.zip", tmp_path)
    server.table["/x.zip"] = content(BODY, headers=html)
    assert get(f"{server.url}/x.zip", tmp_path) == BODY
    # What this is, is told when it is unpacked.
    server.table["/x.zip"] = content(b"something else")
    assert get(f"{server.url}/x.zip", tmp_path) == b"something else"


STATUSES = {
    401: "the server asks who you are (401); write https://USER:TOKEN@HOST/… as the address, or download",
    403: "the server refuses access (403); write credentials into the address if you have any, or download",
    404: "there is nothing at this address (404); check it",
    410: "there is nothing at this address (410); check it",
    418: "the server answered 418 instead of an archive; check the address",
    204: "the server answered 204 instead of an archive; check the address",
    206: "the server answered 206 instead of an archive; check the address",
    304: "the server answered 304 instead of an archive; check the address",
    500: "the server failed (500); try again later, or download",
}


@pytest.mark.parametrize("status", STATUSES)
def test_other_answers_are_put_into_words_and_asked_for_once(status: int, server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(b"", status)
    assert failure(f"{server.url}/x.zip", tmp_path).startswith(STATUSES[status])
    assert len(server.requests) == 1


def in_turn(*handles: Handle) -> Handle:
    """The answers of these, one after another."""
    left = list(handles)
    return lambda request, handler: left.pop(0)(request, handler)


def test_a_fault_that_passes_is_waited_for(server: Server, tmp_path: Path) -> None:
    for first in (*(content(b"", status) for status in (429, 502, 503, 504)), reset, truncated(BODY, 1 << 20)):
        server.table["/x.zip"] = in_turn(first, first, content(BODY[:1000]))
        assert get(f"{server.url}/x.zip", tmp_path) == BODY[:1000]


@pytest.mark.parametrize(("status", "what"), [(429, "has had too many requests"), (503, "is not able to answer now")])
def test_a_fault_that_does_not_pass(status: int, what: str, server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(b"", status)
    assert failure(f"{server.url}/x.zip", tmp_path) == f"the server {what} ({status}); try again later"
    assert len(server.requests) == 3


def test_a_server_that_asks_to_wait(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = in_turn(content(b"", 503, {"Retry-After": "1"}), content(BODY))
    before = time.monotonic()
    assert get(f"{server.url}/x.zip", tmp_path) == BODY
    assert time.monotonic() - before >= 1


def test_a_server_that_asks_to_wait_for_long_is_left(server: Server, tmp_path: Path) -> None:
    for value in ("3600", email.utils.formatdate(time.time() + 3600, usegmt=True)):
        server.table["/x.zip"] = content(b"", 429, {"Retry-After": value})
        server.requests.clear()
        reason = failure(f"{server.url}/x.zip", tmp_path)
        assert reason.startswith("the server has had too many requests (429); try again in 3")
        assert len(server.requests) == 1
    for value in ("soon", "9" * 400):
        server.table["/x.zip"] = content(b"", 429, {"Retry-After": value})
        assert failure(f"{server.url}/x.zip", tmp_path).endswith("try again later")


# Credentials.


def test_credentials_are_sent_to_those_who_are_meant(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = authenticated(content(BODY), "user@example.com", SECRET)
    assert "asks who you are (401)" in failure(f"{server.url}/x.zip", tmp_path)
    address = server.url.replace("://", f"://user%40example.com:{SECRET}@")
    assert get(f"{address}/x.zip", tmp_path) == BODY


def test_credentials_that_are_wrong(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = authenticated(content(BODY), "user", "another")
    expected = "the server refuses these credentials (401); check that they are right and allow reading"
    assert failure(with_secrets(f"{server.url}/x.zip"), tmp_path) == expected


def test_a_secret_parameter_is_sent_and_nowhere_told(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.table["/x.zip"] = content(BODY)
    assert get(f"{server.url}/x.zip?ref=main&token={SECRET}", tmp_path) == BODY
    assert server.seen() == [f"GET /x.zip?ref=main&token={SECRET}"]
    assert SECRET not in caplog.text


# Redirects.


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(status: int, server: Server, tmp_path: Path) -> None:
    server.table.update({"/x.zip": redirect("y/z", status), "/y/z": redirect(f"{server.url}/end", status)})
    server.table["/end"] = authenticated(content(BODY), "user", SECRET)
    address = server.url.replace("://", f"://user:{SECRET}@")
    assert get(f"{address}/x.zip", tmp_path) == BODY
    assert server.seen() == ["GET /x.zip", "GET /y/z", "GET /end"]


def test_redirects_without_an_end(server: Server, tmp_path: Path) -> None:
    for number in range(6):
        server.table[f"/{number}.zip"] = redirect(f"/{number + 1}.zip")
    server.table["/6.zip"] = content(BODY)
    assert get(f"{server.url}/1.zip", tmp_path) == BODY
    (tmp_path / "x.zip").unlink()
    expected = "the server redirects more than 5 times; check the address"
    assert failure(f"{server.url}/0.zip", tmp_path) == expected
    server.table["/x.zip"] = redirect("/x.zip")
    server.requests.clear()
    assert failure(f"{server.url}/x.zip", tmp_path) == expected
    assert len(server.requests) == 6


def test_a_redirect_to_another_server_takes_no_credentials_along(server: Server, tmp_path: Path) -> None:
    with serve({"/y.zip": content(BODY), "/back": redirect(f"{server.url}/z.zip")}) as other:
        server.table["/x.zip"] = redirect(f"{other.url}/y.zip?to=you")
        server.table["/w.zip"] = redirect(f"{other.url}/back")
        server.table["/z.zip"] = authenticated(content(BODY), "user", f"{SECRET}-1")
        assert get(with_secrets(f"{server.url}/x.zip"), tmp_path) == BODY
        assert get(with_secrets(f"{server.url}/w.zip"), tmp_path) == BODY
        assert other.seen() == ["GET /y.zip?to=you", "GET /back"]
        assert not any("authorization" in request.headers for request in other.requests)
        assert SECRET not in str(other.requests)
    assert server.seen("z.zip") == ["GET /z.zip"]


def test_a_redirect_with_credentials_of_its_own(server: Server, tmp_path: Path) -> None:
    with serve({"/y.zip": content(BODY)}) as other:
        server.table["/x.zip"] = redirect(other.url.replace("://", "://you:there@") + "/y.zip")
        assert get(f"{server.url}/x.zip", tmp_path) == BODY
        assert "authorization" not in other.requests[0].headers


@pytest.mark.parametrize(
    "tail", [f"/y.zip?token={SECRET}-2", f"/{SECRET}-1/y.zip", f"/y.zip?other={SECRET}%2D2", f"/y.zip#{SECRET}-2"]
)
def test_a_redirect_that_carries_secrets_to_another_server(tail: str, server: Server, tmp_path: Path) -> None:
    with serve({"/": content(BODY)}) as other:
        server.table["/x.zip"] = redirect(other.url + tail)
        if "#" in tail:
            # What is behind the hash is not sent.
            assert get(with_secrets(f"{server.url}/x.zip"), tmp_path) == BODY
        else:
            reason = failure(with_secrets(f"{server.url}/x.zip"), tmp_path)
            assert reason == "the server redirects to 127.0.0.1 and would send it your credentials; that is refused"
            assert not other.requests


def test_a_short_secret_is_known_by_its_parameter(server: Server, tmp_path: Path) -> None:
    with serve({"/": content(BODY)}) as other:
        server.table["/x.zip"] = redirect(f"{other.url}/y.zip?number=1&token=abc")
        assert "that is refused" in failure(f"{server.url}/x.zip?token=abc", tmp_path)
        server.table["/x.zip"] = redirect(f"{other.url}/abc.zip?number=1")
        assert get(f"{server.url}/x.zip?token=abc", tmp_path) == BODY


def test_a_redirect_within_a_server_may_carry_its_secrets(server: Server, tmp_path: Path) -> None:
    server.table.update({"/x.zip": redirect(f"/y.zip?token={SECRET}-2"), "/y.zip": content(BODY)})
    assert get(with_secrets(f"{server.url}/x.zip"), tmp_path) == BODY


def test_a_redirect_to_another_scheme(server: Server, tmp_path: Path, certificate: Certificate) -> None:
    (tmp_path / "secret.zip").write_bytes(BODY)
    (tmp_path / "to").mkdir()
    targets = {"file": (tmp_path / "secret.zip").as_uri(), "ftp": "ftp://example.com/x.zip"}
    with serve({"/x.zip": content(BODY)}, certificate) as secure:
        for scheme, target in {**targets, "https": f"{secure.url}/x.zip"}.items():
            server.table["/x.zip"] = redirect(target)
            reason = failure(f"{server.url}/x.zip", tmp_path / "to")
            assert reason.startswith(f"the server redirects from http to {scheme}, and no redirect to another scheme")
        assert not secure.requests


def test_no_redirect_away_from_https(
    server: Server, tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))
    with serve({"/x.zip": redirect(f"{server.url}/x.zip")}, certificate) as secure:
        assert "from https to http" in failure(with_secrets(f"{secure.url}/x.zip"), tmp_path)
    assert not server.requests


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("", "the server redirects to nowhere; check the address"),
        ("data:,x", "this can't be an address; check it"),
        ("http://example.com:port/x.zip", "127.0.0.1 did not give a whole and proper answer; try again, or {by_hand}"),
        (f"http://{'a' * 70}.example.com/x.zip", "this can't be an address; check it"),
    ],
)
def test_a_redirect_that_is_no_address(location: str, reason: str, server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = redirect(location)
    expected = reason.format(by_hand="download the archive yourself and give its path")
    assert failure(f"{server.url}/x.zip", tmp_path) == expected


def test_what_the_client_does_not_take_for_an_address(tmp_path: Path) -> None:
    source = dataclasses.replace(parse_source("http://example.com/x.zip", "/"), address="http://example.com:port/x.zip")
    with pytest.raises(FetchError, match="this can't be an address; check it"):
        download(source, str(tmp_path / "x.zip"))


# Certificates, proxies, and what can't be reached.


def test_a_certificate_is_taken_from_the_environment(
    tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve({"/x.zip": content(BODY)}, certificate) as secure:
        reason = failure(f"{secure.url}/x.zip", tmp_path)
        assert reason.startswith("the certificate of localhost can't be verified (self")
        assert reason.endswith("set SSL_CERT_FILE to the file of its certificate")
        assert not secure.requests
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))
        assert get(f"{secure.url}/x.zip", tmp_path) == BODY
        assert len(secure.requests) == 1


def test_a_certificate_for_another_host(
    tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))
    with serve({"/x.zip": content(BODY)}, certificate) as secure, proxy(secure.url) as passing:
        monkeypatch.setenv("HTTPS_PROXY", f"http://{passing.address}")
        assert "can't be verified (Hostname mismatch" in failure("https://example.com/x.zip", tmp_path)


@pytest.mark.parametrize("value", ["/there/is/none.pem", __file__])
def test_a_certificate_file_that_is_none(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", value)
    assert "SSL_CERT_FILE" in failure("https://127.0.0.1:1/x.zip", tmp_path)


def test_a_server_without_tls(server: Server, tmp_path: Path) -> None:
    address = server.url.replace("http://", "https://")
    assert "no connection to 127.0.0.1" in failure(with_secrets(f"{address}/x.zip"), tmp_path)


def test_proxies_are_taken_from_the_environment(
    server: Server, tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.table["/x.zip"] = content(BODY)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))
    with (
        proxy(server.url) as plain,
        serve({"/x.zip": content(BODY)}, certificate) as secure,
        proxy(secure.url) as tunnel,
    ):
        monkeypatch.setenv("HTTP_PROXY", f"http://user:{SECRET}@{plain.address}")
        monkeypatch.setenv("HTTPS_PROXY", f"http://{tunnel.address}")
        # Only the proxy knows where this is.
        assert get("http://archives.invalid/x.zip", tmp_path) == BODY
        assert plain.heads[0].startswith("GET http://archives.invalid/x.zip HTTP/1.1\r\n")
        assert "Proxy-Authorization: Basic " in plain.heads[0]
        assert get(f"{secure.url}/x.zip", tmp_path) == BODY
        assert tunnel.heads[0].startswith("CONNECT localhost:")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert get(f"{server.url}/x.zip", tmp_path) == BODY
        assert len(plain.heads) == 1


def test_a_proxy_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
    with proxy("http://127.0.0.1:1", refusal) as refusing:
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://user:{SECRET}@{refusing.address}")
        expected = "the proxy does not pass the request on; check HTTP_PROXY and HTTPS_PROXY"
        assert failure("https://archives.invalid/x.zip", tmp_path) == expected
        assert failure("http://archives.invalid/x.zip", tmp_path) == expected


@pytest.mark.parametrize("value", [f"what://user:{SECRET}@example.com", "socks5://example.com"])
def test_a_proxy_that_is_none(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", value)
    assert "check HTTP_PROXY" in failure("http://archives.invalid/x.zip", tmp_path)


def test_what_can_not_be_reached(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    reason = failure(with_secrets(f"http://127.0.0.1:{port}/x.zip"), tmp_path)
    assert reason.startswith("no connection to 127.0.0.1 (Connection refused); check the address")
    reason = failure(with_secrets("http://archives.invalid/x.zip"), tmp_path)
    assert reason.startswith("no connection to archives.invalid (")


def test_a_server_that_never_takes_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, certificate: Certificate
) -> None:
    monkeypatch.setattr(http_limits, "CONNECT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0), backlog=1) as deaf:
        # The handshake of TLS is part of connecting, and nobody answers it.
        reason = failure(f"https://127.0.0.1:{deaf.getsockname()[1]}/x.zip", tmp_path)
    assert reason.startswith("127.0.0.1 does not answer; check the address")


def test_a_file_that_can_not_be_written(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(BODY)
    source, to = parse_source(f"{server.url}/x.zip", str(tmp_path)), str(tmp_path / "none/x.zip")
    with pytest.raises(FileNotFoundError) as failed:
        download(source, to)
    assert not isinstance(failed.value, FetchError)
    assert failed.value.filename == to


def test_a_caller_who_stops_leaves_nothing_behind(server: Server, tmp_path: Path) -> None:
    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    server.table["/x.zip"] = content(BODY)
    with pytest.raises(KeyboardInterrupt):
        download(parse_source(f"{server.url}/x.zip", str(tmp_path)), str(tmp_path / "x.zip"), stop)
    assert not os.listdir(tmp_path)
