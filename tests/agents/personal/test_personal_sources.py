"""What is refused as the source of a personal skill, and what is copied."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.agents.personal.skills import add_personal_skill, personal_skills
from skillbag.kernel.transaction.locations import ChangedError
from tests.agents.personal.skills import add, make, names, refused
from tests.supply.install.worlds import skill_text, snapshot, unchanged, write

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


@pytest.mark.parametrize(("files", "message"), NO_SKILLS.values(), ids=NO_SKILLS)
def test_a_folder_without_a_valid_skill_is_refused_and_remarked_on(
    root: Path, tmp_path: Path, files: dict[str, str | bytes], message: str
) -> None:
    source = write(tmp_path / "work", files)
    source.mkdir(exist_ok=True)
    result = refused(lambda: add(root, source))
    assert result.startswith(f"{source}: it holds no valid skill: ")
    assert message in result
    assert not root.exists()
    shutil.copytree(source, root / "notes")
    (remark,) = personal_skills(str(root)).remarks
    assert remark.startswith("the personal folder notes holds no valid skill: ")
    assert message in remark


@pytest.mark.parametrize("typed", ["", " ", "gone", "\0", "a\0b", "\ud800", "x" * 100_000, "~nobody-of-this-name"])
def test_what_is_no_folder_is_told_so_at_modest_length(root: Path, typed: str) -> None:
    message = refused(lambda: add(root, typed))
    assert "there is no such folder" in message
    assert len(message) < 400
    assert not root.exists()


def test_a_file_in_the_place_of_a_folder_is_reported_with_what_to_name(root: Path, source: Path) -> None:
    assert "it is a file; name the folder that holds it" in refused(lambda: add(root, source / "SKILL.md"))


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
@pytest.mark.parametrize(("spoil", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_folder_is_refused_before_anything_is_written(
    root: Path, source: Path, spoil: Callable[[Path], object], message: str
) -> None:
    spoil(source)
    result = refused(lambda: add(root, source))
    assert message in result
    assert result.startswith(f"{source}: ")
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
    from skillbag.agents.personal import copying as personal_copy
    from skillbag.kernel.transaction import journal, trees

    add(root, source)
    before = snapshot(root / "tidy")
    plain, swapped = trees.copy_tree, []

    def copy(folder: str, to: str) -> str:
        # What is looked at is sound; what is copied is not, and has the hash that is expected of it.
        (source / "link").symlink_to("/etc/passwd")
        tree = plain(folder, to)
        swapped.append(tree)
        return swapped[0]

    monkeypatch.setattr(journal, "copy_tree", copy)
    with pytest.raises(ChangedError, match="it changed while it was copied"):
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
    with unchanged(root):
        change = add_personal_skill(str(root), typed)
        assert (change.status, change.summary) == ("replaced", 'Skill "tidy" replaced in personal skills.')


def test_a_skill_that_is_linked_to_its_source_stays_linked(root: Path, source: Path) -> None:
    root.mkdir(parents=True)
    (root / "tidy").symlink_to(source)
    before = snapshot(root), snapshot(source)
    assert add(root, source) == "replaced"
    assert add(root, root / "tidy") == "replaced"
    assert (snapshot(root), snapshot(source)) == before


def test_from_its_own_folder_of_another_name_it_stays_there(root: Path) -> None:
    make(root / "old", "tidy")
    with unchanged(root):
        assert add(root, root / "old") == "replaced"


@pytest.mark.parametrize("above", ["", "..", "../.."])
def test_a_folder_that_holds_the_personal_root_is_refused(root: Path, above: str) -> None:
    root.mkdir(parents=True)
    holder = Path(os.path.normpath(root / above))
    make(holder, "all")
    with unchanged(holder):
        assert "it holds the personal root itself" in refused(lambda: add(root, holder))


def test_a_skill_within_another_is_copied_out_of_it(root: Path, source: Path) -> None:
    add(root, source)
    make(root / "tidy/inner", "inner")
    assert add(root, root / "tidy/inner") == "installed"
    assert names(root) == ["inner", "tidy"]
    assert (root / "tidy/inner/SKILL.md").is_file()


def test_a_skill_within_the_one_that_it_would_replace_is_refused(root: Path, source: Path) -> None:
    add(root, source)
    make(root / "tidy/newer", "tidy")
    with unchanged(root):
        message = refused(lambda: add(root, root / "tidy/newer"))
        assert f"it lies in {root / 'tidy'}, which it would replace" in message
