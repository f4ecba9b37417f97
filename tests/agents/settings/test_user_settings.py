"""The user's settings: one file that people edit as well, read with distrust and written whole."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import jsonschema
import platformdirs
import pytest

from skillbag.agents.settings.user_settings import MarketSource, UserSettings, read_user_settings, settings_path
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.package_data import schema
from skillbag.kernel.base.user_dirs import config_folder
from tests.agents.settings.settings_files import OWN, says, write_user_settings

pytestmark = pytest.mark.boundary

ACME = MarketSource("acme", "https://git.example.com/acme/skills.git", "v2")


def test_the_folder_of_settings_is_the_one_that_platformdirs_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKILLBAG_CONFIG_DIR")
    for named in (None, "", "/var/own"):
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
        if named is not None:
            monkeypatch.setenv("XDG_CONFIG_HOME", named)
        assert config_folder() == platformdirs.user_config_dir("skillbag", appauthor=False)


def test_a_relative_folder_of_settings_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_CONFIG_DIR", "here")
    with pytest.raises(UserError, match="SKILLBAG_CONFIG_DIR: 'here' is not an absolute path"):
        read_user_settings()


def test_without_a_file_nothing_is_set_and_nothing_is_made() -> None:
    assert read_user_settings() == UserSettings()
    assert not Path(settings_path()).parent.exists()


def test_what_is_written_is_read_again_and_fits_the_schema() -> None:
    settings = UserSettings("/home/me/größe skills", (ACME, OWN))
    write_user_settings(settings)
    assert read_user_settings() == settings
    values = json.loads(Path(settings_path()).read_text("utf-8"))
    jsonschema.Draft202012Validator(json.loads(schema("settings"))).validate(values)
    assert values["version"] == 1
    assert "größe" in Path(settings_path()).read_text("utf-8")


def test_a_folder_whose_name_is_no_text_comes_through() -> None:
    settings = UserSettings(os.fsdecode(b"/srv/\xff"))
    write_user_settings(settings)
    assert read_user_settings() == settings


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_the_file_and_its_folder_are_for_their_owner_alone() -> None:
    write_user_settings(UserSettings("/home/me/skills"))
    path = Path(settings_path())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_keys_that_are_not_known_stay_and_so_does_the_form_of_what_has_not_changed(file: Path) -> None:
    before: dict[str, Any] = {
        "$schema": "settings.schema.json",
        "version": 1,
        "personal": {"root": "~/mine", "note": "kept"},
        "marketplace": {"sources": [{"name": "own", "address": "/srv/skills", "note": "kept as well"}], "other": [1]},
        "more": {"a": None},
    }
    says(file, before)
    settings = read_user_settings()
    assert settings.personal_root == os.path.expanduser("~/mine")
    write_user_settings(settings._replace(sources=(ACME, *settings.sources)))
    after = json.loads(file.read_text("utf-8"))
    before["marketplace"]["sources"].insert(0, ACME._asdict())
    assert after == before
    write_user_settings(UserSettings())
    after = json.loads(file.read_text("utf-8"))
    assert (after["personal"], after["marketplace"]) == ({"note": "kept"}, {"other": [1]})
    assert after["more"] == {"a": None}


def test_settings_that_do_not_change_are_not_written(file: Path) -> None:
    says(file, {"personal": {"root": "/a"}})
    inode = file.stat().st_ino
    write_user_settings(read_user_settings())
    assert file.stat().st_ino == inode


MALFORMED = {
    "{": ":1: it is not JSON",
    '{\n"version": 1,\n}': ":3: it is not JSON",
    "[]": ":1: it must be an object",
    "[" * 100_000: ":1: it is not JSON that can be read",
    '{"version": ' + "9" * 5000 + "}": ":1: it is not JSON that can be read",
    '{"a": 1,\n "a": 2}': ":1: the key `a` is given twice",
    '{\n"version": 2}': ":2: its version is 2, this program only knows 1",
    '{"version": true}': ":1: its version is True",
    '{\n"personal": []}': ":2: `personal` must be an object",
    '{"personal": {\n"root": 1}}': ":2: the `root` of `personal` must be a text",
    '{"personal": {\n"root": ""}}': ":2: the `root` of `personal` must be a text",
    '{"personal": {\n"root": "/a\\u0000b"}}': ":2: the `root` of `personal` must be a text",
    '{"personal": {\n"root": "/\\ud800"}}': ":2: the `root` of `personal` must be a text",
    '{"personal": {\n"root": "skills"}}': ":2: the `root` of `personal` must be an absolute path",
    '{"marketplace": 3}': ":1: `marketplace` must be an object",
    '{"marketplace": {\n\n"sources": {}}}': ":3: the `sources` of `marketplace` must be a list",
    '{"marketplace": {\n"sources": [1]}}': ":2: source 1 of `marketplace` must have `name` and `address`",
    '{"marketplace": {"sources": [{"name": "a"}]}}': ":1: source 1 of `marketplace` must have",
    '{"marketplace": {"sources": [{"name": "a", "address": "/a", "version": 2}]}}': "source 1 of `marketplace` must",
    '{"marketplace": {"sources": [\n{"name": "A b", "address": "/a"}]}}': ":2: 'A b' is no name of a source",
    '{"marketplace": {"sources": [\n{"name": "a", "address": "skills"}]}}': ":2: source a: 'skills' is a relative path",
    '{"marketplace": {"sources": [\n{"name": "a", "address": "ext::sh -c x"}]}}': ":2: source 'ext::",
    '{"marketplace": {"sources": [{"name": "a", "address": "/a"},\n{"name": "a", "address": "/b"}]}}': "two sources",
}


@pytest.mark.parametrize(("text", "words"), MALFORMED.items(), ids=range(len(MALFORMED)))
def test_malformed_settings_are_reported_with_file_and_line_and_kept(file: Path, text: str, words: str) -> None:
    says(file, text)
    for act in (read_user_settings, lambda: write_user_settings(UserSettings("/new"))):
        with pytest.raises(UserError) as raised:
            act()
        assert str(raised.value).startswith(f"{file}:")
        assert words in str(raised.value)
        assert str(raised.value).endswith("fix it there, or move the file away")
    assert file.read_text("utf-8") == text


def test_what_cannot_be_read_is_reported(file: Path) -> None:
    def refusal() -> str:
        with pytest.raises(UserError) as raised:
            read_user_settings()
        return str(raised.value)

    file.mkdir()
    assert refusal() == f"{file}:1: a folder stands in its place; fix it there, or move the file away"
    file.rmdir()
    file.write_bytes(b'{"a":\n "\xff"}')
    assert refusal().startswith(f"{file}:2: byte 0xff is not UTF-8")
    file.write_bytes(b" " * ((1 << 20) + 1))
    assert "larger than 1 MiB" in refusal()
    links = {file.name: "it is a link that leads in a circle", "no.json": "no.json, which does not exist"}
    for target, words in links.items():
        file.unlink()
        file.symlink_to(target)
        assert words in refusal()
    file.unlink()
    os.mkfifo(file)
    assert "it is not a regular file" in refusal()


def test_settings_kept_elsewhere_and_linked_to_are_read_and_written_there(file: Path, tmp_path: Path) -> None:
    elsewhere = says(tmp_path / "dotfiles.json", {"personal": {"root": "/a"}})
    file.symlink_to(elsewhere)
    assert read_user_settings().personal_root == "/a"
    write_user_settings(UserSettings("/b"))
    assert file.is_symlink()
    assert json.loads(elsewhere.read_text("utf-8"))["personal"]["root"] == "/b"
