"""`skillbag runtime dev`: checks, loads and tests a skill, at each change again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="skills run in process groups")

SAY = 'def say(input):\n    return "%s"\n\nregister_tool("say", "Says.", say)\nregister_hook("OnAfterResponse", say)\n'
CASE = 'name: says\ncall: {tool: say}\nexpect: {value: "one"}\n'


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = active(tmp_path / "w", "say", SAY % "one", types="[tool, transform]", permissions='["file:read"]')
    write(folder, {"tests/a.yaml": CASE, "SKILL.md": "---\nname: say\ndescription: Does say.\n---\n# Say\n"})
    return folder


def test_once(run: Run, skill: Path) -> None:
    done = run("runtime", "dev", skill, "--once")
    assert done.code == 0, done
    lines = done.out.splitlines()
    assert [line for line in lines if "warning" not in line and "note" not in line] == [
        "[manifest] ok: say 1.0.0",
        "[lint] ok",
        "[load] ok: 1 tool, 1 hook",
        "[test] 1 ok",
    ]


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        ({"SKILL.yaml": "name: say\n"}, ["[manifest] error: SKILL.yaml:1:1: version is required"]),
        ({"main.star": "x = (\n"}, ["[load] error:", "main.star:"]),
        ({"main.star": 'register_tool("say", "x", 7)\n'}, ["[load] error:", "main.star"]),
        ({"tests/a.yaml": CASE.replace("one", "two")}, ["[test] FAILED  say: says", "[test] 0 ok, 1 failed"]),
        ({"tests/a.yaml": "name: x\n"}, ["[test] error: tests/a.yaml:1:1: "]),
    ],
)
def test_what_is_wrong_has_its_place(run: Run, skill: Path, change: dict[str, str], lines: list[str]) -> None:
    write(skill, change)
    done = run("runtime", "dev", ".", "--once", cwd=skill)
    assert done.code == 1, done
    assert all(line in done.out for line in lines), done.out


def test_wrong_usage(run: Run, tmp_path: Path) -> None:
    assert run("runtime", "dev", tmp_path / "nowhere", "--once").code == 2
    assert "has no SKILL.yaml" in run("runtime", "dev", tmp_path, "--once").err
    assert run("runtime", "dev", tmp_path, "--once", "--interval", "never").code == 2


def test_changes_are_seen_and_the_old_version_stays(skill: Path) -> None:
    command = [sys.executable, "-m", "skillbag", "runtime", "dev", ".", "--interval", "0.2s"]
    with subprocess.Popen(command, cwd=skill, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout
        assert child.stderr

        def until(text: str) -> str:
            assert child.stdout
            seen = ""
            while text not in seen:
                line = child.stdout.readline()
                assert line, seen
                seen += line
            return seen

        try:
            until("[test] 1 ok")
            assert "watching" in child.stderr.readline()
            write(skill, {"main.star": "x = (\n"})
            assert "; the version before stays loaded" in until("[load] error")
            write(skill, {"main.star": SAY % "two"})
            assert "[load] ok: 1 tool, 1 hook" in until("[test] 0 ok, 1 failed")
            write(skill, {"tests/a.yaml": CASE.replace("one", "two")})
            until("[test] 1 ok")
            os.utime(skill / "main.star")
        finally:
            child.send_signal(signal.SIGINT)
        rest, errors = child.communicate(timeout=300)
    assert (child.returncode, rest, errors) == (0, "", "")
