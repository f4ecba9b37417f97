"""Addresses, certificates, proxies and files that can not be used."""

from __future__ import annotations

import dataclasses
import os
import socket
from pathlib import Path

import pytest

from skillbag.supply.sources import limits
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.http_client import download
from tests.supply.sources.downloads import BODY, SECRET, failure, get, with_secrets
from tests.supply.sources.proxies import proxy
from tests.supply.sources.servers import Certificate, Server, content, serve

pytestmark = pytest.mark.filterwarnings("error")


def test_what_the_client_does_not_take_for_an_address(tmp_path: Path) -> None:
    source = dataclasses.replace(parse_source("http://example.com/x.zip", "/"), address="http://example.com:port/x.zip")
    with pytest.raises(FetchError, match="this is not a valid address; check it"):
        download(source, str(tmp_path / "x.zip"))


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
    monkeypatch.setattr(limits, "CONNECT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0), backlog=1) as deaf:
        # The handshake of TLS is part of connecting, and it gets no answer.
        reason = failure(f"https://127.0.0.1:{deaf.getsockname()[1]}/x.zip", tmp_path)
    assert reason.startswith("127.0.0.1 does not answer; check the address")


def test_a_file_that_can_not_be_written(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(BODY)
    source, to = parse_source(f"{server.url}/x.zip", str(tmp_path)), str(tmp_path / "none/x.zip")
    (tmp_path / "none").write_bytes(b"")
    with pytest.raises(OSError, match=r"exists|[Nn]ot a directory") as failed:
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
