"""`skillbag init` where agents have skills: it says so, and moves them with consent alone, all or none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.supply.install.plain_sources import skills
from tests.supply.install.worlds import unchanged, write
from tests.support import Run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with skills in two folders, one of them in both."""
    return write(
        tmp_path / "work",
        {**skills("tidy", "sweep", root=".claude/skills"), **skills("tidy", "mend", root=".agents/skills")},
    )


def test_without_a_terminal_it_is_said_and_nothing_moves(run: Run, project: Path) -> None:
    with unchanged(project / ".claude"), unchanged(project / ".agents"):
        outcome = run("init", cwd=project)
    assert "2 in .claude/skills/, 2 in .agents/skills/" in outcome.out
    assert "skillbag init --move" in outcome.out


def test_skills_move_and_are_linked_back(run: Run, project: Path) -> None:
    assert run("init", "--move", cwd=project).code == 0
    for folder in (".claude/skills", ".agents/skills"):
        for name in ("tidy", "sweep", "mend"):
            link = project / folder / name
            assert link.is_symlink()
            assert (link / "SKILL.md").is_file()
    assert "tidy" in (project / ".skills/SKILLS.md").read_text("utf-8")
    assert run("check", cwd=project).code == 0
    with unchanged(project):
        assert "Skills of agents" not in run("init", "--move", cwd=project).out


def test_a_dry_run_moves_nothing(run: Run, project: Path) -> None:
    with unchanged(project):
        assert "To be moved to .skills/: .claude/skills/sweep" in run("init", "--move", "--dry-run", cwd=project).out


def test_two_skills_of_one_name_stay_apart(run: Run, project: Path) -> None:
    write(project, skills(root=".agents/skills", tidy="Another."))
    values = json.loads(run("init", "--move", "--json", cwd=project).out)
    assert any(".agents/skills/tidy" in hint and hint.startswith("Left") for hint in values["next"]), values
    assert "Another." in (project / ".agents/skills/tidy/SKILL.md").read_text("utf-8")
