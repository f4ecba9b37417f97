"""Addresses of sources: what they stand for, which are one, what is kept secret, what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.sources.address import (
    BadSourceError,
    Credentials,
    Source,
    SourceKind,
    parse_source,
)
from tests.sources.repositories import make_repository


def parsed(text: str) -> Source:
    return parse_source(text, os.path.abspath(os.sep))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("https://example.com/Org/repo", SourceKind.GIT),
        ("http://example.com/Org/repo.git", SourceKind.GIT),
        ("ssh://git@example.com/Org/repo", SourceKind.GIT),
        ("git://example.com/Org/repo", SourceKind.GIT),
        ("git@example.com:Org/repo.git", SourceKind.GIT),
        ("example.com:Org/repo", SourceKind.GIT),
        ("HTTPS://example.com/Org/repo", SourceKind.GIT),
        ("file:///srv/repo.zip", SourceKind.GIT),
        ("https://example.com/Org/repo/archive/main.zip", SourceKind.HTTP_ZIP),
        ("https://example.com/skills.ZIP?raw=1", SourceKind.HTTP_ZIP),
        ("https://api.example.com/repos/Org/repo/zipball/v1", SourceKind.HTTP_ZIP),
        ("skills.zip", SourceKind.ZIP),
        ("../other", SourceKind.FOLDER),
        ("./host:path", SourceKind.FOLDER),
    ],
)
def test_the_form_of_an_address_tells_its_kind(text: str, kind: SourceKind) -> None:
    assert parsed(text).kind is kind


def test_what_stands_at_a_path_tells_its_kind(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("https://example.com/Org/repo", "git@example.com:Org/repo.git"),
        ("https://example.com/Org/repo", "ssh://git@example.com/Org/repo"),
        ("https://example.com/Org/repo", "ssh://git@example.com:22/Org/repo.git/"),
        ("https://example.com/Org/repo", "HTTPS://user:word@Example.COM:443//Org/repo.git"),
        ("https://example.com/Org/repo", "http://example.com:80/Org/repo/"),
        ("https://example.com/Org/repo", "git://example.com:9418/Org/repo"),
        ("https://example.com/~me/repo", "https://example.com/%7Eme/repo"),
        ("https://example.com/a.zip", "https://Example.com:443/a.zip?token=abc"),
        ("https://[::1]/Org/repo", "[::1]:Org/repo"),
    ],
)
def test_two_spellings_of_one_source_have_one_identity(one: str, same: str) -> None:
    assert parsed(one).identity == parsed(same).identity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.com/Org/repo", "https://example.org/Org/repo"),
        ("https://example.com/Org/repo", "https://example.com/Org/Repo"),
        ("https://example.com/Org/repo", "https://example.com:8443/Org/repo"),
        ("https://example.com/a.zip", "https://example.com/a.zip?version=2"),
        ("https://example.com/a.zip", "http://example.com/a.zip"),
    ],
)
def test_different_sources_have_different_identities(one: str, other: str) -> None:
    assert parsed(one).identity != parsed(other).identity


def test_paths_to_one_place_have_one_identity(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "bare.git")
    (tmp_path / "link.git").symlink_to(repository.path)
    texts = (
        "bare.git",
        "link.git",
        "./bare.git/",
        str(repository.path),
        repository.url,
        (tmp_path / "link.git").as_uri(),
    )

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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("", "write the address"),
        ("  ", "write the address"),
        ("--upload-pack=touch x", "looks like an option"),
        ("-oProxyCommand=x:y", "looks like an option"),
        ("ext::sh -c 'touch x'", "ext:: are not used"),
        ("fd::7", "fd:: are not used"),
        ("foo.bar::https://example.com", "foo.bar:: are not used"),
        ("https://exa\x1b[31mmple.com/x", "control characters"),
        ("a\nb", "control characters"),
        ("ftp://example.com/x", "ftp:// is not used"),
        ("data:application/zip;base64,UEs=", "without `//`"),
        ("file:/srv/repo", "without `//`"),
        ("git+https://example.com/Org/repo@v1", "without git+"),
        ("git+ssh://git@example.com/Org/repo", "without git+"),
        ("https:///Org/repo", "host or port"),
        ("https://example.com:port/x", "host or port"),
        ("https://-x/y", "host or port"),
        ("https://a@b@example.com/x", "host or port"),
        ("https://example.com/my repo", "%20"),
        ("https://example.com\\@example.org/x", "backslash"),
        ("https://example.com/Org/repo#v1", "as the version"),
        ("https://example.com/Org/repo?ref=v1", "without the query string"),
        ("https://user:a%0Ab@example.com/x", "control characters"),
        ("file://example.com/srv/repo", "file:///absolute/path"),
    ],
)
def test_what_is_no_address_is_refused_with_what_to_write_instead(text: str, instead: str) -> None:
    with pytest.raises(BadSourceError) as error:
        parsed(text)

    assert instead in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "ssh://git:hunter2@example.com/Org/repo",
        "git:hunter2@example.com:Org/repo",
        "git+https://user:hunter2@example.com/Org/repo",
        "ftp://user:hunter2@example.com/x",
        "https://user:hun?hunter2@example.com/x",
        "https://user:hunter2@x@example.com/x",
        "https://user:hunter2@example.com:port/x",
        "https://example.com/Org/repo?token=hunter2",
        "ext::ssh user:hunter2@example.com",
    ],
)
def test_no_refusal_tells_a_password(text: str) -> None:
    with pytest.raises(BadSourceError) as error:
        parsed(text)

    assert "hun" not in str(error.value)
