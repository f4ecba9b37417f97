"""`skillbag agent personal restore`: what was replaced or removed comes back, and only so much is kept."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from skillbag.agents.personal.kept import MAX, kept_versions
from skillbag.agents.personal.skills import add_personal_skill, remove_personal_skill, restore_personal_skill
from skillbag.kernel.base.package_data import schema_fault
from tests.supply.install.worlds import contents, skill_text, write
from tests.support import Run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def add(root: Path, tmp_path: Path, body: str) -> None:
    source = write(tmp_path / "source", {"SKILL.md": skill_text("tidy", body=body)})
    add_personal_skill(str(root), str(source))


def body_of(root: Path) -> str:
    return (root / "tidy/SKILL.md").read_text("utf-8").split()[-1]


def test_the_replaced_version_comes_back_and_the_other_is_kept_for_it(root: Path, tmp_path: Path) -> None:
    add(root, tmp_path, "One.")
    add(root, tmp_path, "Two.")
    change = restore_personal_skill(str(root), "tidy")
    assert (change.status, change.skill_name, body_of(root)) == ("restored", "tidy", "One.")
    restore_personal_skill(str(root), "tidy")
    assert body_of(root) == "Two."
    assert len(kept_versions(str(root))) == 1


def test_a_removed_skill_comes_back(root: Path, tmp_path: Path) -> None:
    add(root, tmp_path, "One.")
    before = contents(root / "tidy")
    remove_personal_skill(str(root), "tidy")
    restore_personal_skill(str(root), "tidy")
    assert contents(root / "tidy") == before
    assert kept_versions(str(root)) == ()


def test_the_latest_versions_are_kept_and_any_of_them_comes_back(root: Path, tmp_path: Path) -> None:
    for number in range(9):
        add(root, tmp_path, f"{number}.")
    numbers = [version.number for version in kept_versions(str(root))]
    assert numbers == [8, 7, 6, 5, 4]
    assert len(numbers) == MAX
    change = restore_personal_skill(str(root), "tidy", 5)
    assert change.summary == 'Skill "tidy" restored in personal skills: version 5.'
    assert body_of(root) == "4."


def test_the_same_again_is_no_version(root: Path, tmp_path: Path) -> None:
    add(root, tmp_path, "One.")
    add(root, tmp_path, "One.")
    assert kept_versions(str(root)) == ()


def test_versions_are_listed(run: Run, root: Path, tmp_path: Path) -> None:
    add(root, tmp_path, "One.")
    add(root, tmp_path, "Two.")
    (root / ".skillbag/backup/tidy-x").mkdir()
    os.symlink("tidy-1", root / ".skillbag/backup/tidy-7")
    values = json.loads(run("personal", "restore", "--list", "--personal", root, "--json").out)
    assert schema_fault("commands", values) is None
    assert [(each["name"], each["number"]) for each in values["versions"]] == [("tidy", 1)]
    assert run("personal", "restore", "--list", "--personal", root).out.startswith("tidy 1  ")
    assert "Nothing is kept" in run("personal", "restore", "--list", "other", "--personal", root).out
    assert "would be restored" in run("personal", "restore", "tidy", "--dry-run", "--personal", root).out
    assert body_of(root) == "Two."
    assert run("personal", "restore", "tidy", "--personal", root).code == 0
    assert body_of(root) == "One."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--list shows"),
        (("tdy",), "did you mean tidy"),
        (("tidy", "--version", "9"), "there are 1"),
        (("../tidy",), "tidy"),
        (("tidy", "--version", "0"), "0"),
    ],
)
def test_mistakes_are_named(run: Run, root: Path, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    add(root, tmp_path, "One.")
    add(root, tmp_path, "Two.")
    outcome = run("personal", "restore", *arguments, "--personal", root)
    assert outcome.code == 2
    assert words in outcome.err
    assert "Traceback" not in outcome.err
