"""Git sources that fail: in time, with a message that helps, and with a cache that is repaired."""

from __future__ import annotations

import os
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from skillbag.supply.sources import git_command
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.git_command import run
from skillbag.supply.sources.git_errors import GitError, clean
from tests.rows import each_row
from tests.supply.sources.git_fetches import failure, fetch, is_left, slowly
from tests.supply.sources.repositories import Repository
from tests.supply.sources.servers import Handle, Request, answer, content, git_backend, serve, stalling

pytestmark = pytest.mark.usefixtures("git_config")


@each_row(
    ("handle", "reason_part"),
    [
        (content(b"", 404), "check the address"),
        (content(b"", 403), "git must log in without asking"),
        (content(b"", 500), "error: 500"),
        (content(b"<html>welcome</html>"), "or no git repository"),
        (content(b"\x1b[2J" + b"evil\n" * 10_000, 500), "error: 500"),
    ],
    ids=["404", "403", "500", "page", "flood"],
)
def test_a_server_that_answers_something_else(handle: Handle, reason_part: str) -> None:
    with serve({"/": handle}) as server:
        reason = failure(f"{server.url}/repo.git")

    assert reason_part in reason
    assert len(reason) < 600


def test_a_connection_that_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "false")

    reason = failure("git@host.example:acme/x.git")

    assert reason == "Could not read from remote repository; check the address, and that ssh can log in there"


def test_an_unreachable_server() -> None:
    with serve({}) as server:
        pass

    assert "check the address and the network" in failure(f"{server.url}/repo.git")
    assert "check the address and the network" in failure("https://nowhere.invalid/repo.git")


def test_no_such_repository(tmp_path: Path) -> None:
    assert "check the address" in failure((tmp_path / "none.git").as_uri())


def test_a_message_of_the_server_is_shown_without_control_characters() -> None:
    lines = (b"# service=git-upload-pack\n", b"", b"ERR no \033[31mentry\007 today\n")
    body = b"".join(b"%04x%b" % (len(line) + 4, line) if line else b"0000" for line in lines)
    kind = {"Content-Type": "application/x-git-upload-pack-advertisement"}
    with serve({"/": content(body, headers=kind)}) as server:
        assert "[31mentry" in failure(f"{server.url}/repo.git")


def test_a_server_that_stalls_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_command, "STALL", 0.6)
    began = time.monotonic()
    with serve({"/": stalling(b"001e# service=git-upload-pack\n0000")}) as server:
        assert "nothing came for" in failure(f"{server.url}/repo.git")

    assert time.monotonic() - began < 50
    assert is_left()


def test_an_endless_answer_times_out(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_command, "OVERALL", 1.0)
    began = time.monotonic()
    with serve({"/": slowly(git_backend(repository.path.parent), 0.05)}) as server:
        assert "it took more than" in failure(f"{server.url}/repo.git")

    assert time.monotonic() - began < 50
    assert is_left()


def test_a_slow_server_that_goes_on_is_waited_for(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_command, "STALL", 0.7)
    with serve({"/": slowly(git_backend(repository.path.parent), 0.08, 1 << 15)}) as server:
        assert fetch(f"{server.url}/repo.git").resolved == repository.tip("refs/heads/main")


def test_a_fetch_that_grows_too_large_is_ended(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_command, "LARGEST", 100_000)
    with serve({"/": slowly(git_backend(repository.path.parent), 0.02)}) as server:
        assert "the server sends more than" in failure(f"{server.url}/repo.git")


def test_an_incomplete_pack_is_reported_and_leaves_nothing_behind(repository: Repository) -> None:
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


def test_a_missing_git_is_reported_and_does_not_damage_the_cache(
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


def test_credentials_and_control_characters_are_taken_out() -> None:
    output = (
        b"fatal: unable to access 'https://me:w%2Frd@example.com/x/': w/rd, w%2Frd\x1b[31m\r\nremote: https://t0k@h/\n"
    )

    text = clean(output, ["w/rd", "w%2Frd", ""])

    assert text == "fatal: unable to access 'https://example.com/x/': ****, **** [31m\n\nremote: https://h/\n"


def test_only_relevant_lines_are_shown_each_once() -> None:
    error = GitError(
        "Cloning into x...\nwarning: redirecting\nremote: Counting objects:  50% (1/2)\nremote: Total 3 (delta 0)\n"
        "remote: Repository not found.\nerror: one\nerror: one\nhint: try again\nfatal: two.\nfatal: three\n"
    )

    assert str(error) == "Repository not found; one; three"


def test_a_long_line_is_cut() -> None:
    assert len(str(GitError("fatal: " + "x" * 10_000))) == 300
    assert str(GitError("something odd\n")) == "something odd"


@each_row(
    ("output", "hint"),
    [
        ("fatal: could not read Username for 'https://example.com': terminal prompts disabled", "credential helper"),
        ("fatal: Authentication failed for 'https://example.com/Org/repo/'", "credential helper"),
        ("git@example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.", "ssh agent"),
        ("Host key verification failed.\nfatal: Could not read from remote repository.", "accept its key"),
        ("fatal: transport 'https' not allowed", "another kind of address"),
        (
            "fatal: unable to access 'http://x/': Protocol \"https\" not supported or disabled in libcurl",
            "redirects to another kind",
        ),
        ("fatal: detected dubious ownership in repository at '/srv/repo'", "safe.directory"),
        ("ssh: Could not resolve hostname example.com: Name or service not known", "the network"),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", "the network"),
        ("fatal: unable to access 'https://x/': Failed to connect to x port 443: Connection refused", "the network"),
        ("remote: Repository not found.\nfatal: repository 'https://x/' not found", "check the address"),
        ("fatal: '/srv/x' does not appear to be a git repository", "check the address"),
        ("fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate", "http.sslCAInfo"),
        ("error: unknown option `no-write-fetch-head'\nusage: git fetch", "2.31"),
    ],
)
def test_a_known_message_comes_with_advice(output: str, hint: str) -> None:
    assert hint in GitError(output).advice


def test_an_unknown_message_is_shown_unchanged() -> None:
    assert GitError("fatal: the moon is full").advice == "the moon is full"


@pytest.mark.skipif(os.name != "posix", reason="a script stands in for git")
def test_a_failure_without_a_message_shows_the_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match=r"^git exited with 7 and no message$"):
        run(str(tmp_path), ["status"])
