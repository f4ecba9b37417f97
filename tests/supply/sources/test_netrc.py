"""Logins of the user's netrc file: sent to the server that they are for, and to no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.http_client import login_for
from tests.supply.sources.downloads import BODY
from tests.supply.sources.downloads import get as get_into
from tests.supply.sources.servers import Server, authenticated, content, redirect

PASSWORD = "Zx81kQ-netrc"


def get(url: str, folder: Path) -> bytes:
    (folder / "got").mkdir()
    return get_into(url, folder / "got")


@pytest.fixture(params=["home", "variable"])
def netrc(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's file with a login for 127.0.0.1."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    path = home / (".netrc" if request.param == "home" else "logins")
    monkeypatch.setenv("NETRC", "" if request.param == "home" else str(path))
    path.write_text(f"machine 127.0.0.1\n  login reader\n  password {PASSWORD}\n")
    path.chmod(0o600)
    return path


def test_a_login_is_sent(netrc: Path, server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = authenticated(content(BODY), "reader", PASSWORD)
    assert get(f"{server.url}/x.zip", tmp_path) == BODY


def test_a_login_of_the_address_counts_first(netrc: Path, server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = authenticated(content(BODY), "me", "mine")
    assert get(f"{server.url.replace('//', '//me:mine@')}/x.zip", tmp_path) == BODY


def test_another_server_gets_none(netrc: Path, server: Server, tmp_path: Path) -> None:
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    server.table.update({"/x.zip": redirect(f"{elsewhere}/y.zip"), "/y.zip": content(BODY)})
    assert get(f"{server.url}/x.zip", tmp_path) == BODY
    assert ["authorization" in request.headers for request in server.requests] == [True, False]


def test_a_wrong_login_is_said_and_not_shown(netrc: Path, server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = authenticated(content(BODY), "reader", "another")
    with pytest.raises(FetchError, match="refuses these credentials") as error:
        get(f"{server.url}/x.zip", tmp_path)
    assert PASSWORD not in str(error.value)


def test_without_one_the_message_names_the_file(server: Server, tmp_path: Path) -> None:
    server.table["/x.zip"] = authenticated(content(BODY), "reader", PASSWORD)
    with pytest.raises(FetchError, match=r"~/\.netrc"):
        get(f"{server.url}/x.zip", tmp_path)


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://example.com/x.zip", True),
        ("https://EXAMPLE.com:8443/x.zip", True),
        ("http://example.com/x.zip", False),
        ("https://sub.example.com/x.zip", False),
        ("https://example.org/x.zip", False),
    ],
)
def test_which_servers_have_a_login(netrc: Path, address: str, found: bool) -> None:
    netrc.write_text(f"machine example.com login me password {PASSWORD}\ndefault login me password {PASSWORD}\n")
    assert (login_for(address) is not None) == found


@pytest.mark.parametrize("text", [b"machine 127.0.0.1 login", b"\xff\xfe", b"machine 127.0.0.1 \x00", b"oops " * 9])
def test_a_file_that_can_t_be_read_is_as_good_as_none(netrc: Path, server: Server, tmp_path: Path, text: bytes) -> None:
    netrc.write_bytes(text)
    server.table["/x.zip"] = content(BODY)
    assert get(f"{server.url}/x.zip", tmp_path) == BODY


def test_a_file_that_others_can_write_is_as_good_as_none(netrc: Path) -> None:
    netrc.chmod(0o666)
    assert login_for("http://127.0.0.1/x.zip") is None
