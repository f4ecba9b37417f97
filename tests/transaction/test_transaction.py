"""A change of a workspace: what it writes, what it refuses, and that it leaves alone whatever is not what it was."""

from __future__ import annotations

import os
import shutil
import stat
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from skillbag.files import RefusedWriteError
from skillbag.transaction.errors import ChangedError
from skillbag.transaction.journal import Transaction
from skillbag.transaction.state import state_of
from skillbag.transaction.writer import writing
from skillbag.workspace.tree_hash import tree_hash
from tests.support import Tree, skill
from tests.transaction.faults import as_in_a_container
from tests.transaction.workspaces import (
    AFTER,
    CATALOG,
    CONTEXT,
    NEW_KEPT,
    Snapshot,
    change,
    kept,
    make_source,
    make_workspace,
    put,
    snapshot,
    timeless,
    write,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_workspace(tmp_path / "workspace")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make_source(tmp_path / "source")


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
    assert (root / "skillbag.lock").read_text() == "{}\n"
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
    before = snapshot(root)
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "renewed")
    with pytest.raises(KeyboardInterrupt), writing(str(root)), Transaction(str(root)) as transaction:  # noqa: PT012
        put(transaction, root, source, "renewed")
        raise KeyboardInterrupt
    assert snapshot(root) == before
    assert kept(root) == []


def test_a_change_without_steps(root: Path) -> None:
    with writing(str(root)), Transaction(str(root)) as transaction:
        assert transaction.commit() == ()
    assert kept(root) == []


@pytest.mark.parametrize("text", ["one\r\ntwo\r\n", "\0\r\n"])
def test_a_copy_is_byte_for_byte_even_where_the_hash_overlooks_line_ends(root: Path, source: Path, text: str) -> None:
    write(source, {"added/notes.txt": text})
    change(root, source)
    assert (root / ".skills/added/notes.txt").read_bytes() == text.encode()


def test_a_source_that_changes_while_it_is_copied(root: Path, source: Path) -> None:
    before = snapshot(root)
    tree = tree_hash(str(source / "renewed"))
    write(source, {"renewed/more.md": "More.\n"})
    with (
        pytest.raises(ChangedError, match="it has changed while it was copied"),
        writing(str(root)),
        Transaction(str(root)) as transaction,
    ):
        transaction.put_folder(
            ".skills/renewed",
            str(source / "renewed"),
            tree=tree,
            expected=state_of(str(root / ".skills/renewed")),
        )
    assert snapshot(root) == before
    assert kept(root) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".skills/replaced/SKILL.md", "Mine.\n"),
        (".skills/replaced/more.md", "Mine.\n"),
        (".skills/removed/SKILL.md", "Mine.\n"),
        (".skills/added/SKILL.md", "Mine.\n"),
        (".skills/added", "Mine.\n"),
        (".skills/SKILLS.md", CATALOG + "mine: Mine.\n"),
        ("CONTEXT.md", CONTEXT.replace("\n", "\r\n")),
        ("skillbag.lock", "{}\n"),
    ],
)
def test_what_was_changed_since_it_was_planned_is_left(root: Path, source: Path, name: str, text: str) -> None:
    edited: list[Snapshot] = []

    def edit() -> None:
        write(root, {name: text})
        edited.append(snapshot(root))

    with pytest.raises(ChangedError) as caught:
        change(root, source, edit)
    path = "/".join(name.split("/")[:2])
    assert caught.value.filename == path
    assert "it is not what it was when the change was planned" in str(caught.value)
    assert [snapshot(root)] == edited
    assert kept(root) == []


@pytest.mark.parametrize("name", ["CONTEXT.md", ".skills/SKILLS.md", ".skills/removed"])
def test_what_has_gone_since_it_was_planned_stays_away(root: Path, source: Path, name: str) -> None:
    with pytest.raises(ChangedError):
        change(root, source, lambda: os.rename(root / name, root / "elsewhere"))
    assert not (root / name).exists()
    assert (root / ".skills/renewed/__pycache__").exists()
    assert kept(root) == []


