"""What was left behind is brought to an end, and later edits are not lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from skillbag.kernel.transaction.recovery import recover
from skillbag.kernel.transaction.writer import writing
from tests.kernel.transaction.pending import added, journal, leave, of_text, state, step
from tests.kernel.transaction.snapshots import kept, snapshot, timeless, unchanged
from tests.kernel.transaction.workspaces import CONTEXT, write
from tests.support import skill

NEW = {"new/0000/SKILL.md": skill("added"), "new/0001": "# New\n"}


def notices(root: Path) -> str:
    reported: list[str] = []
    assert recover(str(root), notice=reported.append)
    return "\n".join(reported)


def test_nothing_to_recover(root: Path) -> None:
    before = snapshot(root)
    assert recover(str(root)) is False
    write(root, {".skillbag/backup/a-1/SKILL.md": "x", ".skillbag/.gitignore": "*\n"})
    assert recover(str(root)) is False
    assert snapshot(root) == before
    assert recover(str(root / "nowhere")) is False
    assert recover(str(root / "CONTEXT.md")) is False


def test_a_change_that_was_begun_is_completed(root: Path) -> None:
    after = added(root)
    leave(
        root,
        journal(step(".skills/added", None, after), step("CONTEXT.md", of_text(CONTEXT), of_text("# New\n"))),
        staged=NEW,
    )
    assert notices(root) == f"{root}: an interrupted change was completed"
    assert state(root / ".skills/added") == after
    assert (root / "CONTEXT.md").read_text() == "# New\n"
    assert kept(root) == []
    assert recover(str(root)) is False


def test_a_rollback_is_completed(root: Path) -> None:
    with unchanged(root):
        after = added(root)
        text = journal(step(".skills/added", None, after), step("CONTEXT.md", of_text(CONTEXT), of_text("# New\n")))
        stage = leave(root, text, "rollback", NEW)
        (stage / "new/0000").rename(root / ".skills/added")
        (root / "CONTEXT.md").rename(stage / "old/0001")
        (stage / "new/0001").rename(root / "CONTEXT.md")
        assert notices(root) == f"{root}: an interrupted change was rolled back"


def test_a_stage_without_a_journal_is_waste(root: Path) -> None:
    with unchanged(root):
        leave(root, "{", staged=NEW).joinpath("journal.json").rename(root / ".skillbag/transaction/journal.tmp")
        assert notices(root) == ""


def test_a_stage_that_this_user_has_not_begun_is_cleared_away_by_a_writer_only(root: Path) -> None:
    with unchanged(root):
        stage = leave(root, "{", staged=NEW, ours=False)
        (stage / "journal.json").unlink()
        assert not recover(str(root))
        assert (stage / "new/0001").is_file()
        with writing(str(root)):
            assert not stage.exists()


@pytest.mark.parametrize("names", [(), (".gitignore",)])
def test_an_empty_folder_of_ours_is_cleared_away(root: Path, names: tuple[str, ...]) -> None:
    (root / ".skillbag").mkdir()
    write(root, {f".skillbag/{name}": "*\n" for name in names})
    assert recover(str(root)) is False
    assert kept(root) == []


@pytest.mark.parametrize(("name", "text"), [(".gitignore", "*\n!backup\n"), ("notes.md", "Mine.\n")])
def test_other_files_in_the_store_stay(root: Path, name: str, text: str) -> None:
    write(root, {f".skillbag/{name}": text})
    assert recover(str(root)) is False
    leave(root, journal(step(".skills/added", None, added(root))), "cleanup")
    if name == ".gitignore":
        write(root, {f".skillbag/{name}": text})
    assert recover(str(root))
    assert (root / ".skillbag" / name).read_text() == text


def test_a_stage_that_differs_from_the_journal_is_rolled_back(root: Path) -> None:
    before = snapshot(root)
    leave(root, journal(step(".skills/added", None, added(root))), staged={"new/0000/SKILL.md": "torn"})
    assert "was rolled back; kept: .skillbag/backup/added-1" in notices(root)
    assert snapshot(root) == before


def test_a_change_with_a_path_taken_after_the_crash_is_rolled_back(root: Path) -> None:
    before = state(root / ".skills/renewed")
    text = journal(step(".skills/renewed", before, added(root)), step(".skills/mine", None, added(root)))
    leave(root, text, staged={f"new/000{number}/SKILL.md": skill("added") for number in range(2)})
    write(root, {".skills/mine": "Mine.\n"})
    found = snapshot(root)
    assert "was rolled back" in notices(root)
    assert snapshot(root) == found
    assert kept(root) == []


def test_a_change_whose_stage_was_deleted_is_rolled_back(root: Path) -> None:
    with unchanged(root):
        stage = leave(
            root,
            journal(step(".skills/removed", state(root / ".skills/removed")), step(".skills/added", None, added(root))),
        )
        (root / ".skills/removed").rename(stage / "old/0000")
        assert "was rolled back" in notices(root)


@pytest.mark.parametrize("after", [True, False])
def test_a_copy_that_was_put_back_after_the_crash_is_no_edit(root: Path, after: bool) -> None:
    new = added(root) if after else None
    stage = leave(
        root, journal(step(".skills/replaced", state(root / ".skills/replaced"), new)), staged=NEW if after else {}
    )
    shutil.copytree(root / ".skills/replaced", stage / "old/0000")
    (root / ".skills/replaced/SKILL.md").unlink()
    assert notices(root) == f"{root}: an interrupted change was completed"
    assert state(root / ".skills/replaced") == new
    assert kept(root) == []


def test_what_is_left_of_a_folder_that_was_being_copied_away_is_no_edit(root: Path) -> None:
    with unchanged(root):
        text = journal(step(".skills/replaced", state(root / ".skills/replaced"), added(root)))
        stage = leave(root, text, "rollback", NEW)
        shutil.copytree(root / ".skills/replaced", stage / "old/0000")
        (root / ".skills/replaced/SKILL.md").unlink()
        assert notices(root) == f"{root}: an interrupted change was rolled back"


@pytest.mark.parametrize("phase", ["journal", "rollback"])
def test_what_was_made_where_something_was_displaced_is_kept(root: Path, phase: str) -> None:
    before = snapshot(root)
    text = journal(step(".skills/replaced", state(root / ".skills/replaced"), added(root)))
    stage = leave(root, text, phase, NEW)
    (root / ".skills/replaced").rename(stage / "old/0000")
    write(root, {".skills/replaced/SKILL.md": "Mine.\n"})
    assert "was rolled back" in notices(root)
    assert snapshot(root) == before
    assert (root / ".skillbag/backup/replaced-1/SKILL.md").read_text() == "Mine.\n"


def test_an_edit_of_what_is_displaced_after_the_crash_is_kept(root: Path) -> None:
    old, after = state(root / ".skills/renewed"), added(root)
    leave(root, journal(step(".skills/renewed", old, after)), staged={"new/0000/SKILL.md": skill("added")})
    write(root, {".skills/renewed/mine.md": "Mine.\n"})
    assert "was completed; kept: .skillbag/backup/renewed-1" in notices(root)
    assert state(root / ".skills/renewed") == after
    assert (root / ".skillbag/backup/renewed-1/mine.md").read_text() == "Mine.\n"


def test_an_edit_of_what_was_put_before_the_recovery_takes_it_back_is_kept(root: Path) -> None:
    before = snapshot(root)
    stage = leave(root, journal(step(".skills/added", None, added(root))), "rollback", NEW)
    (stage / "new/0000").rename(root / ".skills/added")
    write(root, {".skills/added/mine.md": "Mine.\n"})
    assert "was rolled back; kept: .skillbag/backup/added-1" in notices(root)
    assert snapshot(root) == before
    assert (root / ".skillbag/backup/added-1/mine.md").read_text() == "Mine.\n"


def test_a_name_that_is_not_utf_8_comes_back(root: Path) -> None:
    name = os.fsdecode(b"odd-\xff")
    write(root, {f".skills/{name}/SKILL.md": "x"})
    before = snapshot(root)
    stage = leave(root, journal(step(f".skills/{name}", state(root / ".skills" / name))), "rollback")
    (root / ".skills" / name).rename(stage / "old/0000")
    assert recover(str(root))
    assert timeless(snapshot(root)) == timeless(before)
