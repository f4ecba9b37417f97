"""What is written to the user's settings, by one or many; the personal root."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skillbag.agents.settings import user_settings
from skillbag.agents.settings.user_settings import (
    MarketSource,
    UserSettings,
    change_user_settings,
    personal_root,
    read_user_settings,
)
from skillbag.kernel.base.errors import UserError
from tests.agents.settings.settings_files import OWN, says, write_user_settings
from tests.kernel.transaction.runner import DONE, in_child
from tests.unprivileged import dropped

SECRET = "s3cr3t-t0ken-value"


@pytest.mark.parametrize(
    "address",
    [
        f"https://user:{SECRET}@git.example.com/acme/skills.git",
        f"https://{SECRET}@git.example.com/acme/skills.git",
        f"https://files.example.com/skills.zip?token={SECRET}",
        f"https://files.example.com/skills.zip?a=1&X-Amz-Signature={SECRET}",
        f"ssh://git:{SECRET}@git.example.com/acme/skills.git",
        f"git:{SECRET}@git.example.com:acme/skills.git",
    ],
)
def test_an_address_with_credentials_is_neither_written_nor_repeated(file: Path, address: str) -> None:
    with pytest.raises(UserError) as raised:
        write_user_settings(UserSettings(None, (MarketSource("acme", address),)))
    assert SECRET not in str(raised.value)
    assert not file.exists()
    says(file, {"marketplace": {"sources": [{"name": "acme", "address": address}]}})
    with pytest.raises(UserError) as raised:
        read_user_settings()
    assert SECRET not in str(raised.value)


def test_addresses_without_credentials_are_taken_as_they_are() -> None:
    addresses = (
        "https://git.example.com/acme/skills",
        "https://files.example.com/skills.zip?ref=v1",
        "ssh://git@git.example.com/acme/skills.git",
        "git@git.example.com:acme/skills.git",
        "file:///srv/git/skills.git",
        "/srv/skills",
        "~/skills",
    )
    sources = tuple(MarketSource(f"s{number}", address) for number, address in enumerate(addresses))
    write_user_settings(UserSettings(None, sources))
    assert read_user_settings().sources == sources


@pytest.mark.parametrize(
    "settings",
    [
        UserSettings("skills"),
        UserSettings("/a\0b"),
        UserSettings("/\ud800"),
        UserSettings(None, (OWN, OWN)),
        UserSettings(None, (MarketSource("a\n", "/a"),)),
        UserSettings(None, (MarketSource("a", ""),)),
        UserSettings(None, (MarketSource("a", "skills"),)),
        UserSettings(None, (MarketSource("a", "/a", ""),)),
        UserSettings(None, (MarketSource("a", "/a", "v\n1"),)),
    ],
)
def test_what_could_not_be_read_again_is_not_written(file: Path, settings: UserSettings) -> None:
    with pytest.raises(UserError):
        write_user_settings(settings)
    assert not file.exists()


def test_a_file_that_would_be_too_large_is_not_written(file: Path) -> None:
    many = tuple(MarketSource(f"s{number}", f"/srv/{'x' * 200}/{number}") for number in range(4000))
    with pytest.raises(UserError, match="at most 1048576 are read"):
        write_user_settings(UserSettings(None, many))
    assert list(file.parent.iterdir()) == []


def test_a_folder_that_can_not_be_written_is_a_failure_of_the_environment(file: Path, tmp_path: Path) -> None:
    file.parent.chmod(0o555)
    script = (
        "from skillbag.agents.settings.user_settings import *\n"
        "try: change_user_settings(lambda _: UserSettings('/a'))\n"
        "except OSError as error: print(error.filename)"
    )
    command = [*dropped(tmp_path), sys.executable, "-c", script]
    assert subprocess.check_output(command, text=True).strip() == str(file)
    file.parent.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks")
def test_changes_at_once_are_all_kept() -> None:
    names = [f"s{number}" for number in range(8)]

    def add(name: str) -> None:
        change_user_settings(lambda now: now._replace(sources=(*now.sources, MarketSource(name, f"/srv/{name}"))))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda name: in_child(lambda: add(name)), names)) == [DONE] * 8
    assert sorted(source.name for source in read_user_settings().sources) == names


def test_a_change_is_given_what_is_there() -> None:
    write_user_settings(UserSettings("/a", (OWN,)))
    assert change_user_settings(lambda now: now._replace(personal_root=None)) == UserSettings(None, (OWN,))
    assert read_user_settings() == UserSettings(None, (OWN,))


def test_the_personal_root_is_the_given_one_then_the_variable_the_settings_and_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv(user_settings.PERSONAL_VARIABLE, "/by/variable/")
    write_user_settings(UserSettings("/by/settings"))
    assert (personal_root("/given"), personal_root("~/given")) == ("/given", "/home/me/given")
    assert personal_root() == "/by/variable"
    # An empty variable or argument stands for no personal root.
    monkeypatch.setenv(user_settings.PERSONAL_VARIABLE, "")
    assert (personal_root(), personal_root("/given"), personal_root("")) == (None, "/given", None)
    monkeypatch.delenv(user_settings.PERSONAL_VARIABLE)
    assert personal_root() == "/by/settings"
    write_user_settings(UserSettings())
    assert personal_root() == "/home/me/.agents/skills"


@pytest.mark.parametrize("path", ["skills", "./skills", "~nobody-of-this-name/skills", "/a\0b", "/a\nb", "/\ud800"])
def test_a_personal_root_that_is_no_absolute_path_is_refused(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"the personal root: .* is no absolute path"):
        personal_root(path)
    if path == "skills":
        monkeypatch.setenv(user_settings.PERSONAL_VARIABLE, path)
        with pytest.raises(UserError, match="SKILLBAG_PERSONAL_DIR: 'skills' is no absolute path"):
            personal_root()
