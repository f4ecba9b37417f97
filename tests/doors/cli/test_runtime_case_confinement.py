"""What the process of a skill can't reach in a test case."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from skillbag.kernel.processes.confinement import available
from tests.runtime.worlds_active import manifest
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="skills run in process groups")

CODE = """\
import os
import socket


class Skill:
    def manifest(self):
        return {"name": "curious"}

    def activate(self, ctx):
        ctx.register_tool("connect", "Connects.", self.connect)
        ctx.register_tool("look", "Looks.", lambda value: sorted(set(os.environ) & {"MINE", "HOME"}))
        ctx.register_tool("home", "Looks.", lambda value: os.environ["HOME"])

    def connect(self, value):
        socket.create_connection(("127.0.0.1", value["port"]), 2).close()
        return "connected"

    def deactivate(self, ctx):
        pass


def new_skill():
    return Skill()
"""


@pytest.mark.skipif(not (available().network and available().files), reason="nothing can be held here")
def test_neither_the_network_nor_the_users_environment(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "secret")
    monkeypatch.setenv("HOME", str(tmp_path))
    fields = {"implementation": "{backend: plugin, entrypoint: skill.py}", "permissions": '["net:fetch"]'}
    folder = write(tmp_path / "curious", {"SKILL.yaml": manifest("curious", **fields), "skill.py": CODE})
    with socket.create_server(("127.0.0.1", 0)) as server:
        cases = [
            {"name": "a", "call": {"tool": "connect", "input": {"port": server.getsockname()[1]}}},
            {"name": "b", "call": {"tool": "look"}, "expect": {"value": ["HOME"]}},
            {"name": "c", "call": {"tool": "home"}, "expect": {"contains": "skillbag-case-"}},
        ]
        cases[0]["expect"] = {"error": "[Errno"}
        write(folder, {"tests/a.yaml": json.dumps(cases)})
        done = run("runtime", "test", folder)
    assert (done.code, "3 ok" in done.out) == (0, True), done
