"""Edits while a change is planned, staged or made are noticed and never lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.locations import ChangedError
from skillbag.kernel.transaction.trees import state_of
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.tree_hash import tree_hash
from tests.kernel.transaction.faults import as_in_a_container
from tests.kernel.transaction.snapshots import NEW_KEPT, Snapshot, kept, snapshot, timeless, unchanged
from tests.kernel.transaction.workspaces import CATALOG, CONTEXT, change, put, write


def test_a_source_that_changes_while_it_is_copied(root: Path, source: Path) -> None:
    with unchanged(root):
        tree = tree_hash(str(source / "renewed"))
        write(source, {"renewed/more.md": "More.\n"})
        with (
            pytest.raises(ChangedError, match="it changed while it was copied"),
            writing(str(root)),
            Transaction(str(root)) as transaction,
        ):
            transaction.put_folder(
                ".skills/renewed",
                str(source / "renewed"),
                tree=tree,
                expected=state_of(str(root / ".skills/renewed")),
            )


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
def test_paths_changed_since_the_plan_are_left(root: Path, source: Path, name: str, text: str) -> None:
    edited: list[Snapshot] = []

    def edit() -> None:
        write(root, {name: text})
        edited.append(snapshot(root))

    with pytest.raises(ChangedError) as caught:
        change(root, source, edit)
    path = "/".join(name.split("/")[:2])
    assert caught.value.filename == path
    assert "it has changed since the change was planned" in str(caught.value)
    assert [snapshot(root)] == edited
    assert kept(root) == []


@pytest.mark.parametrize("name", ["CONTEXT.md", ".skills/SKILLS.md", ".skills/removed"])
def test_paths_deleted_since_the_plan_stay_deleted(root: Path, source: Path, name: str) -> None:
    with pytest.raises(ChangedError):
        change(root, source, lambda: os.rename(root / name, root / "elsewhere"))
    assert not (root / name).exists()
    assert (root / ".skills/renewed/__pycache__").exists()
    assert kept(root) == []


def test_files_that_are_no_part_of_a_skill_are_no_edit(root: Path, source: Path) -> None:
    change(root, source, lambda: write(root, {".skills/removed/.DS_Store": "x", ".skills/removed/.tox/x": "x"}))
    assert kept(root) == NEW_KEPT


@pytest.mark.parametrize("name", [".skills/removed", ".skills/renewed"])
def test_a_repository_in_what_is_displaced_is_kept(root: Path, source: Path, name: str) -> None:
    change(root, source, lambda: write(root, {f"{name}/vendor/.git/HEAD": "unpushed\n"}))
    where = f"{root}/.skillbag/backup/{name.removeprefix('.skills/')}-1"
    assert Path(where, "vendor/.git/HEAD").read_text() == "unpushed\n"


@pytest.mark.parametrize("name", [".skills/removed/SKILL.md", ".skills/renewed/SKILL.md", "CONTEXT.md"])
def test_an_edit_during_the_swap_is_kept(root: Path, source: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_a_file_that_appears_during_the_swap_is_kept(
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


@pytest.mark.parametrize("name", [".skills/renewed", "skillbag.lock", "journal.json", "cleanup.json"])
def test_an_interruption_by_the_keyboard(root: Path, source: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
    with pytest.raises(OSError, match="another process is changing it"):
        change(root, source)
    now = snapshot(root)
    assert now.pop(".skills/renewed/mine.md").content == b"Mine.\n"
    assert timeless(now) == timeless(before)
    assert kept(root) == []
