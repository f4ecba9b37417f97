"""`skillbag skill VERB` and `skillbag runtime dirs`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest

from skillbag.doors.cli.app import app
from skillbag.doors.cli.skill_aliases import command as skill
from skillbag.doors.cli.skill_verbs import ALIASES
from tests.doors.cli.runtime_worlds import VALIDATOR, make_world
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

VERBS = {
    "list", "info", "search", "install", "remove", "add", "add-dir", "update", "create", "test", "lint", "dev", "why",
    "trace", "permissions",
}  # fmt: skip


def found(words: tuple[str, ...]) -> click.Command | None:
    command: click.Command | None = app
    for word in words:
        command = command.get_command(click.Context(app), word) if isinstance(command, click.Group) else None
    return command


def test_every_verb_stands_for_a_command() -> None:
    assert {verb: words for verb, words in ALIASES.items() if found(words) is None} == {}
    assert ALIASES.keys() == VERBS
    for verb in ALIASES:
        assert skill.get_command(click.Context(skill), verb) is found(ALIASES[verb])


def test_create_says_which_command_it_is(run: Run) -> None:
    assert "skillbag skill create is another name" in run("skill", "create", "--help").out


def test_help_shows_the_table(run: Run) -> None:
    text = run("skill", "--help").out
    for verb, words in ALIASES.items():
        assert any(line.split() == [verb, "skillbag", *words] for line in text.splitlines())


def test_arguments_pass_through(run: Run, tmp_path: Path) -> None:
    root = make_world(tmp_path / "w")
    for verb, arguments in (("why", ["pods", "--message", "the pods"]), ("info", ["loud", "--json"]), ("list", [])):
        there = run(*ALIASES[verb], *arguments, cwd=root)
        assert run("skill", verb, *arguments, cwd=root) == there
        assert there.code == 0
    assert run("skill", "create", "a-tool", "--type", "tool", cwd=root).code == 0
    assert (root / ".skills/a-tool/skill.star").is_file()
    lint = run("skill", "lint", "--select", "manifest-unreadable", cwd=root)
    assert lint == run("check", "--select", "manifest-unreadable", cwd=root)
    assert run("skill", "nothing", cwd=root).code == 2


@pytest.mark.usefixtures("a_person")
def test_folders_are_added_and_removed(run: Run, tmp_path: Path) -> None:
    team, root = tmp_path / "team", make_world(tmp_path / "w")
    active(team / "deep", "shared")
    config = Path(os.environ["SKILLBAG_CONFIG_DIR"])
    write(config, {"settings.json": json.dumps({"mine": 1, "runtime": {"activation_threshold": 2}})})
    assert run("skill", "add-dir", "team", cwd=tmp_path).out == f"{team}\n"
    assert run("runtime", "dirs", "add", team).code == 0
    settings = json.loads((config / "settings.json").read_text())
    assert settings == {"version": 1, "mine": 1, "runtime": {"activation_threshold": 2, "dirs": [str(team)]}}
    assert "shared" in run("runtime", "list", cwd=root).out
    listed = json.loads(run("runtime", "dirs", "list", "--json").out)
    VALIDATOR.validate(listed)
    assert (listed["command"], listed["dirs"]) == ("runtime dirs list", [str(team)])
    assert run("runtime", "dirs", "remove", team).out == "No folders.\n"
    assert "shared" not in run("runtime", "list", cwd=root).out
    assert json.loads((config / "settings.json").read_text())["runtime"] == {"activation_threshold": 2}


@pytest.mark.parametrize("verb", ["add", "remove"])
def test_folders_that_are_not_there(run: Run, tmp_path: Path, verb: str) -> None:
    done = run("runtime", "dirs", verb, tmp_path / "nowhere", "--json")
    assert (done.code, json.loads(done.out)["exit"]) == (2, 2)
    VALIDATOR.validate(json.loads(done.out))
    assert not (Path(os.environ["SKILLBAG_CONFIG_DIR"]) / "settings.json").exists()


@pytest.mark.parametrize(
    ("words", "meant"),
    [(["runtime", "lst"], "list"), (["skill", "creat"], "create"), (["runtime", "dirs", "ad"], "add")],
)
def test_a_command_that_may_be_meant_is_named(run: Run, words: list[str], meant: str) -> None:
    said = f"no such command {words[-1]!r}. Did you mean {meant!r}?"
    done = run(*words)
    assert (done.code, said in done.err) == (2, True)
    assert json.loads(run(*words, "--json").out)["error"] == said
    assert "Did you mean" not in run(*words[:-1], "zzz").err
