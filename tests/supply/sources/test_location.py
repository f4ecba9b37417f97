"""What people write in the place of a source: which repository, version and folder it means."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.supply.sources.configured_hosts import code_host
from skillbag.supply.sources.location import read_location
from skillbag.supply.sources.source import Location
from tests.rows import each_row
from tests.support import table

TABLES = table(__file__, "locations.toml")


@pytest.fixture(autouse=True)
def code_host_of_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_CODE_HOST", "https://code.example")


@each_row("text", TABLES["kept"])
def test_an_address_stays_as_it_is(text: str, tmp_path: Path) -> None:
    assert read_location(text, str(tmp_path)) == Location(text)


@each_row("case", TABLES["read"], ids=lambda case: case["text"])
def test_what_is_written_means_a_repository_a_version_and_a_folder(case: dict[str, Any], tmp_path: Path) -> None:
    values = {key: value for key, value in case.items() if key not in ("text", "at")}

    assert read_location(case["text"], str(tmp_path)) == Location(case["at"], **values)


@each_row(("text", "instead"), TABLES["refused"].items())
def test_a_page_without_skills_is_refused_with_what_to_write_instead(text: str, instead: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        read_location(text, str(tmp_path))

    assert instead in str(error.value)
    assert "hunter2" not in str(error.value)


def test_a_folder_that_exists_is_meant_before_a_repository(tmp_path: Path) -> None:
    (tmp_path / "Org" / "skills").mkdir(parents=True)
    found = read_location("Org/skills", str(tmp_path))

    assert found.address == "Org/skills"
    assert found.note == "Org/skills is a folder here; https://code.example/Org/skills names the repository"
    assert read_location("Org/other", str(tmp_path)).address == "https://code.example/Org/other.git"


@each_row("mark", ["@", "#"])
def test_a_version_follows_the_path_of_a_repository_here(mark: str, tmp_path: Path) -> None:
    (tmp_path / "Org" / "skills").mkdir(parents=True)
    address = f"file://{tmp_path}/Org/skills"

    assert read_location(f"{address}{mark}v1/x", str(tmp_path)) == Location(address, "v1/x")
    assert read_location(f"Org/skills{mark}v1", str(tmp_path)) == Location("Org/skills", "v1")
    (tmp_path / "Org" / "skills" / ".git").mkdir()
    assert read_location(f"Org/skills{mark}v1", str(tmp_path)) == Location(address, "v1")
    (tmp_path / "Org" / f"skills{mark}v1").mkdir()
    assert read_location(f"Org/skills{mark}v1", str(tmp_path)).address == f"Org/skills{mark}v1"


def test_without_a_setting_the_host_is_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_CODE_HOST", "")

    assert code_host() == "https://github.com"


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ("git.example", "https://git.example"),
        ("git.example:8443", "https://git.example:8443"),
        ("https://Git.example/base//path/", "https://git.example/base/path"),
        ("ssh://git@git.example:2222", "ssh://git@git.example:2222"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://[::1]:8443", "https://[::1]:8443"),
    ],
)
def test_the_host_is_set_by_the_user(given: str, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKILLBAG_CODE_HOST")
    settings = Path(os.environ["SKILLBAG_CONFIG_DIR"]) / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"sources": {"code_host": given}}))
    assert code_host() == host

    settings.write_text(json.dumps({"sources": {"code_host": "https://other.example"}}))
    monkeypatch.setenv("SKILLBAG_CODE_HOST", given)
    assert code_host() == host


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("http://git.example", "over https or ssh"),
        ("ftp://git.example", "over https or ssh"),
        ("https://me:hunter2@git.example", "credential helper"),
        ("https://hunter2@git.example", "credential helper"),
        ("ssh://-oProxyCommand=x@git.example", "credential helper"),
        ("https://git.example?x=1", "characters that none has"),
        ("https://git.example/../x", "characters that none has"),
        ("https://-x", "no host"),
        ("https://git.example:port", "no host"),
        ("a b", "no host"),
    ],
)
def test_a_host_that_can_not_be_used_is_refused(given: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_CODE_HOST", given)

    with pytest.raises(UserError, match=why) as error:
        code_host()

    assert str(error.value).startswith("SKILLBAG_CODE_HOST: ")
    assert "hunter2" not in str(error.value)
