"""Links where the user has put something else, and under hostile locks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.links.commands import link
from tests.supply.install.worlds import skill_text, write
from tests.supply.links.link_worlds import made, snapshot
from tests.support import Run


def test_what_the_user_put_in_place_of_ours_is_not_taken_for_a_change_of_kind(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", cwd=workspace)
    (workspace / ".claude/skills/tidy").unlink()
    write(workspace, {".claude/skills/tidy/SKILL.md": skill_text("tidy")})
    before = snapshot(workspace / ".claude")
    run("link", "--copy", cwd=workspace)
    run("unlink", cwd=workspace)
    assert snapshot(workspace / ".claude") == before


def test_what_comes_into_the_way_meanwhile_stays(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = workspace / ".claude/skills/tidy"
    from skillbag.supply.links import reconcile

    remember = reconcile.Linking.write

    def then_somebody_comes(self: reconcile.Linking) -> None:
        remember(self)
        write(workspace, {".claude/skills/tidy/SKILL.md": "mine"})

    monkeypatch.setattr(reconcile.Linking, "write", then_somebody_comes)
    for copy in (False, True):
        assert "left" in [row.act for row in link(str(workspace), ["claude"], copy=copy).links]
        assert (mine / "SKILL.md").read_text(encoding="utf-8") == "mine"
    assert os.listdir(mine.parent) == ["tidy"]


def test_the_users_own_link_in_place_of_a_copy_is_the_users(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", "--copy", cwd=workspace)
    mine = workspace / ".claude/skills/tidy"
    (mine / "SKILL.md").unlink()
    mine.rmdir()
    mine.symlink_to("../../.skills/tidy")
    assert run("unlink", cwd=workspace).code == 1
    assert mine.is_symlink()


@pytest.mark.parametrize("target", ["../../.skills/tidy/", "../../other/tidy"])
def test_a_link_of_the_users_own_doubles_no_finding_either(run: Run, workspace: Path, target: str) -> None:
    write(workspace, {".skills/tidy/SKILL.md": skill_text("tidy", body="See [this](references/none.md).")})
    for path, leads in ((".claude/skills/tidy", target), ("other/tidy", "../.skills/tidy")):
        (workspace / path).parent.mkdir(parents=True)
        (workspace / path).symlink_to(leads)
    assert "Checked skills" not in run("check", "--select", "link-broken", cwd=workspace).out


def lock_links(root: Path, **links: object) -> None:
    value = {"agents": ["codex"], "copy": False, "folders": [], "made": {}, **links}
    (root / "skillbag.lock").write_text(json.dumps({"version": 1, "skills": {}, "links": value}), encoding="utf-8")


@pytest.mark.parametrize("command", ["link", "unlink"])
def test_nothing_behind_a_link_is_touched_whatever_the_lock_says(
    run: Run, workspace: Path, tmp_path: Path, command: str
) -> None:
    home = write(tmp_path / "home", {"skills/tidy/SKILL.md": skill_text("tidy")})
    (home / "skills/.skillbag-link.tmp/mine").mkdir(parents=True)
    (home / "skills/sort").symlink_to("../../.skills/sort")
    (workspace / ".claude").symlink_to(home)
    tree = tree_hash(str(home / "skills/tidy"))
    lock_links(
        workspace,
        folders=[".claude", ".claude/skills"],
        made={".claude/skills/tidy": tree, ".claude/skills/sort": None, ".claude/skills/gone": tree},
    )
    before = snapshot(home)
    assert run(command, cwd=workspace).code == 1
    assert snapshot(home) == before


def test_an_empty_folder_behind_a_link_is_not_taken_away(run: Run, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "home/skills").mkdir(parents=True)
    (workspace / ".claude").symlink_to(tmp_path / "home")
    lock_links(workspace, folders=[".claude/skills"])
    assert run("unlink", cwd=workspace).code == 0
    assert (tmp_path / "home/skills").is_dir()


def test_a_folder_that_became_a_file_does_not_stop_an_unlink(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", cwd=workspace)
    (workspace / ".claude/skills/tidy").unlink()
    (workspace / ".claude/skills").rmdir()
    (workspace / ".claude").rmdir()
    write(workspace, {".claude": "mine"})
    before = snapshot(workspace / ".skills")
    outcome = run("unlink", cwd=workspace)
    assert outcome.code == 0, outcome.err
    assert (workspace / ".claude").read_text(encoding="utf-8") == "mine"
    assert not (workspace / "skillbag.lock").exists()
    assert snapshot(workspace / ".skills") == before


@pytest.mark.parametrize(
    "lock",
    [
        '{"version":1,"skills":{}}',
        """{"version":1, "skills":{}, "links":
        {"agents":["claude"],"copy":false,"folders":[],"made":{".claude/skills/tidy":null}}}""",
    ],
)
def test_where_nothing_changes_nothing_is_written(run: Run, workspace: Path, lock: str) -> None:
    write(workspace, {"skillbag.lock": lock})
    command = "link" if "links" in lock else "unlink"
    if command == "link":
        (workspace / ".claude/skills").mkdir(parents=True)
        (workspace / ".claude/skills/tidy").symlink_to("../../.skills/tidy")
    before = snapshot(workspace)
    assert run(command, cwd=workspace).code == 0
    assert snapshot(workspace) == before


@pytest.mark.parametrize("command", ["unlink", "link"])
def test_a_repository_in_a_copy_is_left(run: Run, workspace: Path, command: str) -> None:
    run("link", "--agents", "claude", "--copy", cwd=workspace)
    write(workspace, {".claude/skills/tidy/.git/HEAD": "ref: refs/heads/main\n", ".skills/tidy/more.md": "More."})
    outcome = run(command, cwd=workspace)
    assert outcome.code == 1
    assert "repository" in outcome.out
    assert (workspace / ".claude/skills/tidy/.git/HEAD").exists()
    assert ".claude/skills/tidy" in made(workspace)


def test_what_can_not_be_read_in_a_copy_is_an_edit_and_stops_no_check(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", "--copy", cwd=workspace)
    os.mkfifo(workspace / ".claude/skills/tidy/pipe")
    outcome = run("check", "--select", "agent-link-stale", cwd=workspace)
    assert outcome.code == 0, outcome.err
    assert "a copy that differs" in outcome.out
    assert run("unlink", cwd=workspace).code == 1
    assert (workspace / ".claude/skills/tidy/SKILL.md").exists()


@pytest.mark.parametrize("mode", ["--copy", "--no-copy"])
def test_a_skill_that_is_a_link_within_the_workspace_is_shown_and_found_good(
    run: Run, workspace: Path, mode: str
) -> None:
    (workspace / ".skills/tidy").rename(workspace / "kept")
    (workspace / ".skills/tidy").symlink_to("../kept")
    run("link", "--agents", "claude", mode, cwd=workspace)
    assert (workspace / ".claude/skills/tidy/SKILL.md").exists()
    assert "No findings" in run("check", "--select", "agent-link-stale", cwd=workspace).out
    assert "1 as they were" in run("link", cwd=workspace).out


@pytest.mark.parametrize("mode", ["--copy", "--no-copy"])
def test_a_skill_that_leads_out_of_the_workspace_is_not_linked(
    run: Run, workspace: Path, tmp_path: Path, mode: str
) -> None:
    write(tmp_path / "outside", {"SKILL.md": skill_text("out")})
    (workspace / ".skills/out").symlink_to(tmp_path / "outside")
    assert run("link", "--agents", "claude", mode, cwd=workspace).code == 0
    assert os.listdir(workspace / ".claude/skills") == ["tidy"]
