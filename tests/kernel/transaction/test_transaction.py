"""A change of a workspace: what it writes, what it refuses, and that it leaves alone whatever is not what it was."""

from __future__ import annotations

import os
import stat
import tracemalloc
from pathlib import Path

import pytest

from skillbag.kernel.fs.atomic import RefusedWriteError
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.trees import state_of
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.tree_hash import tree_hash
from tests.kernel.transaction.snapshots import NEW_KEPT, kept, snapshot, unchanged
from tests.kernel.transaction.workspaces import AFTER, CONTEXT, LOCK, change, make_workspace, put, write
from tests.support import Tree, skill


def state(path: Path) -> str:
    found = state_of(str(path))
    assert found is not None
    return found


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_change_with_a_step_of_every_kind(root: Path, source: Path) -> None:
    before = snapshot(root)
    assert change(root, source) == (".skillbag/backup/replaced-1",)
    assert {path.name for path in (root / ".skills").iterdir()} == {
        "SKILLS.md",
        "added",
        "renewed",
        "replaced",
        "skillbag-get-skills",
    }
    for name in ("added", "renewed", "replaced"):
        assert tree_hash(str(root / ".skills" / name)) == tree_hash(str(source / name))
    assert (root / ".skills/SKILLS.md").read_text() == AFTER
    assert (root / "skillbag.lock").read_text() == LOCK
    assert (root / "CONTEXT.md").read_text() == "# Ours\n\nMore.\n"
    assert kept(root) == NEW_KEPT
    assert (root / ".skillbag/.gitignore").read_text() == "*\n"
    # What a backup holds is what was there, times and all.
    folder = root / ".skillbag/backup/replaced-1"
    assert (folder / "SKILL.md").stat().st_mtime_ns == before[".skills/replaced/SKILL.md"].changed
    assert snapshot(root)["SKILLBAG.md"] == before["SKILLBAG.md"]


def test_nothing_is_left_where_nothing_is_kept(root: Path, source: Path) -> None:
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "renewed")
        assert transaction.commit() == ()
    assert not (root / ".skillbag").exists()


def test_permissions_are_the_umasks_and_links_are_links(root: Path, source: Path) -> None:
    (source / "added/SKILL.md").chmod(0o600)
    (source / "added/scripts/run.sh").chmod(0o700)
    old = os.umask(0o027)
    try:
        change(root, source)
    finally:
        os.umask(old)
    added = root / ".skills/added"
    assert (mode(added), mode(added / "SKILL.md"), mode(added / "scripts/run.sh")) == (0o750, 0o640, 0o750)
    assert (added / "link.md").readlink() == Path("SKILL.md")
    assert mode(root / "CONTEXT.md") == 0o640
    assert mode(root / "skillbag.lock") == 0o640


def test_what_is_no_part_of_a_skill_is_not_copied(root: Path, source: Path) -> None:
    write(source, {"added/.DS_Store": "x", "added/__pycache__/x.pyc": "x", "added/.git/HEAD": "x"})
    (source / "added/empty").mkdir()
    change(root, source)
    names = {path.name for path in (root / ".skills/added").iterdir()}
    assert names == {"SKILL.md", "link.md", "references", "scripts"}


def test_leaving_without_commit_leaves_everything(root: Path, source: Path) -> None:
    with unchanged(root):
        with writing(str(root)), Transaction(str(root)) as transaction:
            put(transaction, root, source, "renewed")
        with pytest.raises(KeyboardInterrupt), writing(str(root)), Transaction(str(root)) as transaction:  # noqa: PT012
            put(transaction, root, source, "renewed")
            raise KeyboardInterrupt


def test_a_change_without_steps(root: Path) -> None:
    with writing(str(root)), Transaction(str(root)) as transaction:
        assert transaction.commit() == ()
    assert kept(root) == []


@pytest.mark.parametrize("text", ["one\r\ntwo\r\n", "\0\r\n"])
def test_a_copy_is_byte_for_byte_even_where_the_hash_overlooks_line_ends(root: Path, source: Path, text: str) -> None:
    write(source, {"added/notes.txt": text})
    change(root, source)
    assert (root / ".skills/added/notes.txt").read_bytes() == text.encode()


def test_backups_never_meet(root: Path, source: Path) -> None:
    write(root, {".skillbag/backup/replaced-1/SKILL.md": "Kept.\n", ".skillbag/backup/replaced-2": "Kept.\n"})
    assert change(root, source) == (".skillbag/backup/replaced-3",)
    assert (root / ".skillbag/backup/replaced-1/SKILL.md").read_text() == "Kept.\n"
    assert (root / ".skillbag/backup/replaced-2").read_text() == "Kept.\n"


