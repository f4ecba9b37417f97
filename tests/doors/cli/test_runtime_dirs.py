"""`skillbag runtime dirs`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.doors.cli.runtime_worlds import VALIDATOR, make_world
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run


@pytest.mark.usefixtures("a_person")
def test_folders_are_added_and_removed(run: Run, tmp_path: Path) -> None:
    team, root = tmp_path / "team", make_world(tmp_path / "w")
    active(team / "deep", "shared")
    config = Path(os.environ["SKILLBAG_CONFIG_DIR"])
    write(config, {"settings.json": json.dumps({"mine": 1, "runtime": {"activation_threshold": 2}})})
    assert run("runtime", "dirs", "add", "team", cwd=tmp_path).out == f"{team}\n"
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
    [(["runtime", "lst"], "list"), (["runtime", "dirs", "ad"], "add")],
)
def test_a_command_that_may_be_meant_is_named(run: Run, words: list[str], meant: str) -> None:
    said = f"no such command {words[-1]!r}. Did you mean `{meant}`?"
    done = run(*words)
    assert (done.code, said in done.err) == (2, True)
    assert json.loads(run(*words, "--json").out)["error"] == said
    assert "Did you mean" not in run(*words[:-1], "zzz").err
