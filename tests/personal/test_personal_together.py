"""Personal skills changed by many at once, and journals written by others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillbag.personal.skills import (
    UnknownPersonalSkillError,
    add_personal_skill,
    personal_skills,
    remove_personal_skill,
)
from skillbag.transaction.errors import BadJournalError
from skillbag.transaction.locations import SKILLS_FOLDER, WORKSPACE
from skillbag.transaction.recovery import recover
from skillbag.transaction.steps import Journal, Step, parse, render
from tests.install.worlds import contents, skill_text, write

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes at work are forked children")

# Many at once.


def _crowd(count: int, work: Callable[[int], None]) -> Iterator[int]:
    """The exit codes of so many children that work at once."""
    children = []
    for number in range(count):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                work(number)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    for child in children:
        yield os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_eight_that_add_and_remove_one_skill_at_once_leave_it_whole(tmp_path: Path) -> None:
    root = tmp_path / "root"
    sources = [
        write(tmp_path / f"source{number}", {"SKILL.md": skill_text("tidy"), f"{number}.md": f"{number}\n"})
        for number in range(8)
    ]

    def work(number: int) -> None:
        for turn in range(6):
            if (turn + number) % 3:
                add_personal_skill(str(root), str(sources[number]))
            else:
                try:
                    remove_personal_skill(str(root), "TIDY")
                except UnknownPersonalSkillError:
                    continue

    assert list(_crowd(8, work)) == [0] * 8
    found = personal_skills(str(root))
    assert found.remarks == ()
    assert [path.name for path in root.iterdir()] == [skill.name for skill in found.skills]
    if found.skills:
        assert contents(root / "tidy") in [contents(source) for source in sources]


def test_eight_that_add_skills_of_their_own_all_succeed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    sources = [write(tmp_path / f"s{number}", {"SKILL.md": skill_text(f"s{number}")}) for number in range(8)]
    assert list(_crowd(8, lambda number: add_personal_skill(str(root), str(sources[number])) and None)) == [0] * 8
    assert [skill.name for skill in personal_skills(str(root)).skills] == [f"s{number}" for number in range(8)]
    assert sorted(os.listdir(root)) == [f"s{number}" for number in range(8)]


# The journal, which lies where others may write
def _journalled(root: Path, places_stage: str, *steps: Step) -> Path:
    stage = root / ".skillbag" / places_stage
    for name in ("new", "old"):
        (stage / name).mkdir(parents=True)
    (stage / "journal.json").write_bytes(render(Journal(steps)))
    return stage


STATE = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    "path",
    ["SKILL.md", "CONTEXT.md", "SKILLBAG.md", ".skillbag", "SKILLS.md", "..", "a/b", ".skills/a", "/a", "", "a\\b"],
)
def test_a_journal_that_names_what_no_change_of_skills_does_is_not_followed(tmp_path: Path, path: str) -> None:
    file = Step(path, f"file:{'0' * 64}", f"file:{'1' * 64}")
    with pytest.raises(BadJournalError):
        parse(render(Journal((file,))), SKILLS_FOLDER)
    if path not in ("SKILL.md", "CONTEXT.md", "SKILLBAG.md"):
        with pytest.raises(BadJournalError):
            parse(render(Journal((Step(path, STATE, None),))), SKILLS_FOLDER)


def test_a_workspace_and_a_folder_of_skills_leave_each_others_changes_alone(tmp_path: Path) -> None:
    write(tmp_path, {"tidy/SKILL.md": skill_text("tidy"), ".skills/a/SKILL.md": skill_text("a")})
    stages = [_journalled(tmp_path, "transaction"), _journalled(tmp_path, "skills")]
    assert recover(str(tmp_path), locations=SKILLS_FOLDER)
    assert (stages[0].exists(), stages[1].exists()) == (True, False)
    assert recover(str(tmp_path), locations=WORKSPACE)
    assert not (tmp_path / ".skillbag").exists()


def test_a_store_that_is_not_ours_is_told_and_left(tmp_path: Path) -> None:
    root, source = tmp_path / "root", write(tmp_path / "source", {"SKILL.md": skill_text("tidy")})
    root.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (root / ".skillbag").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="skillbag keeps a folder of its own here"):
        add_personal_skill(str(root), str(source))
    assert os.listdir(root) == [".skillbag"]
    assert os.listdir(tmp_path / "elsewhere") == []
