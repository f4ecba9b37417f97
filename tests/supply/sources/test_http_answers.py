"""Answers other than an archive: statuses, retries, credentials and redirects."""

from __future__ import annotations

import email.utils
import logging
import time
from pathlib import Path

import pytest

from tests.supply.sources.downloads import BODY, SECRET, failure, get, reset, with_secrets
from tests.supply.sources.servers import Certificate, Handle, Server, authenticated, content, redirect, serve, truncated

pytestmark = pytest.mark.filterwarnings("error")


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
def test_other_statuses_are_explained_and_not_retried(status: int, server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(b"", status)
    assert failure(f"{server.url}/x.zip", tmp_path).startswith(STATUSES[status])
    assert len(server.requests) == 1


def in_turn(*handles: Handle) -> Handle:
    """The answers of these, one after another."""
    left = list(handles)
    return lambda request, handler: left.pop(0)(request, handler)


def test_a_temporary_fault_is_retried(server: Server, tmp_path: Path) -> None:
    for first in (*(content(b"", status) for status in (429, 502, 503, 504)), reset, truncated(BODY, 1 << 20)):
        server.table["/x.zip"] = in_turn(first, first, content(BODY[:1000]))
        assert get(f"{server.url}/x.zip", tmp_path) == BODY[:1000]


@pytest.mark.parametrize(("status", "what"), [(429, "has had too many requests"), (503, "is not able to answer now")])
def test_a_lasting_fault_is_reported(status: int, what: str, server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = content(b"", status)
    assert failure(f"{server.url}/x.zip", tmp_path) == f"the server {what} ({status}); try again later"
    assert len(server.requests) == 3


def test_a_server_that_asks_to_wait(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    server.table["/x.zip"] = in_turn(content(b"", 503, {"Retry-After": "1"}), content(BODY))
    assert get(f"{server.url}/x.zip", tmp_path) == BODY
    assert pauses == [1.0]


def test_a_long_wait_is_not_waited_for(server: Server, tmp_path: Path) -> None:
    for value in ("3600", email.utils.formatdate(time.time() + 3600, usegmt=True)):
        server.table["/x.zip"] = content(b"", 429, {"Retry-After": value})
        server.requests.clear()
        reason = failure(f"{server.url}/x.zip", tmp_path)
        assert reason.startswith("the server has had too many requests (429); try again in 3")
        assert len(server.requests) == 1
    for value in ("soon", "9" * 400):
        server.table["/x.zip"] = content(b"", 429, {"Retry-After": value})
        assert failure(f"{server.url}/x.zip", tmp_path).endswith("try again later")


def test_credentials_are_sent_to_their_host(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = authenticated(content(BODY), "user@example.com", SECRET)
    assert "asks who you are (401)" in failure(f"{server.url}/x.zip", tmp_path)
    address = server.url.replace("://", f"://user%40example.com:{SECRET}@")
    assert get(f"{address}/x.zip", tmp_path) == BODY


def test_credentials_that_are_wrong(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = authenticated(content(BODY), "user", "another")
    expected = "the server refuses these credentials (401); check that they are right and allow reading"
    assert failure(with_secrets(f"{server.url}/x.zip"), tmp_path) == expected


def test_a_secret_parameter_is_sent_and_not_logged(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.table["/x.zip"] = content(BODY)
    assert get(f"{server.url}/x.zip?ref=main&token={SECRET}", tmp_path) == BODY
    assert server.seen() == [f"GET /x.zip?ref=main&token={SECRET}"]
    assert SECRET not in caplog.text


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


NEITHER = ", and no redirect to another scheme is followed; write the address at which the archive is now"


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("", "the server redirects to nowhere; check the address"),
        ("data:,x", f"the server redirects from http to data{NEITHER}"),
        ("http://example.com:port/x.zip", "this is not a valid address; check it"),
        (f"http://{'a' * 70}.example.com/x.zip", "this is not a valid address; check it"),
    ],
)
def test_a_redirect_that_is_no_address(location: str, reason: str, server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = redirect(location)
    assert failure(f"{server.url}/x.zip", tmp_path) == reason
