"""Workspace entry names the active skills."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.runtime.worlds_active import active, manifest
from tests.session.agents import tagged
from tests.supply.install.worlds import write
from tests.support import PROJECT, Run

pytestmark = pytest.mark.boundary

SCHEMA = json.loads((PROJECT / "schemas/lifecycle.schema.json").read_text("utf-8"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tagged(tmp_path / "w")


def test_they_are_named_in_one_line(run: Run, root: Path) -> None:
    active(root, "pods")
    personal = Path(os.environ["SKILLBAG_PERSONAL_DIR"])
    write(personal / "mine", {"SKILL.yaml": manifest("mine"), "main.star": ""})
    line = "Active skills: mine, pods (skillbag runtime --help)\n"
    assert line in run("enter", cwd=root).out
    assert line in run("enter", "--hook", cwd=root, stdin=b"{}").out
    values = json.loads(run("enter", "--session", "s1", "--json", cwd=root).out)
    jsonschema.Draft202012Validator(SCHEMA).validate(values)
    assert values["active_skills"] == ["mine", "pods"]
    again = json.loads(run("enter", "--session", "s1", "--json", cwd=root).out)
    assert again["active_skills"] == []


def test_many_are_counted(run: Run, root: Path) -> None:
    for number in range(22):
        active(root, f"s{number:02}")
    assert "s19 and 2 more (skillbag" in run("enter", cwd=root).out


def test_without_any_nothing_is_said(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Active skills" not in run("enter", cwd=root).out
    active(root, "pods")
    monkeypatch.setenv("SKILLBAG_RUNTIME", "off")
    assert "Active skills" not in run("enter", cwd=root).out
    assert json.loads(run("enter", "--json", cwd=root).out)["active_skills"] == []


def test_settings_that_can_not_be_used_do_not_stop_entry(run: Run, root: Path) -> None:
    active(root, "pods")
    write(root, {"skillbag.toml": "[runtime]\nmax_shell_exec_per_turn = -1\n"})
    done = run("enter", cwd=root)
    assert (done.code, "Active skills" in done.out) == (0, False)
    assert run("runtime", "list", cwd=root).code == 2


def test_nothing_of_the_runtime_is_imported_without_any(root: Path) -> None:
    code = (
        "import sys; sys.argv[1:] = ['enter']; from skillbag.doors.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
    )
    check = "print([name for name in sys.modules if name.startswith('skillbag.runtime')], file=sys.stderr)"
    for expected in (True, False):
        done = subprocess.run(
            [sys.executable, "-c", code + check], cwd=root, capture_output=True, text=True, check=True
        )
        assert (done.stderr.strip() == "[]") is expected, done.stderr
        active(root, "pods")