def test_what_nobody_edits_is_no_edit(root: Path, source: Path) -> None:
    change(root, source, lambda: write(root, {".skills/removed/.DS_Store": "x", ".skills/removed/.tox/x": "x"}))
    assert kept(root) == NEW_KEPT


@pytest.mark.parametrize("name", [".skills/removed", ".skills/renewed"])
def test_a_repository_in_what_is_displaced_is_kept(root: Path, source: Path, name: str) -> None:
    change(root, source, lambda: write(root, {f"{name}/vendor/.git/HEAD": "unpushed\n"}))
    where = f"{root}/.skillbag/backup/{name.removeprefix('.skills/')}-1"
    assert Path(where, "vendor/.git/HEAD").read_text() == "unpushed\n"


@pytest.mark.parametrize("name", [".skills/removed/SKILL.md", ".skills/renewed/SKILL.md", "CONTEXT.md"])
def test_an_edit_at_the_very_moment_is_kept(
    root: Path, source: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, path = os.rename, "/".join(name.split("/")[:2])

    def late(old: str, new: str) -> None:
        if old == str(root / path) and "/old/" in new:
            write(root, {name: "Mine.\n"})
        rename(old, new)

    monkeypatch.setattr(os, "rename", late)
    backups = change(root, source)
    where = f".skillbag/backup/{path.rpartition('/')[2]}-1"
    assert sorted(backups) == sorted((where, ".skillbag/backup/replaced-1"))
    found = root / where / "SKILL.md" if name.endswith("SKILL.md") else root / where
    assert found.read_text() == "Mine.\n"


@pytest.mark.parametrize("name", [".skills/added", "skillbag.lock", ".skills/renewed", "CONTEXT.md"])
def test_what_appears_at_the_very_moment_is_not_overwritten(
    root: Path, source: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, rename, made = snapshot(root), os.rename, []

    def late(old: str, new: str) -> None:
        rename(old, new)
        # The place is empty from here until the new one is moved in.
        displaced = old == str(root / name) and "/old/" in new
        if displaced or (new.endswith("journal.json") and not (root / name).exists()):
            made.append(name)
            (root / name).write_text("Mine.\n")

    monkeypatch.setattr(os, "rename", late)
    with pytest.raises(ChangedError, match="something has just appeared there"):
        change(root, source)
    assert made == [name]
    if name in before:
        # Both were at one place: the one that was asked for is there, the other one is kept.
        assert snapshot(root) == before
        assert (root / f".skillbag/backup/{name.rpartition('/')[2]}-1").read_text() == "Mine.\n"
    else:
        assert (root / name).read_text() == "Mine.\n"
        assert {n: e for n, e in snapshot(root).items() if n != name} == before
        assert kept(root) == []


def test_backups_never_meet(root: Path, source: Path) -> None:
    write(root, {".skillbag/backup/replaced-1/SKILL.md": "Kept.\n", ".skillbag/backup/replaced-2": "Kept.\n"})
    assert change(root, source) == (".skillbag/backup/replaced-3",)
    assert (root / ".skillbag/backup/replaced-1/SKILL.md").read_text() == "Kept.\n"
    assert (root / ".skillbag/backup/replaced-2").read_text() == "Kept.\n"


def test_a_link_is_displaced_itself(root: Path, source: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, {"SKILL.md": skill("renewed")})
    before = snapshot(elsewhere)
    (root / ".skills/renewed").rename(tmp_path / "away")
    (root / ".skills/renewed").symlink_to(elsewhere)
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "renewed")
        transaction.back_up(".skills/renewed")
        assert transaction.commit() == (".skillbag/backup/renewed-1",)
    assert not (root / ".skills/renewed").is_symlink()
    assert tree_hash(str(root / ".skills/renewed")) == tree_hash(str(source / "renewed"))
    assert (root / ".skillbag/backup/renewed-1").readlink() == elsewhere
    assert snapshot(elsewhere) == before


def test_a_broken_link_and_a_file_are_displaced_too(root: Path, source: Path) -> None:
    (root / ".skills/added").symlink_to("nowhere")
    (root / ".skills/odd").write_text("odd\n")
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "added")
        transaction.remove(".skills/odd", expected=state(root / ".skills/odd"))
        assert transaction.commit() == ()
    assert (root / ".skills/added/SKILL.md").is_file()
    assert not (root / ".skills/odd").exists()


