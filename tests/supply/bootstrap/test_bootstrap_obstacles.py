"""Obstacles to `init` are reported before anything is written."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from skillbag.supply.bootstrap.existing import CannotInitError
from skillbag.supply.bootstrap.init import InitOptions, plan_init
from skillbag.supply.bootstrap.plan import ActionKind, SetupPlan, apply, create
from tests.rows import each_row

FULL = InitOptions(agents=("claude", "copilot"), pre_commit=True, github=True, repo="team/skillbag")


def refused(root: Path, words: str) -> None:
    before = sorted(root.rglob("*"))
    with pytest.raises(CannotInitError, match=words):
        apply(plan_init(str(root), FULL))
    assert sorted(root.rglob("*")) == before


@each_row("name", ["SKILLBAG.md", "AGENTS.md", ".gitignore", "CLAUDE.md", ".skills/SKILLS.md"])
def test_a_folder_in_the_place_of_a_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir(parents=True)
    refused(tmp_path, f"{name}: a folder stands in its place")


@each_row("name", [".skills", ".skills/skillbag-get-skills", ".github"])
def test_a_file_in_the_place_of_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("here")
    refused(tmp_path, f"{name}: a folder is needed here")


def test_a_file_in_the_place_of_the_root(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("here")
    refused(tmp_path / "root", "a folder is needed here")


@each_row("name", [".skills", ".github", ".skills/skillbag-get-skills"])
def test_a_parent_that_leaves_the_root(tmp_path: Path, name: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    (root / name).parent.mkdir(parents=True)
    (root / name).symlink_to(outside)
    refused(root, f"{name}: it is a link that leaves")
    assert list(outside.iterdir()) == []


def test_a_file_that_leaves_the_root(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("mine")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/AGENTS.md").symlink_to(tmp_path / "outside.md")
    refused(tmp_path / "root", "AGENTS.md: it is a link that leaves the tree")
    assert (tmp_path / "outside.md").read_text() == "mine"


def test_a_broken_link_and_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").symlink_to("gone.md")
    refused(tmp_path, "AGENTS.md: it is a link to gone.md, which does not exist")
    (tmp_path / "AGENTS.md").unlink()
    (tmp_path / "AGENTS.md").write_bytes("Grüße".encode("utf-16"))
    refused(tmp_path, "AGENTS.md: .*UTF-8")


def test_a_link_within_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/agents.md").write_text("Be kind.\n")
    (tmp_path / "AGENTS.md").symlink_to("docs/agents.md")
    apply(plan_init(str(tmp_path), FULL))
    assert (tmp_path / "AGENTS.md").is_symlink()
    assert "SKILLBAG.md" in (tmp_path / "docs/agents.md").read_text()


@pytest.mark.parametrize("source", [False, True])
def test_shims_that_are_one_file_get_one_line(tmp_path: Path, source: bool) -> None:
    (tmp_path / "AGENTS.md").write_text("Be kind.\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "shared.md").write_text("Be brief.\n")
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/copilot-instructions.md").symlink_to("../shared.md")
    (tmp_path / ".cursorrules").symlink_to("shared.md")
    options = InitOptions(agents=("claude", "cursor", "copilot"), source=source)
    apply(plan_init(str(tmp_path), options))
    assert "AGENTS.md" not in (tmp_path / "AGENTS.md").read_text()
    assert (tmp_path / "shared.md").read_text().count("AGENTS.md") == 1
    assert plan_init(str(tmp_path), options).changes == ()


@pytest.mark.parametrize(("name", "before"), [("AGENTS.md", "Be kind.\n"), (".gitignore", "")])
def test_a_file_that_changes_or_appears_after_the_plan_stops_it(tmp_path: Path, name: str, before: str) -> None:
    if before:
        (tmp_path / name).write_text(before)
    plan = plan_init(str(tmp_path), InitOptions())
    (tmp_path / name).write_text("Be brief.\n")
    with pytest.raises(CannotInitError, match=rf"{re.escape(name)}: it has changed"):
        apply(plan)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "Be brief.\n"


def test_two_actions_for_one_file_do_not_overwrite_each_other(tmp_path: Path) -> None:
    plan = SetupPlan(str(tmp_path), (create("a.md", "one", "first"), create("a.md", "two", "second")))
    with pytest.raises(CannotInitError, match=r"a\.md: it has changed"):
        apply(plan)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs permissions that bind this user")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be kind.\n")
    (tmp_path / "AGENTS.md").chmod(0)
    refused(tmp_path, "AGENTS.md: permission denied")


def test_no_action_removes_anything() -> None:
    assert {act.value for act in ActionKind} == {"create", "append", "insert", "keep"}
