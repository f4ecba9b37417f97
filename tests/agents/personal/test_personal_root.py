"""What lies in the personal root already, and roots that can't be used."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from skillbag.agents.personal import skills as personal
from skillbag.agents.personal.skills import (
    UnknownPersonalSkillError,
    add_personal_skill,
    personal_skills,
    remove_personal_skill,
)
from tests.agents.personal.skills import add, make, names, refused
from tests.agents.tools.hostile_names import NAMES
from tests.rows import each_row
from tests.supply.install.worlds import contents, skill_text, snapshot, unchanged, write

# What is in the root


def test_a_folder_of_another_name_that_declares_the_skill_is_replaced(root: Path, source: Path) -> None:
    make(root / "old", "tidy", {"stale.md": "x"})
    assert add(root, source) == "replaced"
    assert sorted(os.listdir(root)) == [".skillbag", "tidy"]
    assert names(root) == ["tidy"]


def test_of_two_folders_of_one_name_the_first_counts_and_the_other_is_kept_when_both_go(
    root: Path, source: Path
) -> None:
    make(root / "a", "tidy", {"first.md": "x"})
    make(root / "b", "tidy", {"second.md": "x"})
    found = personal_skills(str(root))
    assert [skill.directory for skill in found.skills] == [str(root / "a")]
    assert found.remarks == ("the personal folder b is ignored: a declares the same name",)
    change = add_personal_skill(str(root), str(source))
    assert sorted(os.listdir(root)) == [".skillbag", "tidy"]
    assert change.kept == tuple(str(root / ".skillbag/backup" / name) for name in ("a-1", "b-1"))
    assert (root / ".skillbag/backup/b-1/second.md").is_file()
    assert personal_skills(str(root)).remarks == ()


def test_removing_takes_every_folder_that_declares_the_name_and_keeps_them(root: Path) -> None:
    make(root / "a", "tidy")
    make(root / "b", "tidy", {"second.md": "x"})
    change = remove_personal_skill(str(root), "tidy")
    assert (change.folder, change.kept) == (
        str(root / "a"),
        tuple(str(root / ".skillbag/backup" / name) for name in ("a-1", "b-1")),
    )
    assert os.listdir(root) == [".skillbag"]
    assert names(root) == []


def test_a_history_that_nothing_could_bring_back_is_kept(root: Path, source: Path) -> None:
    add(root, source)
    write(root / "tidy", {".git/HEAD": "x"})
    change = remove_personal_skill(str(root), "tidy")
    assert change.kept == (str(root / ".skillbag/backup/tidy-1"),)
    assert (root / ".skillbag/backup/tidy-1/.git/HEAD").is_file()
    assert add(root, root / ".skillbag/backup/tidy-1") == "installed"


def test_a_broken_skill_in_the_place_is_replaced_and_kept(root: Path, source: Path) -> None:
    write(root / "tidy", {"SKILL.md": "no front matter", "notes.md": "Mine.\n"})
    change = add_personal_skill(str(root), str(source))
    assert change.status == "replaced"
    assert change.kept == (str(root / ".skillbag/backup/tidy-1"),)
    assert contents(Path(change.kept[0])) == {"SKILL.md": b"no front matter", "notes.md": b"Mine.\n"}
    assert names(root) == ["tidy"]


def test_another_skill_in_the_place_is_left_alone(root: Path, source: Path) -> None:
    make(root / "tidy", "other")
    with unchanged(root):
        message = refused(lambda: add(root, source))
        assert message == f"{root / 'tidy'}: the personal skill other is in this folder; rename the folder first"


def test_a_file_in_the_place_is_left_alone(root: Path, source: Path) -> None:
    write(root, {"tidy": "Mine.\n"})
    assert "a file is in the way of the skill" in refused(lambda: add(root, source))
    assert (root / "tidy").read_text() == "Mine.\n"
    assert os.listdir(root) == ["tidy"]


def test_a_link_to_nothing_in_the_place_gives_way(root: Path, source: Path) -> None:
    root.mkdir(parents=True)
    (root / "tidy").symlink_to("nowhere")
    assert add(root, source) == "replaced"
    assert not (root / "tidy").is_symlink()
    assert names(root) == ["tidy"]


def test_of_a_linked_folder_the_link_goes_and_never_what_it_leads_to(root: Path, source: Path, tmp_path: Path) -> None:
    root.mkdir(parents=True)
    other = make(tmp_path / "other", "tidy")
    for status in ("removed", "replaced"):
        (root / "tidy").symlink_to(source)
        with unchanged(source):
            assert names(root) == ["tidy"]
            change = (
                remove_personal_skill(str(root), "tidy")
                if status == "removed"
                else add_personal_skill(str(root), str(other))
            )
            assert change.status == status
        assert not (root / "tidy").is_symlink()


def test_foreign_content_is_neither_listed_nor_touched(root: Path, source: Path) -> None:
    write(root, {"README.md": "x", ".hidden/SKILL.md": skill_text("hidden"), "notes/a.md": "x", "SKILLS.md": "x"})
    (root / "nowhere").symlink_to("gone")
    os.mkfifo(root / "pipe")
    before = snapshot(root)
    assert personal_skills(str(root)) == (
        (),
        ("the personal folder notes holds no valid skill: there is no SKILL.md in it",),
    )
    add(root, source)
    remove_personal_skill(str(root), "tidy")
    after = snapshot(root)
    own = {path for path in after if path == "." or path.startswith(".skillbag")}
    assert {path: what for path, what in after.items() if path not in own} == {
        path: what for path, what in before.items() if path != "."
    }


def test_a_folder_whose_name_does_not_print_is_reported_in_escapes(root: Path) -> None:
    (root / "a\x1b[2J\n").mkdir(parents=True)
    (remark,) = personal_skills(str(root)).remarks
    assert remark.isprintable()
    assert r"'a\x1b[2J\n'" in remark


# The root itself


def test_a_root_that_is_a_link_is_followed(root: Path, source: Path, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    root.parent.mkdir()
    root.symlink_to(real)
    assert add(root, source) == "installed"
    assert os.listdir(real) == ["tidy"]
    assert remove_personal_skill(str(root), "tidy").status == "removed"
    assert os.listdir(real) == [".skillbag"]
    assert root.is_symlink()


def _file_root(root: Path) -> None:
    write(root.parent, {root.name: "x"})


def _root_below_a_file(root: Path) -> None:
    write(root.parent.parent, {root.parent.name: "x"})


def _root_to_nothing(root: Path) -> None:
    root.parent.mkdir(parents=True)
    root.symlink_to("nowhere")


@pytest.mark.parametrize("spoil", [_file_root, _root_below_a_file, _root_to_nothing])
def test_a_root_that_can_be_none_is_reported_with_what_to_do(
    root: Path, source: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(root)
    with unchanged(tmp_path):
        message = refused(lambda: add(root, source))
        assert message.startswith(f"{root}: this is not a folder")
        assert "skillbag agent personal root DIR" in message
        refused(lambda: remove_personal_skill(str(root), "tidy"))


# Removing


@pytest.mark.parametrize("name", ["tidy", "TIDY", "Tidy", "tIdY"])
def test_a_name_is_matched_in_any_case(root: Path, source: Path, name: str) -> None:
    add(root, source)
    change = remove_personal_skill(str(root), name)
    assert (change.skill_name, change.status) == ("tidy", "removed")
    assert names(root) == []


def test_no_letter_beyond_ascii_is_another_letter(root: Path) -> None:
    make(root / "key", "key")
    make(root / "skill", "skill")
    make(root / "sign", "\u212aey")
    with unchanged(root):
        for name in ("\u212aey", "\u212aEY", "\u017fkill", "sk\u0131ll", "\uff4b\uff45\uff59"):
            assert "is not a skill's name" in refused(partial(remove_personal_skill, str(root), name))
    assert remove_personal_skill(str(root), "KEY").folder == str(root / "key")
    assert (root / "sign").is_dir()


def test_a_skill_goes_by_what_it_declares_and_not_by_its_folder(root: Path) -> None:
    make(root / "a", "b")
    make(root / "b", "a")
    assert remove_personal_skill(str(root), "a").folder == str(root / "b")
    assert sorted(os.listdir(root)) == [".skillbag", "a"]


def test_a_skill_whose_name_is_of_mixed_case_can_be_removed(root: Path) -> None:
    make(root / "Odd", "Odd")
    assert names(root) == []
    change = remove_personal_skill(str(root), "odd")
    assert (change.skill_name, change.folder) == ("Odd", str(root / "Odd"))
    assert os.listdir(root) == [".skillbag"]


def test_a_name_that_is_not_there_is_reported_with_what_may_be_meant(root: Path, source: Path) -> None:
    add(root, source)
    make(root.parent / "x", "mend")
    add(root, root.parent / "x")
    write(root, {"broken/SKILL.md": "x"})
    assert refused(lambda: remove_personal_skill(str(root), "tidyy")).endswith("did you mean tidy?")
    message = refused(lambda: remove_personal_skill(str(root), "zzz"))
    assert message == 'there is no personal skill "zzz"; there are mend, tidy'
    assert "declares no such name; delete it yourself" in refused(lambda: remove_personal_skill(str(root), "broken"))
    with pytest.raises(UnknownPersonalSkillError, match="there are none at all"):
        remove_personal_skill(str(root.parent / "gone"), "tidy")


@each_row(("count", "end"), [(10, "skill-09"), (11, "skill-09 and 1 more")])
def test_ten_names_are_shown_where_none_is_like_the_one_that_was_given(root: Path, count: int, end: str) -> None:
    for number in range(count):
        make(root / f"skill-{number:02}", f"skill-{number:02}")
    assert refused(lambda: remove_personal_skill(str(root), "zzz")).endswith(f"skill-08, {end}")


def test_a_hostile_name_reaches_nothing(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root / "aa", "aa")
    make(root.parent / "aab", "aab")
    with unchanged(tmp_path):
        looked_at: list[str] = []
        monkeypatch.setattr(personal, "folders_in", looked_at.append)
        monkeypatch.setattr(personal, "recover", looked_at.append)
        for name in NAMES.values():
            if name.lower() != "aa":
                message = refused(partial(remove_personal_skill, str(root), name))
                assert "is not a skill's name" in message
                assert len(message) < 300
        assert looked_at == []


def test_a_skill_that_declares_a_hostile_name_is_not_added(root: Path, tmp_path: Path) -> None:
    sources: dict[str, Path] = {}
    for name in NAMES.values():
        if "\0" not in name and "\ud800" not in name:
            text = f"---\nname: {json.dumps(name)}\ndescription: Tidy.\n---\n"
            data = text.encode("utf-8", "surrogateescape")
            sources[name] = write(tmp_path / f"work-{len(sources)}", {"SKILL.md": data})
    with unchanged(tmp_path):
        for name, source in sources.items():
            assert "it holds no valid skill" in refused(partial(add, root, source)), name
