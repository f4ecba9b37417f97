"""Archives over HTTP(S), from real servers that behave well or badly; no failure says what is secret."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import NamedTuple

import pytest

from skillbag.supply.sources import limits
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.http_exchange import Deadline
from tests.supply.sources.downloads import BODY, failure, get, reset, with_secrets
from tests.supply.sources.servers import Certificate, Handle, Request, Server, content, serve, stalling, truncated

pytestmark = pytest.mark.filterwarnings("error")


def test_an_archive_is_downloaded_unchanged_with_progress(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(BODY)
    reported: list[tuple[int, int | None]] = []
    assert get(f"{server.url}/x.zip", tmp_path, lambda done, total: reported.append((done, total))) == BODY
    assert reported[-1] == (len(BODY), len(BODY))
    assert [done for done, _ in reported] == sorted({done for done, _ in reported})
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
    reported: list[int | None] = []
    for name in ("closed", "chunked"):
        assert get(f"{server.url}/{name}.zip", tmp_path, lambda _, total: reported.append(total)) == BODY
    assert set(reported) == {None}


def test_bytes_beyond_the_promised_length_are_not_part_of_it(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(BODY, headers={"Content-Length": "1000", "Connection": "close"})
    assert get(f"{server.url}/x.zip", tmp_path) == BODY[:1000]


def test_an_archive_that_breaks_off(server: Server, tmp_path: Path) -> None:
    cut = raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1000\r\nPK")
    for handle in (truncated(BODY, len(BODY) + 1), cut, raw(b"HTTP/1.1 2"), raw(b"what?\r\n\r\n"), reset):
        server.table["/x.zip"] = handle
        server.requests.clear()
        assert "127.0.0.1 sent an incomplete or malformed response" in failure(
            with_secrets(f"{server.url}/x.zip"), tmp_path
        )
        assert len(server.requests) == 3


def test_a_server_that_stops_responding_is_asked_once(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "READ_SECONDS", 0.4)
    for body in (b"", b"PK\3\4"):
        server.table["/x.zip"] = stalling(body)
        server.requests.clear()
        assert failure(f"{server.url}/x.zip", tmp_path).startswith("127.0.0.1 stopped responding; try again later, or ")
        assert len(server.requests) == 1


def test_a_download_that_is_too_slow_is_ended(
    server: Server, tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DOWNLOAD_SECONDS", 0.3)
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
    """The trace information of a connection."""

    socket: socket.socket

    def get_extra_info(self, name: str) -> object:
        return getattr(self, name)


def test_a_connection_that_is_made_too_late_is_ended_at_once() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, Deadline(0.0) as deadline:
        while not deadline.over:
            time.sleep(0.01)
        deadline.watch("connection.connect_tcp.complete", {"return_value": Stream(ours)})
        theirs.settimeout(300)
        assert theirs.recv(1) == b""


def test_no_timer_is_left_after_a_download(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(BODY)
    get(f"{server.url}/x.zip", tmp_path)
    end = time.monotonic() + 60
    while any(isinstance(thread, threading.Timer) for thread in threading.enumerate()):
        assert time.monotonic() < end


def test_an_archive_that_is_too_large(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ARCHIVE", 1 << 20)
    server.table["/declared.zip"] = stalling(b"PK", promised=(1 << 20) + 1)
    server.table["/undeclared.zip"] = raw(b"HTTP/1.1 200 OK\r\n\r\nPK", *[bytes(1 << 16)] * 100)
    for name in ("declared", "undeclared"):
        expected = "the archive is larger than 1 MiB, the most that is downloaded"
        assert failure(f"{server.url}/{name}.zip", tmp_path) == expected


def test_an_archive_that_the_server_compresses_again(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(gzip.compress(BODY), headers={"Content-Encoding": "gzip"})
    assert "compresses the archive again ('gzip')" in failure(f"{server.url}/x.zip", tmp_path)
    server.table["/x.zip"] = content(BODY, headers={"Content-Encoding": "identity"})
    assert get(f"{server.url}/x.zip", tmp_path) == BODY


def test_a_web_page_instead_of_an_archive(server: Server, tmp_path: Path) -> None:
    html = {"Content-Type": "text/html; charset=utf-8"}
    for handle in (content(b"Log in first", headers=html), content(b"\n <!DOCTYPE html><title>Log in</title>")):
        server.table["/x.zip"] = handle
        assert "a web page instead of an archive" in failure(f"{server.url}/x.zip", tmp_path)
    server.table["/x.zip"] = content(BODY, headers=html)
    assert get(f"{server.url}/x.zip", tmp_path) == BODY
    # Other content is refused when it is unpacked.
    server.table["/x.zip"] = content(b"something else")
    assert get(f"{server.url}/x.zip", tmp_path) == b"something else"
