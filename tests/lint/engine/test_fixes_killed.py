"""`check --fix`, killed or refused by the system at any of its calls: after the next check, all is old, or all new."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from skillbag.kernel.transaction import begun
from skillbag.kernel.transaction.locations import CHECKED_FOLDER, BadJournalError
from skillbag.kernel.transaction.recovery import recover
from skillbag.kernel.transaction.steps import Journal, TransactionStep, render
from skillbag.kernel.transaction.trees import state_of_bytes
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.kernel.transaction.faults import Act, fail, kill, tear
from tests.kernel.transaction.runner import commanded, count_calls, in_child
from tests.rows import each_row
from tests.sampling import sample_calls
from tests.supply.install.worlds import write
from tests.support import Run, skill

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the children are forked")

HIDDEN = "Do it. Use when it is to be done. #run/always"
SKILLS = {f"skills/{name}/SKILL.md": skill(name, HIDDEN) for name in ("one", "two")}
RENAMED = {"skills/three/skill.md": skill("three")}
"""What a new name brings to light in a catalog is a change of its own: there is none in these."""

BAG = {f".{path}": text for path, text in SKILLS.items()}
WORLDS = {
    "workspace": {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "gone: x\n", **BAG},
    "plain": {**SKILLS, **RENAMED},
    "below": {f"deep/er/{path}": text for path, text in {**SKILLS, **RENAMED}.items()},
}

State = Mapping[str, tuple[bytes, bool]]


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder in memory where there is one: a disk takes its time to sync."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield Path(folder)


def state(root: Path) -> State:
    """Every file with its content and whether it may be run."""
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def fresh(root: Path, world: str) -> State:
    shutil.rmtree(root, ignore_errors=True)
    return state(write(root, WORLDS[world]))


def fixing(root: Path, acts: Mapping[int, Act]) -> Callable[[], int]:
    return commanded(root, "check", "--fix", "--config=cache=false", "--output", os.devnull, ".", acts=acts)


def check_again(root: Path) -> list[str]:
    """Check, and give the notices of interrupted changes."""
    notices: list[str] = []
    Checker(CheckRequest((str(root),), here=str(root)), notices.append).check()
    return notices


@pytest.mark.slow
@pytest.mark.parametrize(("world", "act"), [*((world, kill) for world in WORLDS), ("plain", tear)])
def test_killed_at_each_call(base: Path, world: str, act: Act) -> None:
    root = base / "w"
    old = fresh(root, world)
    number = count_calls(fixing(root, {}))
    new = state(root)
    assert len([path for path in new if new.get(path) != old.get(path)]) >= 3
    assert not any(".skillbag" in path for path in os.listdir(root))
    found = []
    for at in sample_calls(f"{world} {act.__name__}", range(1, number + 1)):
        fresh(root, world)
        ended = in_child(fixing(root, {at: act}))
        # The first run makes the folder of locks besides.
        assert ended == "killed" or at > number - 5
        is_decided = any(path.endswith("/journal.json") for path in state(root))
        notices = check_again(root)
        after = state(root)
        assert any("was completed" in notice for notice in notices) == (is_decided and after == new)
        assert after in (old, new), f"{at} of {number}: neither one nor the other"
        assert not [path for path in root.rglob("*") if ".skillbag" in path.name], f"{at} of {number}"
        found.append(after == new)
    assert {True, False} == set(found)


@pytest.mark.parametrize("world", ["workspace", "plain"])
def test_refused_at_each_call(base: Path, world: str) -> None:
    root = base / "w"
    old = fresh(root, world)
    number = count_calls(fixing(root, {}))
    new = state(root)
    for at in sample_calls(world, range(1, number + 1)):
        fresh(root, world)
        ended = in_child(fixing(root, {at: fail(errno.ENOSPC)}))
        assert ended in ("done", "failed")
        check_again(root)
        assert state(root) in ((new,) if ended == "done" else (old, new)), f"{at} of {number}: {ended}"
        assert not [path for path in root.rglob("*") if ".skillbag" in path.name], f"{at} of {number}"


@each_row("path", [".git/hooks/pre-commit", ".GIT/hooks/x", "git~1/hooks/x", "../x", "/etc/x", "a/../../x"])
def test_a_journal_that_came_with_a_clone_writes_no_hook(tmp_path: Path, path: str) -> None:
    data = b"#!/bin/sh\n"
    stage = tmp_path / "w/.skillbag/fixes"
    write(tmp_path / "w", {".git/hooks/README": "x", ".skillbag/fixes/new/0000": data})
    (stage / "old").mkdir()
    journal = render(Journal((TransactionStep(path, None, state_of_bytes(data)),)))
    (stage / "journal.json").write_bytes(journal)
    # Even if it were ours.
    begun.remember(str(stage), journal)
    before = state(tmp_path)
    with pytest.raises(BadJournalError, match="can't be followed"):
        recover(str(tmp_path / "w"))
    assert state(tmp_path) == before


def test_a_journal_does_not_go_through_a_link(tmp_path: Path) -> None:
    data = b"x"
    write(tmp_path / "w", {".skillbag/fixes/new/0000": data})
    (tmp_path / "outside").mkdir()
    (tmp_path / "w/link").symlink_to(tmp_path / "outside")
    (tmp_path / "w/.skillbag/fixes/old").mkdir()
    journal = render(Journal((TransactionStep("link/x", None, state_of_bytes(data)),)))
    (tmp_path / "w/.skillbag/fixes/journal.json").write_bytes(journal)
    begun.remember(str(tmp_path / "w/.skillbag/fixes"), journal)
    with pytest.raises(BadJournalError, match="not a link to one"):
        recover(str(tmp_path / "w"), locations=CHECKED_FOLDER)
    assert not os.listdir(tmp_path / "outside")


def test_one_fix_that_brings_another_to_light_is_one_change(base: Path, run: Run) -> None:
    root = base / "w"
    fresh(root, "workspace")
    diff = run("check", "--format=diff", root).out
    assert run("check", "--fix", root).code in (0, 1)
    assert "one: Do it. Use when it is to be done. #run/always" in (root / ".skills/SKILLS.md").read_text()
    assert '+description: "Do it. Use when it is to be done. #run/always"' in diff


def test_a_journal_that_came_with_a_clone_removes_no_folder_elsewhere(tmp_path: Path) -> None:
    stage, elsewhere = tmp_path / "w/.skillbag/fixes", tmp_path / "elsewhere"
    (elsewhere / "empty").mkdir(parents=True)
    stage.mkdir(parents=True)
    (tmp_path / "w/link").symlink_to(elsewhere)
    step = TransactionStep("link/empty/x", None, state_of_bytes(b""))
    journal = render(Journal((step,)))
    (stage / "cleanup.json").write_bytes(journal)
    begun.remember(str(stage), journal)
    assert recover(str(tmp_path / "w"), locations=CHECKED_FOLDER)
    assert (elsewhere / "empty").is_dir()
