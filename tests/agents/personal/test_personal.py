"""Personal skills: added from a folder, removed by name, listed; also by many processes at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillbag.agents.personal.kept import MAX, kept_versions
from skillbag.agents.personal.skills import (
    PersonalSkill,
    UnknownPersonalSkillError,
    add_personal_skill,
    personal_skills,
    remove_personal_skill,
)
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.transaction import begun
from skillbag.kernel.transaction.locations import SKILLS_FOLDER, WORKSPACE, BadJournalError
from skillbag.kernel.transaction.recovery import recover
from skillbag.kernel.transaction.steps import Journal, TransactionStep, parse, render
from tests.agents.personal.skills import add, make, names, refused
from tests.rows import each_row
from tests.supply.install.worlds import contents, skill_text, snapshot, write
from tests.support import Run

DESCRIPTION = "Tidy a folder. Use when files lie about."


def values(status: str, preposition: str) -> dict[str, str]:
    summary = f'Skill "tidy" {status} {preposition} personal skills.'
    return {"summary": summary, "skillName": "tidy", "status": status}


def test_a_root_that_is_not_there_is_empty_and_made_by_the_first_skill(root: Path, source: Path) -> None:
    assert personal_skills(str(root)) == ((), ())
    assert not root.exists()
    (source / "scripts/run.sh").chmod(0o755)
    change = add_personal_skill(str(root), str(source))
    assert change.values() == values("installed", "to")
    assert (change.folder, change.kept) == (str(root / "tidy"), ())
    assert contents(root) == {f"tidy/{path}": data for path, data in contents(source).items()}
    assert os.access(root / "tidy/scripts/run.sh", os.X_OK)
    assert personal_skills(str(root)) == ((PersonalSkill("tidy", DESCRIPTION, str(root / "tidy"), "SKILL.md"),), ())


def test_adding_again_replaces_the_whole_folder(root: Path, source: Path) -> None:
    add(root, source)
    write(root / "tidy", {"stale.md": "Old.\n", "scripts/old.sh": "old"})
    (source / "references/a.md").write_text("Two.\n")
    change = add_personal_skill(str(root), str(source))
    assert change.values() == values("replaced", "in")
    assert contents(root / "tidy") == contents(source)
    assert sorted(os.listdir(root)) == [".skillbag", "tidy"]


# The file of a personal skill


def test_a_lower_case_skill_md_is_read_added_and_removed(root: Path, tmp_path: Path) -> None:
    source = make(tmp_path / "work", "tidy", file="skill.md")
    assert add(root, source) == "installed"
    assert personal_skills(str(root)).skills == (PersonalSkill("tidy", DESCRIPTION, str(root / "tidy"), "skill.md"),)
    assert add(root, source) == "replaced"
    assert remove_personal_skill(str(root), "Tidy").status == "removed"
    assert names(root) == []


def test_skill_md_counts_where_both_spellings_are(root: Path) -> None:
    make(root / "both", "upper")
    make(root / "both", "lower", file="skill.md")
    if len(list((root / "both").iterdir())) == 1:
        pytest.skip("case does not count here")
    assert personal_skills(str(root)).skills == (PersonalSkill("upper", DESCRIPTION, str(root / "both"), "SKILL.md"),)


def test_no_other_spelling_is_a_personal_skill(root: Path, tmp_path: Path) -> None:
    make(root / "odd", "odd", file="Skill.md")
    assert personal_skills(str(root)) == (
        (),
        ("the personal folder odd holds no valid skill: SKILL.md:1: the file is named Skill.md",),
    )
    assert "the file is named Skill.md" in refused(lambda: add(tmp_path / "other", root / "odd"))


@pytest.mark.parametrize(
    "text", ["---\r\nname: tidy\r\ndescription: Crlf.\r\n---\r\nBody.\r\n", "---\nname: tidy\ndescription: Crlf.\n---"]
)
def test_line_ends_and_a_missing_last_one_do_not_matter(root: Path, tmp_path: Path, text: str) -> None:
    assert add(root, write(tmp_path / "work", {"SKILL.md": text})) == "installed"
    assert personal_skills(str(root)).skills[0].description == "Crlf."


@each_row("name", ["a:b", "back\\slash", "SKILLS.md"])
def test_a_folder_that_can_not_be_handled_is_reported_with_what_to_do(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    write(root / name, {"SKILL.md": skill_text("odd")})
    source = write(tmp_path / "source", {"SKILL.md": skill_text("odd", body="Better.")})
    before = snapshot(root)

    with pytest.raises(UserError, match="rename or delete it"):
        remove_personal_skill(str(root), "odd")
    with pytest.raises(UserError, match="rename or delete it"):
        add_personal_skill(str(root), str(source))
    assert snapshot(root) == before


def test_no_password_of_an_address_is_repeated(run: Run, tmp_path: Path) -> None:
    address = "https://user:hunter2secret@example.com/x"
    for command in (
        ("personal", "add", address),
        ("personal", "remove", address),
        ("personal", "add", address, "--json"),
        ("personal", "remove", address, "--json"),
        ("tool", "skill_add", json.dumps({"path": address})),
        ("tool", "skill_remove", json.dumps({"name": address})),
        ("tool", "skill_remove", json.dumps({"name": address}), "--json"),
    ):
        outcome = run(*command, cwd=tmp_path)
        assert outcome.code in (1, 2)
        assert "hunter2secret" not in outcome.out + outcome.err
    assert not os.listdir(tmp_path)


_forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes at work are forked children")

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


@_forking
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
    there = [path.name for path in root.iterdir() if path.name != ".skillbag"]
    assert there == [skill.name for skill in found.skills]
    assert len(kept_versions(str(root))) <= MAX
    if found.skills:
        assert contents(root / "tidy") in [contents(source) for source in sources]


@_forking
def test_eight_that_add_skills_of_their_own_all_succeed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    sources = [write(tmp_path / f"s{number}", {"SKILL.md": skill_text(f"s{number}")}) for number in range(8)]
    assert list(_crowd(8, lambda number: add_personal_skill(str(root), str(sources[number])) and None)) == [0] * 8
    assert [skill.name for skill in personal_skills(str(root)).skills] == [f"s{number}" for number in range(8)]
    assert sorted(os.listdir(root)) == [f"s{number}" for number in range(8)]


# The journal, which lies where others may write
def _journalled(root: Path, places_stage: str, *steps: TransactionStep) -> Path:
    stage = root / ".skillbag" / places_stage
    for name in ("new", "old"):
        (stage / name).mkdir(parents=True)
    journal = render(Journal(steps))
    (stage / "journal.json").write_bytes(journal)
    begun.remember(str(stage), journal)
    return stage


STATE = f"sha256:{'0' * 64}"


@each_row(
    "path",
    ["SKILL.md", "CONTEXT.md", "SKILLBAG.md", ".skillbag", "SKILLS.md", "..", "a/b", ".skills/a", "/a", "", "a\\b"],
)
def test_a_journal_that_names_what_no_change_of_skills_does_is_not_followed(tmp_path: Path, path: str) -> None:
    file = TransactionStep(path, f"file:{'0' * 64}", f"file:{'1' * 64}")
    with pytest.raises(BadJournalError):
        parse(render(Journal((file,))), SKILLS_FOLDER)
    if path not in ("SKILL.md", "CONTEXT.md", "SKILLBAG.md"):
        with pytest.raises(BadJournalError):
            parse(render(Journal((TransactionStep(path, STATE, None),))), SKILLS_FOLDER)


def test_a_workspace_and_a_folder_of_skills_leave_each_others_changes_alone(tmp_path: Path) -> None:
    write(tmp_path, {"tidy/SKILL.md": skill_text("tidy"), ".skills/a/SKILL.md": skill_text("a")})
    stages = [_journalled(tmp_path, "transaction"), _journalled(tmp_path, "skills")]
    assert recover(str(tmp_path), locations=SKILLS_FOLDER)
    assert (stages[0].exists(), stages[1].exists()) == (True, False)
    assert recover(str(tmp_path), locations=WORKSPACE)
    assert not (tmp_path / ".skillbag").exists()


def test_a_store_that_is_not_ours_is_reported_and_left(tmp_path: Path) -> None:
    root, source = tmp_path / "root", write(tmp_path / "source", {"SKILL.md": skill_text("tidy")})
    root.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (root / ".skillbag").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="skillbag keeps a folder of its own here"):
        add_personal_skill(str(root), str(source))
    assert os.listdir(root) == [".skillbag"]
    assert os.listdir(tmp_path / "elsewhere") == []