def test_a_link_that_leads_elsewhere_by_now_is_kept(root: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / ".skills/added").symlink_to("one")
    rename = os.rename

    def late(old: str, new: str) -> None:
        if old == str(root / ".skills/added"):
            os.unlink(old)
            os.symlink("two", old)
        rename(old, new)

    monkeypatch.setattr(os, "rename", late)
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "added")
        assert transaction.commit() == (".skillbag/backup/added-1",)
    assert (root / ".skillbag/backup/added-1").readlink() == Path("two")


def test_a_file_that_is_a_link_is_refused(root: Path) -> None:
    (root / "CONTEXT.md").rename(root / "OTHER.md")
    (root / "CONTEXT.md").symlink_to("OTHER.md")
    before = snapshot(root)
    with (
        pytest.raises(RefusedWriteError, match="it is a link"),
        writing(str(root)),
        Transaction(str(root)) as transaction,
    ):
        transaction.put_file("CONTEXT.md", b"x", expected=CONTEXT.encode())
    assert snapshot(root) == before
    assert kept(root) == []


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
def test_a_place_that_is_none_of_ours(root: Path, source: Path, path: str) -> None:
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


@pytest.mark.parametrize("name", [".skills/renewed", "skillbag.lock", "journal.json", "cleanup.json"])
def test_an_interruption_by_hand(root: Path, source: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, rename = snapshot(root), os.rename

    def interrupted(old: str, new: str) -> None:
        rename(old, new)
        if new.endswith(name) and "/old/" not in old:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        change(root, source)
    if name == "cleanup.json":
        assert kept(root) == NEW_KEPT
    else:
        assert snapshot(root) == before
        assert kept(root) == []


def test_an_edit_while_a_folder_is_copied_away(root: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a folder can't be renamed, there is time for one."""
    copytree = shutil.copytree

    def late(old: str, *rest: Any, **named: Any) -> None:
        copytree(old, *rest, **named)
        write(root, {".skills/renewed/mine.md": "Mine.\n"})

    before = snapshot(root)
    monkeypatch.setattr(os, "rename", os.rename)
    as_in_a_container()
    monkeypatch.setattr(shutil, "copytree", late)
    with pytest.raises(OSError, match="it is being changed by somebody else"):
        change(root, source)
    now = snapshot(root)
    assert now.pop(".skills/renewed/mine.md").content == b"Mine.\n"
    assert timeless(now) == timeless(before)
    assert kept(root) == []


def test_what_is_displaced_may_be_read_only(root: Path, source: Path) -> None:
    (root / ".skills/removed/sub").mkdir()
    write(root, {".skills/removed/sub/x": "x"})
    (root / ".skills/removed/sub/x").chmod(0o444)
    (root / ".skills/removed/sub").chmod(0o555)
    change(root, source)
    assert kept(root) == NEW_KEPT


def test_a_large_file_is_not_loaded(root: Path, source: Path) -> None:
    with (source / "added/large.bin").open("wb") as file:
        file.truncate(64 << 20)
    tracemalloc.start()
    change(root, source)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (root / ".skills/added/large.bin").stat().st_size == 64 << 20
    assert peak < 16 << 20


@pytest.mark.parametrize("name", ["with space", "with\nline", "ü", os.fsdecode(b"\xff")])
def test_a_workspace_at_an_odd_place(tmp_path: Path, source: Path, name: str) -> None:
    root = make_workspace(tmp_path / name)
    assert change(root, source) == (".skillbag/backup/replaced-1",)
    assert kept(root) == NEW_KEPT


def test_a_workspace_that_is_reached_through_a_link(root: Path, source: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert change(tmp_path / "link", source) == (".skillbag/backup/replaced-1",)
    assert kept(root) == NEW_KEPT
