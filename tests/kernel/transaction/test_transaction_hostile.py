"""A journal may have come with a clone or a download: it can have nothing moved that is not ours, nor deleted."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from skillbag.kernel.transaction import begun
from skillbag.kernel.transaction.recovery import recover
from tests.kernel.transaction.pending import added, journal, leave, of_text, state, step
from tests.kernel.transaction.snapshots import unchanged
from tests.kernel.transaction.workspaces import CONTEXT, write
from tests.sampling import sample
from tests.support import skill

# Hostile or broken journals, and the reason in the message.
BEFORE = of_text(CONTEXT)
BAD = {
    "": "it is not valid JSON",
    "{": "it is not valid JSON",
    "\xff": "it is not valid JSON",
    "[" * 100_000: "it is not valid JSON",
    "[]": "it has no version",
    '{"steps": []}': "it has no version",
    '{"version": true, "steps": []}': "it has version True",
    '{"version": 1, "steps": []}': "it has version 1",
    '{"version": 2, "steps": []}': "it has missing or unknown keys",
    '{"version": 2, "key": "", "makes_skill_root": 1, "steps": []}': "a value has the wrong type",
    '{"version": 2, "key": 1, "makes_skill_root": true, "steps": []}': "a value has the wrong type",
    '{"version": 2, "makes_skill_root": false, "steps": []}': "it has missing or unknown keys",
    '{"version": 2, "key": "", "makes_skill_root": false, "steps": {}}': "it has missing or unknown keys",
    journal({"path": "CONTEXT.md"}): "a step has missing or unknown keys",
    journal({**step("CONTEXT.md", BEFORE), "path": 1}): "a value of the wrong type",
    journal({**step("CONTEXT.md", BEFORE), "back_up": 1}): "a value of the wrong type",
    journal({**step("CONTEXT.md", BEFORE), "before": ["x"]}): "has an invalid state",
    journal(step("CONTEXT.md", "file:xyz")): "has an invalid state",
    journal(step("CONTEXT.md")): "not a path",
    journal(step("CONTEXT.md", "sha256:" + "0" * 64)): "not a path",
    journal(step(".skills/a", None, BEFORE)): "not a path",
    journal(step("CONTEXT.md", BEFORE), step("CONTEXT.md", BEFORE)): "names a path twice",
    **{
        journal(step(path, "sha256:" + "0" * 64)): "not a path"
        for path in (
            "../outside",
            ".skills/../../outside",
            ".skills/..",
            ".skills/.",
            ".skills/",
            ".skills",
            "/etc",
            "C:\\x",
            ".skills/C:x",
            ".skills/..\\..\\x",
            ".skills/a/b",
            ".skills//a",
            ".skills/a\0",
            ".git",
            ".git/hooks",
            "src",
            ".skillbag",
            ".skillbag/backup",
            "",
        )
    },
    journal(step("README.md", BEFORE)): "not a path",
}


FOREIGN = [(number, phase) for number in range(len(BAD)) for phase in ("journal", "rollback", "cleanup")]


@pytest.mark.parametrize(("number", "phase"), sample("foreign journal", FOREIGN, 50))
def test_a_foreign_journal_changes_nothing(root: Path, phase: str, number: int) -> None:
    text, why = [*BAD.items()][number]
    write(root.parent, {"outside/SKILL.md": "Mine.\n"})
    stage = leave(root, text, phase, {"new/0000/SKILL.md": "x", "old/0000/SKILL.md": "x"})
    (stage / f"{phase}.json").write_bytes(text.encode("latin-1"))
    begun.remember(str(stage), text.encode("latin-1"))
    before = _everything(root.parent)
    with pytest.raises(OSError, match="can't be followed") as caught:
        recover(str(root))
    assert why in str(caught.value)
    assert f"{root}/.skillbag/transaction" in str(caught.value)
    assert "delete the folder" in str(caught.value)
    assert _everything(root.parent) == before


def _everything(folder: Path) -> dict[str, bytes | None]:
    paths = sorted(folder.rglob("*"))
    return {str(p): p.read_bytes() if p.is_file() else None for p in paths if p.name != "writer.lock"}


@pytest.mark.parametrize("kind", ["folder", "link", "fifo"])
def test_a_journal_that_is_no_file(root: Path, kind: str) -> None:
    stage = leave(root, journal(step("CONTEXT.md", BEFORE)))
    (stage / "journal.json").rename(root.parent / "real.json")
    if kind == "folder":
        (stage / "journal.json").mkdir()
    elif kind == "link":
        (stage / "journal.json").symlink_to(root.parent / "real.json")
    else:
        os.mkfifo(stage / "journal.json")
    with pytest.raises(OSError, match="it is not a file of at most"):
        recover(str(root))


def test_a_journal_without_end(root: Path) -> None:
    stage = leave(root, "")
    os.truncate(stage / "journal.json", 1 << 30)
    with pytest.raises(OSError, match="it is not a file of at most"):
        recover(str(root))


def test_two_journals(root: Path) -> None:
    stage = leave(root, journal(step("CONTEXT.md", BEFORE)))
    (stage / "rollback.json").write_text(journal(step("CONTEXT.md", BEFORE)))
    with pytest.raises(OSError, match="both exist"):
        recover(str(root))
    assert (root / "CONTEXT.md").exists()


@pytest.mark.parametrize("phase", ["rollback", "cleanup"])
def test_paths_that_were_not_moved_stay(root: Path, phase: str) -> None:
    with unchanged(root):
        zero = "0" * 64
        leave(
            root,
            journal(step(".skills/renewed", f"sha256:{zero}", f"sha256:{zero}"), step(".skills/added", f"link:{zero}")),
            phase,
        )
        assert recover(str(root))


@pytest.mark.parametrize("phase", ["journal", "rollback", "cleanup"])
def test_no_journal_can_have_a_file_of_the_users_deleted(root: Path, phase: str) -> None:
    """Whatever it says of what is there: what is not just that is moved to the backups at most."""
    write(root, {".skills/mine/SKILL.md": "Mine.\n", "USER_CONTEXT.md": "Mine.\n"})
    zero = "0" * 64
    steps = [
        step(".skills/mine", None, f"sha256:{zero}"),
        step("USER_CONTEXT.md", None, f"file:{zero}"),
        step(".skills/removed", f"sha256:{zero}"),
        step("CONTEXT.md", f"file:{zero}"),
    ]
    texts = sorted(path.read_bytes() for path in root.rglob("*") if path.is_file())
    leave(root, journal(*steps), phase)
    assert recover(str(root))
    found = sorted(p.read_bytes() for p in root.rglob("*") if p.is_file() and p.parent.name != ".skillbag")
    assert found == texts


@pytest.mark.parametrize(
    "name",
    [
        ".skillbag",
        ".skillbag/transaction",
        ".skillbag/transaction/new",
        ".skillbag/transaction/old",
        ".skillbag/backup",
    ],
)
@pytest.mark.parametrize("phase", ["journal", "rollback", "cleanup"])
def test_a_link_out_of_the_workspace_is_not_followed(root: Path, phase: str, name: str) -> None:
    """With a journal that would have files moved there, or files from there moved in."""
    leave(root, journal(step("CONTEXT.md", of_text("other"), BEFORE, back_up=True)), phase, {"old/0000": "x"})
    (root / ".skillbag/backup").mkdir()
    outside = root.parent / "outside"
    (root / name).rename(outside)
    (root / name).symlink_to(outside)
    before = _everything(root.parent)
    with pytest.raises(OSError, match="skillbag keeps a folder of its own here") as caught:
        recover(str(root))
    assert caught.value.filename == str(root / name)
    assert _everything(root.parent) == before


@pytest.mark.parametrize("target", ["../outside", ".", ".git", "CONTEXT.md", "nowhere"])
def test_a_link_to_no_skill_root_is_not_followed(root: Path, target: str) -> None:
    write(root.parent, {"outside/mine/SKILL.md": "Mine.\n"})
    write(root, {"mine/SKILL.md": "Mine.\n", ".git/mine/SKILL.md": "Mine.\n"})
    (root / ".skills").rename(root.parent / "away")
    (root / ".skills").symlink_to(target)
    leave(root, journal(step(".skills/mine", state(root / "mine"))))
    before = _everything(root.parent)
    with pytest.raises(OSError, match="refused"):
        recover(str(root))
    assert _everything(root.parent) == before


def test_a_skill_root_that_is_a_link_within_the_workspace(root: Path) -> None:
    (root / ".skills").rename(root / "skills")
    (root / ".skills").symlink_to("skills")
    after = added(root)
    leave(root, journal(step(".skills/added", None, after)), staged={"new/0000/SKILL.md": skill("added")})
    assert recover(str(root))
    assert state(root / "skills/added") == after


def test_a_store_that_is_a_file_or_a_link_holds_no_change(root: Path) -> None:
    (root / ".skillbag").write_text("Mine.\n")
    assert recover(str(root)) is False
    (root / ".skillbag").unlink()
    write(root.parent, {"outside/.gitignore": "*\n"})
    (root / ".skillbag").symlink_to(root.parent / "outside")
    assert recover(str(root)) is False
    (root / ".skillbag").unlink()
    (root / ".skillbag").symlink_to(".skillbag")
    assert recover(str(root)) is False
    assert (root.parent / "outside/.gitignore").exists()


def test_a_journal_is_read_as_it_was_written() -> None:
    from skillbag.kernel.transaction.steps import Journal, TransactionStep, parse, render

    steps = (
        TransactionStep(".skills/a", None, "sha256:" + "0" * 64),
        TransactionStep("CONTEXT.md", BEFORE, None, True),
    )
    assert parse(render(Journal(steps, True, "k"))) == Journal(steps, True, "k")
    assert json.loads(render(Journal(steps)))["version"] == 2
