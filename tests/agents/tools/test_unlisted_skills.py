"""Skills in `.skills/` that the catalog lacks: named to the user and the agent, with what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag.agents.settings.scope import scope_at
from skillbag.agents.tools.registry import offered_tools
from tests.supply.install.worlds import skill_text, write
from tests.support import Run

LACKING = "other, tidy are in .skills/, but not in .skills/SKILLS.md; skillbag self sync lists them, or says why not"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    names = ("listed", "other", "tidy")
    skills = {f".skills/{name}/SKILL.md": skill_text(name) for name in names}
    catalog = {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "listed: It is listed.\n"}
    return write(
        tmp_path / "w", {**catalog, **skills, ".skills/empty/notes.md": "No skill.", ".skills/Bad/SKILL.md": ""}
    )


def test_enter_names_them(run: Run, workspace: Path) -> None:
    assert LACKING in run("enter", cwd=workspace).out
    remarks = json.loads(run("enter", "--json", cwd=workspace).out)["notes"]
    assert [remark for remark in remarks if LACKING in str(remark)]


def test_the_list_of_tools_names_them(run: Run, workspace: Path) -> None:
    assert LACKING in run("tool", "--list", cwd=workspace).out
    offer = offered_tools(scope_at(str(workspace)))
    assert LACKING in offer.remarks
    tools = {tool.name: tool for tool in offer.tools}
    assert LACKING in tools["enter"].description
    assert "skill_listed" in tools
    assert "skill_tidy" not in tools


def test_nothing_is_said_where_the_catalog_is_whole(run: Run, workspace: Path) -> None:
    assert run("self", "sync", cwd=workspace).code == 0
    assert "not in .skills/SKILLS.md" not in run("enter", cwd=workspace).out
    assert all("not in .skills" not in tool.description for tool in offered_tools(scope_at(str(workspace))).tools)
