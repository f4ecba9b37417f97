"""Removing by reference, listing, and the doors to both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag.base.errors import UserError
from skillbag.marketplace.marketplace import install_skill, list_installed, remove_skill
from skillbag.marketplace.references import BadReferenceError
from skillbag.settings.scope import Scope
from tests.install.worlds import (
    installed,
    make_source,
    make_workspace,
    write,
)
from tests.marketplace.markets import indexed, skill
from tests.support import Run


def test_what_was_installed_from_elsewhere_is_not_removed_by_another_reference(
    run: Run, tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    indexed(run, tmp_path / "one", ["pdf-forms"], "one")
    indexed(run, tmp_path / "two", ["pdf-forms"], "two")
    install_skill(scope, "one/pdf-forms")

    for reference in ("two/pdf-forms", "acme/pdf-forms", "../two#pdf-forms"):
        with pytest.raises(BadReferenceError, match="pdf-forms alone removes it"):
            remove_skill(scope, reference)

    assert installed(workspace) == ["pdf-forms"]
    assert remove_skill(scope, "pdf-forms").startswith("Successfully removed")


def test_an_own_skill_is_not_removed_without_a_persons_word(workspace: Path, scope: Scope) -> None:
    write(workspace, {".skills/mine/SKILL.md": skill("mine")})

    with pytest.raises(UserError, match="your own"):
        remove_skill(scope, "mine")

    assert (workspace / ".skills" / "mine" / "SKILL.md").exists()


def test_without_a_workspace_it_is_told_how_to_make_one() -> None:
    for act in (install_skill, remove_skill):
        with pytest.raises(UserError, match="skillbag init"):
            act(Scope(None, None), "team/pdf-forms")


def test_what_is_installed_is_listed_with_personal_skills_in_a_users_session(
    tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    make_source(tmp_path / "source", ["one"])
    write(tmp_path / "personal", {"mine/SKILL.md": skill("mine", "My own.")})
    install_skill(scope, "../source#one")

    ours = list_installed(scope._replace(personal=str(tmp_path / "personal")))
    others = list_installed(scope._replace(personal=str(tmp_path / "personal"), user=False))

    assert {"name": "mine", "description": "My own."} in ours
    assert "mine" not in [one["name"] for one in others]
    assert "one" in [one["name"] for one in others]


def test_the_command_line_installs_by_reference(run: Run, tmp_path: Path, workspace: Path) -> None:
    indexed(run, tmp_path / "source", ["pdf-forms"])

    done = run("marketplace", "install", "team/pdf-forms", cwd=workspace)
    refused = run("marketplace", "install", "team/gone", cwd=workspace)
    wrong = run("marketplace", "install", "owner/../x", "--json", cwd=workspace)
    outside = run("marketplace", "install", "team/pdf-forms", cwd=tmp_path)

    assert (done.code, refused.code, wrong.code, outside.code) == (0, 1, 2, 2)
    assert "Successfully installed skill 'pdf-forms'." in done.out
    assert "there is no skill `gone`" in refused.out
    assert "owner/../x" in json.loads(wrong.out)["error"]
    assert "skillbag init" in outside.err


def test_the_tool_gives_real_values(run: Run, tmp_path: Path, workspace: Path) -> None:
    indexed(run, tmp_path / "source", ["pdf-forms"])

    def tool(**arguments: str) -> str:
        outcome = run("tool", "skill_marketplace", json.dumps(arguments), cwd=workspace)
        assert outcome.code == 0, outcome.err
        return outcome.out

    for listed in (json.loads(tool(action="search", query="pdf")), json.loads(tool(action="list"))):
        assert [one["name"] for one in listed] == ["pdf-forms"]
    assert "Successfully installed" in tool(action="install", skill_ref="team/pdf-forms")
    assert "pdf-forms" in [one["name"] for one in json.loads(tool(action="list_installed"))]
    assert "Successfully removed" in tool(action="remove", skill_ref="team/pdf-forms")


def test_a_source_that_can_not_be_had_is_a_failure_of_the_environment(run: Run, tmp_path: Path) -> None:
    root = make_workspace(tmp_path / "w")
    outcome = run("marketplace", "install", f"file://{tmp_path}/none.git#tidy", "--json", cwd=root)
    assert outcome.code == 4
    assert "none.git" in json.loads(outcome.out)["error"]
