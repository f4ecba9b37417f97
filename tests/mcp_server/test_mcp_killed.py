"""A server that is killed in the midst of a change: the workspace and the personal skills are whole afterwards."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.install.worlds import contents, write
from tests.mcp_server.mcp_worlds import make_world, pipe, skill_text
from tests.sampling import NIGHTLY
from tests.support import Run

ROUNDS = 12 if NIGHTLY else 3
"""Each is killed a little later than the one before."""


def test_killed_while_personal_skills_come_and_go_each_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    make_world(tmp_path)
    versions = []
    for number in range(2):
        folder = tmp_path / f"version-{number}"
        files: dict[str, str | bytes] = {f"files/{one}.txt": f"{number}\n" * 2000 for one in range(60)}
        versions.append(contents(write(folder, {"SKILL.md": skill_text("big", f"Version {number}."), **files})))
    installed = tmp_path / "personal" / "big"
    for number in range(ROUNDS):
        with pipe(tmp_path) as server:
            server.shake_hands()
            for _ in range(3):
                server.start("tools/call", {"name": "skill_remove", "arguments": {"name": "big"}})
                for one in range(2):
                    path = str(tmp_path / f"version-{one}")
                    server.start("tools/call", {"name": "skill_add", "arguments": {"path": path}})
            server.answer(2)
            time.sleep(0.084 * number / ROUNDS)
            server.process.kill()
            server.process.wait()
        found = contents(installed) if installed.exists() else {}
        assert found in ({}, *versions)
    with pipe(tmp_path) as server:
        server.shake_hands()
        server.tool("skill_add", {"path": str(tmp_path / "version-1")})
        assert contents(installed) == versions[1]
        left = [path.name for path in (tmp_path / "personal").iterdir()]
        assert left == ["big"], left


def test_killed_while_skills_are_installed_and_removed_the_workspace_is_whole(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_world(tmp_path)
    for name in ("cache", "state", "config", "personal"):
        monkeypatch.setenv(f"SKILLBAG_{name.upper()}_DIR", str(tmp_path / name))
    assert run("marketplace", "update").code == 0
    for number in range(ROUNDS):
        with pipe(tmp_path) as server:
            server.shake_hands()
            for action in ("install", "remove", "install"):
                for name in ("fill-pdf", "tidy-up"):
                    arguments = {"action": action, "skill_ref": name}
                    server.start("tools/call", {"name": "skill_marketplace", "arguments": arguments})
            server.answer(2)
            time.sleep(0.24 * number / ROUNDS)
            server.process.kill()
            server.process.wait()
        listed = run("list", "--json", cwd=workspace)
        assert listed.code == 0, listed
        names = {one["name"] for one in json.loads(listed.out)["skills"]}
        there = {path.parent.name for path in (workspace / ".skills").glob("*/SKILL.md")}
        assert names <= there
        assert {"aa", "ask"} <= there
        assert there - {"aa", "ask", "skillbag-get-skills"} <= {"fill-pdf", "tidy-up"}
        assert run("verify", cwd=workspace).code == 0