def test_a_link_is_displaced_itself(root: Path, source: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, {"SKILL.md": skill("renewed")})
    with unchanged(elsewhere):
        (root / ".skills/renewed").rename(tmp_path / "away")
        (root / ".skills/renewed").symlink_to(elsewhere)
        with writing(str(root)), Transaction(str(root)) as transaction:
            put(transaction, root, source, "renewed")
            transaction.back_up(".skills/renewed")
            assert transaction.commit() == (".skillbag/backup/renewed-1",)
        assert not (root / ".skills/renewed").is_symlink()
        assert tree_hash(str(root / ".skills/renewed")) == tree_hash(str(source / "renewed"))
        assert (root / ".skillbag/backup/renewed-1").readlink() == elsewhere


def test_a_broken_link_and_a_file_are_displaced_too(root: Path, source: Path) -> None:
    (root / ".skills/added").symlink_to("nowhere")
    (root / ".skills/odd").write_text("odd\n")
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "added")
        transaction.remove(".skills/odd", expected=state(root / ".skills/odd"))
        assert transaction.commit() == ()
    assert (root / ".skills/added/SKILL.md").is_file()
    assert not (root / ".skills/odd").exists()


def test_a_file_that_is_a_link_is_refused(root: Path) -> None:
    (root / "CONTEXT.md").rename(root / "OTHER.md")
    (root / "CONTEXT.md").symlink_to("OTHER.md")
    with (
        unchanged(root),
        pytest.raises(RefusedWriteError, match="it is a link"),
        writing(str(root)),
        Transaction(str(root)) as transaction,
    ):
        transaction.put_file("CONTEXT.md", b"x", expected=CONTEXT.encode())


@pytest.mark.parametrize(
    "path",
    [
        "../out",
        "/etc/x",
        ".skills",
        ".skills/",
        ".skills/..",
        ".skills/a/b",
        ".skills/../x",
        ".skills/a\\b",
        ".skills/C:x",
        ".skills/a\0b",
        ".skills/SKILLS.md",
        ".skillbag/x",
        "src/x",
        "README.md",
        "",
    ],
)
def test_a_path_outside_the_locations_is_refused(root: Path, source: Path, path: str) -> None:
    with writing(str(root)), Transaction(str(root)) as transaction:
        with pytest.raises(RefusedWriteError):
            transaction.put_folder(path, str(source / "added"), tree="", expected=None)
        with pytest.raises(RefusedWriteError):
            transaction.remove(path, expected="")
        if path != ".skills/SKILLS.md":
            with pytest.raises(RefusedWriteError):
                transaction.put_file(path, b"", expected=None)


def test_a_path_is_given_once(root: Path, source: Path) -> None:
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "renewed")
        with pytest.raises(ValueError, match="given twice"):
            put(transaction, root, source, "renewed")


def test_a_first_skill_makes_the_folder_of_skills(tree: Tree, source: Path) -> None:
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n"})
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "added")
        transaction.put_file(".skills/SKILLS.md", b"added: x\n", expected=None)
        transaction.commit()
    assert {path.name for path in (root / ".skills").iterdir()} == {"SKILLS.md", "added"}


def test_a_first_skill_that_fails_leaves_no_folder(tree: Tree, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n"})
    before, rename = snapshot(root), os.rename

    def failing(old: str, new: str) -> None:
        if new.endswith("SKILLS.md"):
            raise OSError(28, "No space left on device", new)
        rename(old, new)

    monkeypatch.setattr(os, "rename", failing)
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "added")
        transaction.put_file(".skills/SKILLS.md", b"added: x\n", expected=None)
        with pytest.raises(OSError, match="No space"):
            transaction.commit()
    assert snapshot(root) == before
    assert kept(root) == []


def test_a_large_file_is_not_loaded(root: Path, source: Path) -> None:
    with (source / "added/large.bin").open("wb") as file:
        file.truncate(32 << 20)
    tracemalloc.start()
    change(root, source)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (root / ".skills/added/large.bin").stat().st_size == 32 << 20
    assert peak < 8 << 20


@pytest.mark.parametrize("name", ["with space", "with\nline", "ü", os.fsdecode(b"\xff")])
def test_a_workspace_at_an_odd_place(tmp_path: Path, source: Path, name: str) -> None:
    root = make_workspace(tmp_path / name)
    assert change(root, source) == (".skillbag/backup/replaced-1",)
    assert kept(root) == NEW_KEPT


def test_a_workspace_that_is_reached_through_a_link(root: Path, source: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert change(tmp_path / "link", source) == (".skillbag/backup/replaced-1",)
    assert kept(root) == NEW_KEPT
