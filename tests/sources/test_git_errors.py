"""What git says when it fails, cut down to what helps."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.sources.git_command import run
from skillbag.sources.git_errors import GitError, clean


def test_credentials_and_control_characters_are_taken_out() -> None:
    said = (
        b"fatal: unable to access 'https://me:w%2Frd@example.com/x/': w/rd, w%2Frd\x1b[31m\r\nremote: https://t0k@h/\n"
    )

    text = clean(said, ["w/rd", "w%2Frd", ""])

    assert text == "fatal: unable to access 'https://example.com/x/': ****, **** [31m\n\nremote: https://h/\n"


def test_only_lines_that_matter_are_told_and_each_once() -> None:
    error = GitError(
        "Cloning into x...\nwarning: redirecting\nremote: Counting objects:  50% (1/2)\nremote: Total 3 (delta 0)\n"
        "remote: Repository not found.\nerror: one\nerror: one\nhint: try again\nfatal: two.\nfatal: three\n"
    )

    assert str(error) == "Repository not found; one; three"


def test_a_long_line_is_cut() -> None:
    assert len(str(GitError("fatal: " + "x" * 10_000))) == 300
    assert str(GitError("something odd\n")) == "something odd"


@pytest.mark.parametrize(
    ("said", "hint"),
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
def test_what_is_known_comes_with_what_to_do(said: str, hint: str) -> None:
    assert hint in GitError(said).advice


def test_what_is_not_known_is_told_as_it_is() -> None:
    assert GitError("fatal: the moon is full").advice == "the moon is full"


@pytest.mark.skipif(os.name != "posix", reason="a script stands in for git")
def test_a_failure_without_a_message_is_told_by_its_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match=r"^git exited with 7 and no message$"):
        run(str(tmp_path), ["status"])
