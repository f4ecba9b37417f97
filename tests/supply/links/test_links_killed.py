"""Links after a kill or a failure."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from skillbag.supply.install.outcome import Outcome
from skillbag.supply.links.commands import link, relinked
from tests.kernel.transaction.faults import ACTS, at_point, fail
from tests.sampling import sample
from tests.supply.install.forked import count_calls, start, status_of
from tests.supply.install.worlds import make_source, skill_text, write
from tests.supply.links.link_worlds import made, make_skills, snapshot
from tests.support import Run


@pytest.fixture
def several(run: Run, tmp_path: Path) -> Path:
    """A workspace with three skills, in which a command has made the user's own folders."""
    root = make_skills(tmp_path / "several", "sort", "tidy", "write")
    assert run("unlink", cwd=root).code == 0
    return root


def kinds(root: Path) -> dict[Path, bool]:
    """Every path below the folder, and whether it is a link or a folder."""
    return {path.relative_to(root): path.is_symlink() or path.is_dir() for path in root.rglob("*")}


def killed_at_calls(root: Path, then: object, *command: str) -> Iterator[Path]:
    """Copies of the workspace, in each of which the command was killed at another call; `then` draws others."""
    counted = Path(shutil.copytree(root, root.with_name("counted"), symlinks=True))
    for number in sample(f"{then} {command}", range(1, count_calls(counted, *command) + 1), 4):
        copy = Path(shutil.copytree(root, root.with_name(f"{root.name}-{number}"), symlinks=True))
        assert os.WTERMSIG(status_of(copy, *command, acts={number: ACTS["kill"]})) == signal.SIGKILL
        yield copy


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("mode", ["--copy", "--no-copy"])
def test_after_a_kill_the_next_run_completes_or_removes_the_links(
    run: Run, several: Path, mode: str, again: bool
) -> None:
    command = ("link", "--agents", "claude,codex", mode)
    for root in killed_at_calls(several, again, *command):
        if again:
            assert run(*command, cwd=root).code == 0
            assert sorted(os.listdir(root)) == [".agents", ".claude", ".skills", "SKILLBAG.md", "skillbag.lock"]
            assert sorted(os.listdir(root / ".claude/skills")) == ["sort", "tidy", "write"]
        assert run("unlink", cwd=root).code == 0
        assert kinds(root) == kinds(several)


@pytest.mark.parametrize("linked", ["nothing", "links", "other copies"])
def test_a_full_disk_leaves_all_as_it_was(run: Run, several: Path, linked: str) -> None:
    if linked != "nothing":
        run("link", "--agents", "claude", "--no-copy" if linked == "links" else "--copy", cwd=several)
    if linked == "other copies":
        for name in ("sort", "tidy", "write"):
            write(several, {f".skills/{name}/SKILL.md": skill_text(name, body="Better.")})
    before, lock = snapshot(several), _lock(several)
    full = partial(at_point, "mkdir .skillbag-link.tmp/tidy", fail(errno.ENOSPC))
    child = start(several, "link", "--agents", "claude,codex", "--copy", prepare=full)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    assert _lock(several) == lock
    assert {**snapshot(several), "skillbag.lock": None} == {**before, "skillbag.lock": None}
    assert run("link", "--agents", "claude,codex", "--copy", cwd=several).code == 0
    assert (several / ".agents/skills/write/SKILL.md").is_file()


def _lock(root: Path) -> str | None:
    path = root / "skillbag.lock"
    return path.read_text() if path.exists() else None


def test_a_copy_that_a_kill_left_half_deleted_or_half_made_is_cleared_away(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", "--copy", cwd=workspace)
    place = workspace / ".claude/skills"
    (place / "tidy").rename(place / ".skillbag-link.old")
    write(place, {".skillbag-link.tmp/half": "a copy"})
    assert run("unlink", cwd=workspace).code == 0
    assert sorted(os.listdir(workspace)) == [".skills", "SKILLBAG.md"]


def test_a_copy_that_is_newer_than_the_lock_is_ours_after_a_kill(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", "--copy", cwd=workspace)
    for root in (".skills", ".claude/skills"):
        write(workspace, {f"{root}/tidy/SKILL.md": skill_text("tidy", body="Better.")})
    assert run("unlink", cwd=workspace).code == 0
    assert not (workspace / ".claude").exists()


@pytest.mark.slow
@pytest.mark.parametrize("modes", [("--copy", "--no-copy"), ("--no-copy", "--copy")])
@pytest.mark.parametrize("after", ["link", "unlink", "back"])
def test_a_kill_between_links_and_copies_leaves_no_unknown_ones(
    run: Run, several: Path, modes: tuple[str, str], after: str
) -> None:
    before = kinds(several)
    run("link", "--agents", "claude", modes[0], cwd=several)
    for root in killed_at_calls(several, after, "link", modes[1]):
        if after != "unlink":
            outcome = run("link", modes[0] if after == "back" else modes[1], cwd=root)
            assert outcome.code == 0, outcome.out
            links = {path.is_symlink() for path in (root / ".claude/skills").iterdir()}
            assert links == {(modes[0] if after == "back" else modes[1]) == "--no-copy"}
            assert set(made(root).values()) == {None} or None not in made(root).values()
        assert run("unlink", cwd=root).code == 0
        assert kinds(root) == before


def test_agents_may_come_one_by_one(workspace: Path) -> None:
    assert link(str(workspace), (agent for agent in ("claude", "codex"))).agents == ("claude", "codex")


def test_a_failure_of_the_links_is_a_note_on_what_was_done(run: Run, workspace: Path, tmp_path: Path) -> None:
    run("link", "--agents", "claude", cwd=workspace)
    (workspace / ".claude").rename(tmp_path / "elsewhere")
    (workspace / ".claude").symlink_to(tmp_path / "elsewhere")
    outcome = relinked(Outcome("install", str(workspace), changed=(".skills/tidy",)))
    assert "skillbag agent link updates them" in outcome.notes[-1]
    assert not outcome.problems


def test_a_copy_that_fails_leaves_no_half_of_it(run: Run, workspace: Path) -> None:
    run("link", "--agents", "claude", "--copy", cwd=workspace)
    os.mkfifo(workspace / ".skills/tidy/z")
    before = snapshot(workspace / ".claude")
    outcome = run("link", cwd=workspace)
    assert outcome.code == 4
    assert ".skills/tidy/z" in outcome.err
    assert snapshot(workspace / ".claude") == before


def test_a_dry_run_of_an_installation_makes_no_link_and_a_real_one_says_how_many(run: Run, tmp_path: Path) -> None:
    source = make_source(tmp_path / "s", ["new"])
    root = make_skills(tmp_path / "w", "tidy", "sort")
    run("link", "--agents", "claude", cwd=root)
    (root / ".claude/skills/tidy").unlink()
    assert "Links for claude" not in run("install", "new", "--source", source, "--dry-run", cwd=root).out
    assert os.listdir(root / ".claude/skills") == ["sort"]
    outcome = run("install", "new", "--source", source, "--yes", cwd=root)
    # The reserved skill comes with the first installation.
    assert "Links for claude: 3 made." in outcome.out + outcome.err
