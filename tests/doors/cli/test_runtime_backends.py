"""`skillbag runtime` with skills of every backend that has a program, and what becomes of one that dies."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.doors.cli.runtime_worlds import make_world, values
from tests.runtime.children import CHILD, ECHO
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = pytest.mark.boundary

PLUGIN = """\
class Skill:
    def manifest(self):
        return {"name": "plug"}

    def activate(self, ctx):
        ctx.register_tool("plugged", "Says what it got.", lambda value: {"got": value})

    def deactivate(self, ctx):
        pass


def new_skill():
    return Skill()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_world(tmp_path / "w")


def process(root: Path, code: str) -> None:
    active(root, "child", implementation="{backend: process, entrypoint: bin/child, args: [--stdio]}")
    write(root / ".skills/child", {"bin/child": CHILD % sys.executable + code})
    (root / ".skills/child/bin/child").chmod(0o755)


def test_a_process(run: Run, root: Path) -> None:
    process(root, ECHO)
    assert values(run, root, "call", "t", '{"a": 1}', "--skill", "child")["is_error"] is False
    (step,) = values(run, root, "activate", "child", "--dry-run")["steps"]
    assert step["program"] == ["bin/child", "--stdio"]
    assert "Backend: process (bin/child --stdio)\n" in run("runtime", "info", "child", cwd=root).out


def test_a_process_that_dies_fails_the_call(run: Run, root: Path) -> None:
    process(root, 'starts()\nread()\nprint("out of coffee", file=sys.stderr)\nsys.exit(3)\n')
    found = values(run, root, "call", "t", "--skill", "child", code=1)
    assert found["is_error"] is True
    assert "out of coffee" in found["content"]


def test_a_process_that_does_not_start_fails_the_activation(run: Run, root: Path) -> None:
    process(root, "sys.exit(1)\n")
    assert values(run, root, "activate", "child", code=1)["error"]


def test_a_plugin(run: Run, root: Path) -> None:
    active(root, "plug", implementation="{backend: plugin, entrypoint: skill.py}")
    write(root / ".skills/plug", {"skill.py": PLUGIN})
    found = values(run, root, "call", "plugged", '{"a": 1}', "--skill", "plug")
    assert json.loads(found["content"]) == {"got": {"a": 1}}


def test_tools_of_an_mcp_server_are_found_by_their_names(run: Run, root: Path) -> None:
    settings = {
        "mcp_servers": {"far": {"command": ["far-server", "--key", "x"]}, "web": {"url": "https://a:b@x.example"}}
    }
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {"settings.json": json.dumps({"runtime": settings})})
    (step,) = values(run, root, "call", "mcp_far_look", "--dry-run")["steps"]
    assert (step["skill"], step["missing"]) == ("mcp-far", ["shell:exec"])
    assert step["program"] == ["far-server", "--key", "x"]
    text = run("runtime", "call", "mcp_web_look", "--dry-run", cwd=root).out
    assert "x.example" in text
    assert "a:b@" not in text
    assert "a:b@" not in run("runtime", "info", "mcp-web", "--json", cwd=root).out
