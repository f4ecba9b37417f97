"""Addresses of sources: what they stand for, which are one, what is kept secret, what is refused."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.kernel.workspace.text import ARCHIVES
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.archive_formats import ENDS
from skillbag.supply.sources.source import BadSourceError, Credentials, Source
from tests.rows import each_row
from tests.supply.sources.repositories import make_repository

TABLES = tomllib.loads(Path(__file__).with_name("addresses.toml").read_text("utf-8"))


def parsed(text: str) -> Source:
    return parse_source(text, os.path.abspath(os.sep))


@each_row(("text", "kind"), TABLES["kinds"].items())
def test_the_form_of_an_address_decides_its_kind(text: str, kind: str) -> None:
    assert parsed(text).kind == kind


def test_what_is_at_a_path_decides_its_kind(tmp_path: Path) -> None:
    make_repository(tmp_path / "bare.git")
    (tmp_path / "packed").write_bytes(b"PK")
    (tmp_path / "folder.zip").mkdir()
    kinds = {name: parse_source(name, str(tmp_path)).kind for name in ("bare.git", "packed", "folder.zip", "none.zip")}

    assert kinds == {
        "bare.git": SourceKind.GIT,
        "packed": SourceKind.ZIP,
        "folder.zip": SourceKind.FOLDER,
        "none.zip": SourceKind.ZIP,
    }


def test_relative_paths_count_from_the_workspace_and_a_tilde_from_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))

    assert parse_source("../x", str(tmp_path / "work")).address == str(tmp_path / "x")
    assert parse_source("~/x", str(tmp_path)).address == str(tmp_path / "home" / "x")
    assert parse_source("../x", str(tmp_path)).declared == "../x"


@each_row(("text", "same"), TABLES["same"])
def test_two_spellings_of_one_source_have_one_identity(text: str, same: str) -> None:
    assert parsed(text).identity == parsed(same).identity


@each_row(("text", "other"), TABLES["different"])
def test_different_sources_have_different_identities(text: str, other: str) -> None:
    assert parsed(text).identity != parsed(other).identity


def test_paths_to_one_place_have_one_identity(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "bare.git")
    (tmp_path / "link.git").symlink_to(repository.path)
    texts = ["bare.git", "link.git", "./bare.git/", str(repository.path)]
    texts += [repository.url, (tmp_path / "link.git").as_uri()]

    assert {parse_source(text, str(tmp_path)).identity for text in texts} == {os.path.realpath(repository.path)}
    assert not any(parse_source(text, str(tmp_path)).remote for text in texts)


@pytest.mark.parametrize("path", ["Org/repo", "archive.zip"])
def test_credentials_are_taken_out_of_an_address(path: str) -> None:
    source = parsed(f"https://user:p%40ss%3Aword@example.com/{path}")

    assert source.credentials == Credentials("user", "p@ss:word")
    assert source.address == source.declared == f"https://example.com/{path}"
    assert "word" not in repr(source)
    assert "user" not in repr(source)
    assert "word" not in source.identity


def test_a_name_alone_may_be_a_token_and_is_taken_out_too() -> None:
    source = parsed("https://t0ken@example.com/Org/repo")

    assert source.credentials == Credentials("t0ken", "")
    assert "t0ken" not in source.declared + source.address + source.identity


def test_the_user_of_an_ssh_address_stays() -> None:
    assert parsed("git@example.com:Org/repo").declared == "git@example.com:Org/repo"
    assert parsed("ssh://git@example.com/Org/repo").address == "ssh://git@example.com/Org/repo"


@each_row(
    "parameter",
    [
        "token=abc",
        "ACCESS_TOKEN=abc",
        "private-token=abc",
        "sig=abc",
        "X-Amz-Signature=abc",
        "X-Goog-Credential=abc",
        "session=ghp_" + "x7Kq29LmP0vTzRb4Wc8NdYe6HsUf1GjAi3Qo",
    ],
)
def test_secret_parameters_of_a_zip_are_used_for_its_fetch_only(parameter: str) -> None:
    source = parsed(f"https://example.com/a.zip?version=2&{parameter}&flat=1")

    assert source.declared == source.address == source.identity == "https://example.com/a.zip?version=2&flat=1"
    assert source.full_address == f"https://example.com/a.zip?version=2&flat=1&{parameter}"
    assert parameter.partition("=")[2] not in repr(source)


def test_the_full_address_of_a_zip_whose_whole_query_is_secret() -> None:
    assert parsed("https://example.com/a.zip?token=abc").full_address == "https://example.com/a.zip?token=abc"
    assert parsed("https://example.com/a.zip").full_address == "https://example.com/a.zip"


@each_row(("text", "instead"), TABLES["refused"].items())
def test_what_is_no_address_is_refused_with_what_to_write_instead(text: str, instead: str) -> None:
    with pytest.raises(BadSourceError) as error:
        parsed(text)

    assert instead in str(error.value)


@each_row("text", TABLES["with-password"])
def test_no_message_shows_a_password(text: str) -> None:
    with pytest.raises(BadSourceError) as error:
        parsed(text)

    assert "hun" not in str(error.value)


def test_rules_know_each_archive_that_a_source_may_be() -> None:
    assert [end for end in ENDS if not end.endswith(ARCHIVES)] == []
