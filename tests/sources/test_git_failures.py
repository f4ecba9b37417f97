"""Git sources that fail: in time, with a sentence that helps, and with a cache that mends itself."""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from skillbag.sources import git_command
from skillbag.sources.address import parse_source
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import FetchError
from tests.sources.git_fetches import failure, fetch, is_left, slowly
from tests.sources.repositories import (
    Repository,
)
from tests.sources.servers import (
    Handle,
    Request,
    answer,
    content,
    git_backend,
    serve,
    stalling,
)

pytestmark = pytest.mark.usefixtures("git_config")


@pytest.mark.parametrize(
    ("handle", "told"),
    [
        (content(b"", 404), "check the address"),
        (content(b"", 403), "git must log in without asking"),
        (content(b"", 500), "error: 500"),
        (content(b"<html>welcome</html>"), "or no git repository"),
        (content(b"\x1b[2J" + b"evil\n" * 10_000, 500), "error: 500"),
    ],
    ids=["404", "403", "500", "page", "flood"],
)
def test_a_server_that_answers_something_else(handle: Handle, told: str) -> None:
    with serve({"/": handle}) as server:
        reason = failure(f"{server.url}/repo.git")

    assert told in reason
    assert len(reason) < 600


def test_nobody_listens_and_no_such_host() -> None:
    with serve({}) as server:
        pass

    assert "check the address and the network" in failure(f"{server.url}/repo.git")
    assert "check the address and the network" in failure("https://nowhere.invalid/repo.git")


def test_no_such_repository(tmp_path: Path) -> None:
    assert "check the address" in failure((tmp_path / "none.git").as_uri())


def test_words_of_the_server_are_told_without_their_tricks() -> None:
    lines = (b"# service=git-upload-pack\n", b"", b"ERR no \033[31mentry\007 today\n")
    body = b"".join(b"%04x%b" % (len(line) + 4, line) if line else b"0000" for line in lines)
    kind = {"Content-Type": "application/x-git-upload-pack-advertisement"}
    with serve({"/": content(body, headers=kind)}) as server:
        assert "[31mentry" in failure(f"{server.url}/repo.git")


def test_a_server_that_stalls_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_command, "STALL", 0.6)
    began = time.monotonic()
    with serve({"/": stalling(b"001e# service=git-upload-pack\n0000")}) as server:
        assert "nothing came for" in failure(f"{server.url}/repo.git")

    assert time.monotonic() - began < 40
    assert is_left()


def test_a_server_that_never_comes_to_an_end_is_left_in_time(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_command, "OVERALL", 1.0)
    began = time.monotonic()
    with serve({"/": slowly(git_backend(repository.path.parent), 0.05)}) as server:
        assert "it took more than" in failure(f"{server.url}/repo.git")

    assert time.monotonic() - began < 40
    assert is_left()


def test_a_slow_server_that_goes_on_is_waited_for(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_command, "STALL", 0.7)
    with serve({"/": slowly(git_backend(repository.path.parent), 0.04, 1 << 15)}) as server:
        assert fetch(f"{server.url}/repo.git").resolved == repository.tip("refs/heads/main")


def test_a_repository_that_is_too_large_is_left_before_it_is_there(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_command, "LARGEST", 100_000)
    with serve({"/": slowly(git_backend(repository.path.parent), 0.02)}) as server:
        assert "the server sends more than" in failure(f"{server.url}/repo.git")


def test_a_pack_that_breaks_off_is_told_and_leaves_nothing_behind(repository: Repository) -> None:
    backend = git_backend(repository.path.parent)

    def broken(request: Request, handler: BaseHTTPRequestHandler) -> None:
        if b"want " not in request.body:
            return backend(request, handler)
        answer(
            handler, b"0008NAK\n0015\x01PACK" + b"\0" * 12, headers={"Content-Length": "999999", "Connection": "close"}
        )
        handler.close_connection = True
        return None

    with serve({"/": broken}) as server:
        assert failure(f"{server.url}/repo.git")
        server.table["/"] = backend
        assert fetch(f"{server.url}/repo.git").resolved == repository.tip("refs/heads/main")


def test_no_git_at_all_is_told_and_does_no_harm_to_the_cache(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for _ in ("nothing cached", "cached"):
        with monkeypatch.context() as patch:
            patch.setenv("PATH", str(tmp_path))
            assert "there is no git on this machine" in failure(repository.url, "main")
            with pytest.raises(FetchError, match="no git"):
                Fetcher().latest(parse_source(repository.url, "/"), "main")
        first = fetch(repository.url, "main")
    assert fetch(repository.url, "main", offline=True) == first
