"""Personal skills: added from a folder, removed by name, listed; whatever lies in their root, or is asked for."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from skillbag.base.errors import UserError
from skillbag.personal import skills as personal
from skillbag.personal.skills import (
    NoPersonalRootError,
    PersonalSkill,
    UnknownPersonalSkillError,
    add_personal_skill,
    personal_skills,
    remove_personal_skill,
)
from skillbag.transaction.errors import ChangedError
from tests.agent.hostile_names import NAMES
from tests.install.worlds import contents, skill_text, snapshot, write

DESCRIPTION = "Tidy a folder. Use when files lie about."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The personal root, which is not there yet."""
    return tmp_path / "home" / "skills"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with the skill `tidy`."""
    return make(tmp_path / "work" / "tidy", "tidy", {"scripts/run.sh": "#!/bin/sh\n", "references/a.md": "One.\n"})


def make(folder: Path, name: str, more: dict[str, str | bytes] | None = None, file: str = "SKILL.md") -> Path:
    return write(folder, {file: skill_text(name), **(more or {})})


def add(root: Path, folder: Path | str) -> str:
    return add_personal_skill(str(root), str(folder)).status


def names(root: Path) -> list[str]:
    return [skill.name for skill in personal_skills(str(root)).skills]


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(UserError) as raised:
        act()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_without_a_root_there_are_no_skills_and_nothing_can_be_done(source: Path, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    assert personal_skills(None) == ((), ())
    with pytest.raises(NoPersonalRootError, match="no personal root is configured"):
        add_personal_skill(None, str(source))
    with pytest.raises(NoPersonalRootError, match="no personal root is configured"):
        remove_personal_skill(None, "tidy")
    assert snapshot(tmp_path) == before


def test_a_root_that_is_not_there_is_empty_and_made_by_the_first_skill(root: Path, source: Path) -> None:
    assert personal_skills(str(root)) == ((), ())
    assert not root.exists()
    (source / "scripts/run.sh").chmod(0o755)
    change = add_personal_skill(str(root), str(source))
    assert change.values() == {
        "summary": 'Skill "tidy" installed to personal skills.',
        "skillName": "tidy",
        "status": "installed",
    }
    assert (change.folder, change.kept) == (str(root / "tidy"), ())
    assert contents(root) == {f"tidy/{path}": data for path, data in contents(source).items()}
    assert os.access(root / "tidy/scripts/run.sh", os.X_OK)
    assert personal_skills(str(root)) == ((PersonalSkill("tidy", DESCRIPTION, str(root / "tidy"), "SKILL.md"),), ())


def test_adding_again_replaces_the_whole_folder(root: Path, source: Path) -> None:
    add(root, source)
    write(root / "tidy", {"stale.md": "Old.\n", "scripts/old.sh": "old"})
    (source / "references/a.md").write_text("Two.\n")
    change = add_personal_skill(str(root), str(source))
    assert change.values() == {
        "summary": 'Skill "tidy" replaced in personal skills.',
        "skillName": "tidy",
        "status": "replaced",
    }
    assert contents(root) == {f"tidy/{path}": data for path, data in contents(source).items()}
    assert os.listdir(root) == ["tidy"]


def test_removing_takes_the_folder_away(root: Path, source: Path) -> None:
    add(root, source)
    change = remove_personal_skill(str(root), "tidy")
    assert change.values() == {
        "summary": 'Skill "tidy" removed from personal skills.',
        "skillName": "tidy",
        "status": "removed",
    }
    assert list(root.iterdir()) == []


def test_nothing_is_written_by_a_dry_run(root: Path, source: Path, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    assert add_personal_skill(str(root), str(source), dry_run=True).status == "installed"
    assert snapshot(tmp_path) == before
    add(root, source)
    before = snapshot(tmp_path)
    assert add_personal_skill(str(root), str(source), dry_run=True).status == "replaced"
    change = remove_personal_skill(str(root), "tidy", dry_run=True)
    assert (change.status, change.folder) == ("removed", str(root / "tidy"))
    assert snapshot(tmp_path) == before


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


# What is no source

NO_SKILLS = {
    "nothing": ({}, "there is no SKILL.md in it"),
    "no-front-matter": ({"SKILL.md": "# Tidy\n"}, "SKILL.md:1: the file does not begin with a line `---`"),
    "unclosed": ({"SKILL.md": "---\nname: tidy\n"}, "SKILL.md:1: no line `---` closes"),
    "no-name": ({"SKILL.md": "---\ndescription: Tidy.\n---\n"}, "its SKILL.md declares no `name`"),
    "empty-name": ({"SKILL.md": "---\nname: ''\ndescription: Tidy.\n---\n"}, "its SKILL.md declares no `name`"),
    "name-is-a-list": ({"SKILL.md": "---\nname:\n  - a\ndescription: Tidy.\n---\n"}, "declares no `name`"),
    "no-description": ({"SKILL.md": "---\nname: tidy\n---\n"}, "its SKILL.md declares no `description`"),
    "lower-case-without": ({"skill.md": "---\nname: tidy\n---\n"}, "its skill.md declares no `description`"),
    "not-utf-8": ({"SKILL.md": b"---\nname: tidy\ndescription: \xff\n---\n"}, "SKILL.md:3: byte 0xff is not UTF-8"),
    "nul": ({"SKILL.md": b"---\nname: ti\0dy\n---\n"}, "it holds a NUL character"),
    "too-large": ({"SKILL.md": skill_text("tidy") + "x" * (1 << 20)}, "it is larger than 1 MiB"),
    "upper-case-name": (
        {"SKILL.md": skill_text("Tidy")},
        "name Tidy, and a name is a-z, 0-9 and single hyphens; is tidy",
    ),
    "slash": ({"SKILL.md": skill_text("a/../../b")}, "declares the name a/../../b, and a name is"),
    "dots": ({"SKILL.md": skill_text("..")}, "declares the name .., and a name is"),
    "dot-first": ({"SKILL.md": skill_text(".tidy")}, "declares the name .tidy, and a name is"),
    "long": ({"SKILL.md": skill_text("a" * 65)}, "and a name is"),
    "newline": ({"SKILL.md": skill_text('"tidy\\n"')}, "declares the name 'tidy\\n', and a name is"),
    "kelvin": ({"SKILL.md": skill_text("\u212aey")}, "and a name is"),
}


@pytest.mark.parametrize(("files", "told"), NO_SKILLS.values(), ids=NO_SKILLS)
def test_a_folder_without_a_valid_skill_is_refused_and_remarked_on(
    root: Path, tmp_path: Path, files: dict[str, str | bytes], told: str
) -> None:
    source = write(tmp_path / "work", files)
    source.mkdir(exist_ok=True)
    said = refused(lambda: add(root, source))
    assert said.startswith(f"{source}: it holds no valid skill: ")
    assert told in said
    assert not root.exists()
    shutil.copytree(source, root / "notes")
    (remark,) = personal_skills(str(root)).remarks
    assert remark.startswith("the personal folder notes holds no valid skill: ")
    assert told in remark


@pytest.mark.parametrize("typed", ["", " ", "gone", "\0", "a\0b", "\ud800", "x" * 100_000, "~nobody-of-this-name"])
def test_what_is_no_folder_is_told_so_at_modest_length(root: Path, typed: str) -> None:
    said = refused(lambda: add(root, typed))
    assert "there is no such folder" in said
    assert len(said) < 400
    assert not root.exists()


def test_a_file_in_the_place_of_a_folder_is_told_with_what_to_name(root: Path, source: Path) -> None:
    assert "it is a file; name the folder that it lies in" in refused(lambda: add(root, source / "SKILL.md"))


def _fifo(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def _socket(folder: Path) -> None:
    here = os.getcwd()
    # A socket's whole path must be short.
    os.chdir(folder)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket")
    finally:
        os.chdir(here)


def _link(target: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "link").symlink_to(target)


def _skill_file_elsewhere(folder: Path) -> None:
    (folder / "SKILL.md").rename(folder.parent / "elsewhere.md")
    (folder / "SKILL.md").symlink_to("../elsewhere.md")


def _skill_file_pipe(folder: Path) -> None:
    (folder / "SKILL.md").unlink()
    os.mkfifo(folder / "SKILL.md")


def _far_too_large(folder: Path) -> None:
    with open(folder / "data.bin", "wb") as file:
        file.truncate((64 << 20) + 1)


def _by_two_links(folder: Path) -> None:
    (folder / "up").symlink_to("references/..")
    (folder / "out").symlink_to("up/..")


def _through_what_is_left_out(folder: Path) -> None:
    (folder / "node_modules").mkdir()
    (folder / "node_modules/out").symlink_to("/")
    (folder / "link").symlink_to("node_modules/out/etc/passwd")


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "absolute-link": (_link("/etc/passwd"), "the link leads to the absolute path '/etc/passwd'"),
    "link-out": (_link("../../secret"), "the link to '../../secret' leaves"),
    "link-to-its-parent": (_link(".."), "the link to '..' leaves"),
    "two-links": (_by_two_links, "leaves"),
    "circle": (_link("link"), "leads in a circle"),
    "through-node-modules": (_through_what_is_left_out, "real path is not in its skill"),
    "pipe": (_fifo, "'pipe': a named pipe; only files, folders and links are taken"),
    "socket": (_socket, "'socket': a socket; only files, folders and links are taken"),
    "skill-file-elsewhere": (_skill_file_elsewhere, "it is a link that leaves the tree"),
    "skill-file-pipe": (_skill_file_pipe, "it is not a regular file"),
    "too-large": (_far_too_large, "'data.bin': a file of 67,108,865 bytes"),
    "device-name": (lambda folder: (folder / "aux.txt").touch(), "a name that Windows keeps for a device"),
    "newline": (lambda folder: (folder / "a\nb").touch(), "a control character in the name"),
    "backslash": (lambda folder: (folder / "a\\b").touch(), "a backslash in the name"),
    "not-utf-8": (lambda folder: os.mkdir(os.fsencode(folder) + b"/\xff"), "the name is not UTF-8"),
    "case": (lambda folder: write(folder, {"a": "x", "A": "x"}), "the same name as"),
}


@pytest.mark.skipif(os.name != "posix", reason="made of what POSIX has")
@pytest.mark.parametrize(("spoil", "told"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_folder_is_refused_before_anything_is_written(
    root: Path, source: Path, spoil: Callable[[Path], object], told: str
) -> None:
    spoil(source)
    said = refused(lambda: add(root, source))
    assert told in said
    assert said.startswith(f"{source}: ")
    assert not root.exists()


def test_links_within_the_skill_are_copied_as_links(root: Path, source: Path) -> None:
    (source / "latest.md").symlink_to("references/a.md")
    add(root, source)
    assert (root / "tidy/latest.md").readlink() == Path("references/a.md")


def test_what_belongs_to_no_skill_is_left_behind(root: Path, source: Path) -> None:
    write(source, {".git/config": "x", "node_modules/a/b.js": "x", "__pycache__/a.pyc": "x", ".DS_Store": "x"})
    add(root, source)
    assert sorted(os.listdir(root / "tidy")) == ["SKILL.md", "references", "scripts"]


def test_a_folder_that_changes_while_it_is_copied_is_not_taken(
    root: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from skillbag.personal import copying as personal_copy
    from skillbag.transaction import copying, journal

    add(root, source)
    before = snapshot(root / "tidy")
    plain, swapped = copying.copy_tree, []

    def copy(folder: str, to: str) -> str:
        # What is looked at is sound; what is copied is not, and has the hash that is expected of it.
        (source / "link").symlink_to("/etc/passwd")
        tree = plain(folder, to)
        swapped.append(tree)
        return swapped[0]

    monkeypatch.setattr(journal, "copy_tree", copy)
    with pytest.raises(ChangedError, match="it has changed while it was copied"):
        add(root, source)
    (source / "link").unlink()
    monkeypatch.setattr(personal_copy, "tree_hash", lambda _: swapped[0])
    assert "the link leads to the absolute path" in refused(lambda: add(root, source))
    assert snapshot(root / "tidy") == before
    assert os.listdir(root) == ["tidy"]


# From where it is


def _spellings(root: Path) -> dict[str, str]:
    tidy = root / "tidy"
    (root.parent / "way").symlink_to(root)
    (root.parent / "straight").symlink_to(tidy)
    return {
        "plain": str(tidy),
        "slash": f"{tidy}/",
        "dots": f"{tidy}/references/..",
        "doubled": f"{root}//./tidy",
        "by-root-link": str(root.parent / "way/tidy"),
        "by-skill-link": str(root.parent / "straight"),
        "relative": os.path.relpath(tidy),
    }


@pytest.mark.parametrize("spelling", ["plain", "slash", "dots", "doubled", "by-root-link", "by-skill-link", "relative"])
def test_adding_a_skill_from_where_it_is_loses_nothing(root: Path, source: Path, spelling: str) -> None:
    add(root, source)
    write(root / "tidy", {"own.md": "Mine.\n", ".git/HEAD": "x", "node_modules/a.js": "x"})
    (root / "tidy/empty").mkdir()
    typed = _spellings(root)[spelling]
    before = snapshot(root)
    change = add_personal_skill(str(root), typed)
    assert (change.status, change.summary) == ("replaced", 'Skill "tidy" replaced in personal skills.')
    assert snapshot(root) == before


def test_a_skill_that_is_linked_to_its_source_stays_linked(root: Path, source: Path) -> None:
    root.mkdir(parents=True)
    (root / "tidy").symlink_to(source)
    before = snapshot(root), snapshot(source)
    assert add(root, source) == "replaced"
    assert add(root, root / "tidy") == "replaced"
    assert (snapshot(root), snapshot(source)) == before


def test_from_its_own_folder_of_another_name_it_stays_there(root: Path) -> None:
    make(root / "old", "tidy")
    before = snapshot(root)
    assert add(root, root / "old") == "replaced"
    assert snapshot(root) == before


@pytest.mark.parametrize("above", ["", "..", "../.."])
def test_a_folder_that_holds_the_personal_root_is_refused(root: Path, above: str) -> None:
    root.mkdir(parents=True)
    holder = Path(os.path.normpath(root / above))
    make(holder, "all")
    before = snapshot(holder)
    assert "it holds the personal root itself" in refused(lambda: add(root, holder))
    assert snapshot(holder) == before


def test_a_skill_within_another_is_copied_out_of_it(root: Path, source: Path) -> None:
    add(root, source)
    make(root / "tidy/inner", "inner")
    assert add(root, root / "tidy/inner") == "installed"
    assert names(root) == ["inner", "tidy"]
    assert (root / "tidy/inner/SKILL.md").is_file()


def test_a_skill_within_the_one_that_it_would_replace_is_refused(root: Path, source: Path) -> None:
    add(root, source)
    make(root / "tidy/newer", "tidy")
    before = snapshot(root)
    said = refused(lambda: add(root, root / "tidy/newer"))
    assert f"it lies in {root / 'tidy'}, which it would replace" in said
    assert snapshot(root) == before


# What is in the root


def test_a_folder_of_another_name_that_declares_the_skill_is_replaced(root: Path, source: Path) -> None:
    make(root / "old", "tidy", {"stale.md": "x"})
    assert add(root, source) == "replaced"
    assert os.listdir(root) == ["tidy"]
    assert names(root) == ["tidy"]


def test_of_two_folders_of_one_name_the_first_counts_and_the_other_is_kept_when_both_go(
    root: Path, source: Path
) -> None:
    make(root / "a", "tidy", {"first.md": "x"})
    make(root / "b", "tidy", {"second.md": "x"})
    found = personal_skills(str(root))
    assert [skill.directory for skill in found.skills] == [str(root / "a")]
    assert found.remarks == ("the personal folder b is left aside: a declares the same name",)
    change = add_personal_skill(str(root), str(source))
    assert sorted(os.listdir(root)) == [".skillbag", "tidy"]
    assert change.kept == (str(root / ".skillbag/backup/b-1"),)
    assert (root / ".skillbag/backup/b-1/second.md").is_file()
    assert personal_skills(str(root)).remarks == ()


def test_removing_takes_every_folder_that_declares_the_name_and_keeps_all_but_the_first(root: Path) -> None:
    make(root / "a", "tidy")
    make(root / "b", "tidy", {"second.md": "x"})
    change = remove_personal_skill(str(root), "tidy")
    assert (change.folder, change.kept) == (str(root / "a"), (str(root / ".skillbag/backup/b-1"),))
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
    before = snapshot(root)
    said = refused(lambda: add(root, source))
    assert said == f"{root / 'tidy'}: the personal skill other is in this folder; rename the folder first"
    assert snapshot(root) == before


def test_a_file_in_the_place_is_left_alone(root: Path, source: Path) -> None:
    write(root, {"tidy": "Mine.\n"})
    assert "something that is no folder is in the place of the skill" in refused(lambda: add(root, source))
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
        before = snapshot(source)
        assert names(root) == ["tidy"]
        change = (
            remove_personal_skill(str(root), "tidy")
            if status == "removed"
            else add_personal_skill(str(root), str(other))
        )
        assert change.status == status
        assert snapshot(source) == before
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
    assert {path: what for path, what in after.items() if path != "."} == {
        path: what for path, what in before.items() if path != "."
    }


def test_a_folder_whose_name_does_not_print_is_told_in_escapes(root: Path) -> None:
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
    assert os.listdir(real) == []
    assert root.is_symlink()


def _file_root(root: Path) -> None:
    write(root.parent, {root.name: "x"})


def _root_below_a_file(root: Path) -> None:
    write(root.parent.parent, {root.parent.name: "x"})


def _root_to_nothing(root: Path) -> None:
    root.parent.mkdir(parents=True)
    root.symlink_to("nowhere")


@pytest.mark.parametrize("spoil", [_file_root, _root_below_a_file, _root_to_nothing])
def test_a_root_that_can_be_none_is_told_with_what_to_do(
    root: Path, source: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(root)
    before = snapshot(tmp_path)
    said = refused(lambda: add(root, source))
    assert said.startswith(f"{root}: this is no folder")
    assert "skillbag personal root DIR" in said
    refused(lambda: remove_personal_skill(str(root), "tidy"))
    assert snapshot(tmp_path) == before


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
    before = snapshot(root)
    for name in ("\u212aey", "\u212aEY", "\u017fkill", "sk\u0131ll", "\uff4b\uff45\uff59"):
        assert "is no name of a skill" in refused(partial(remove_personal_skill, str(root), name))
    assert snapshot(root) == before
    assert remove_personal_skill(str(root), "KEY").folder == str(root / "key")
    assert (root / "sign").is_dir()


def test_a_skill_goes_by_what_it_declares_and_not_by_its_folder(root: Path) -> None:
    make(root / "a", "b")
    make(root / "b", "a")
    assert remove_personal_skill(str(root), "a").folder == str(root / "b")
    assert os.listdir(root) == ["a"]


def test_a_skill_whose_name_is_of_mixed_case_can_be_removed(root: Path) -> None:
    make(root / "Odd", "Odd")
    assert names(root) == []
    change = remove_personal_skill(str(root), "odd")
    assert (change.skill_name, change.folder) == ("Odd", str(root / "Odd"))
    assert os.listdir(root) == []


def test_a_name_that_is_not_there_is_told_with_what_may_be_meant(root: Path, source: Path) -> None:
    add(root, source)
    make(root.parent / "x", "mend")
    add(root, root.parent / "x")
    write(root, {"broken/SKILL.md": "x"})
    assert refused(lambda: remove_personal_skill(str(root), "tidyy")).endswith("did you mean tidy?")
    said = refused(lambda: remove_personal_skill(str(root), "zzz"))
    assert said == 'there is no personal skill "zzz"; there are mend, tidy'
    assert "declares no such name; delete it by hand" in refused(lambda: remove_personal_skill(str(root), "broken"))
    with pytest.raises(UnknownPersonalSkillError, match="there are none at all"):
        remove_personal_skill(str(root.parent / "gone"), "tidy")


@pytest.mark.parametrize("name", [name for name in NAMES.values() if name.lower() != "aa"])
def test_a_hostile_name_reaches_nothing(root: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root / "aa", "aa")
    make(root.parent / "aab", "aab")
    before = snapshot(tmp_path)
    looked_at: list[str] = []
    monkeypatch.setattr(personal, "folders_in", looked_at.append)
    monkeypatch.setattr(personal, "recover", looked_at.append)
    said = refused(lambda: remove_personal_skill(str(root), name))
    assert "is no name of a skill" in said
    assert len(said) < 300
    assert looked_at == []
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", [name for name in NAMES.values() if "\0" not in name and "\ud800" not in name])
def test_a_skill_that_declares_a_hostile_name_is_not_added(root: Path, tmp_path: Path, name: str) -> None:
    import json

    text = f"---\nname: {json.dumps(name)}\ndescription: Tidy.\n---\n"
    source = tmp_path / "work"
    source.mkdir()
    (source / "SKILL.md").write_bytes(text.encode("utf-8", "surrogateescape"))
    before = snapshot(tmp_path)
    said = refused(lambda: add(root, source))
    assert "it holds no valid skill" in said
    assert snapshot(tmp_path) == before
