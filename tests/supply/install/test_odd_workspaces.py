"""Workspaces with unexpected files: what is there is kept, and what is wrong is reported."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.supply.install.declared import need
from tests.supply.install.outcomes import checks, error_of, statuses
from tests.supply.install.worlds import (
    DESCRIPTION,
    call,
    contents,
    make_source,
    make_workspace,
    skill_text,
    unchanged,
    write,
)
from tests.support import Run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace that declares `a`, beside its source."""
    make_source(tmp_path / "one", ["a", "b"])
    return make_workspace(tmp_path / "work", [need("a", "../one", "m")])


def _leads_out(path: Path) -> None:
    path.symlink_to(path.parents[2] / "one/.skills/b")


def _leads_nowhere(path: Path) -> None:
    path.symlink_to("nowhere")


def _is_empty(path: Path) -> None:
    path.mkdir()


def _holds_no_skill(path: Path) -> None:
    write(path, {"notes.md": "Mine.\n"})


def _is_a_file(path: Path) -> None:
    path.write_text("Mine.\n")


@pytest.mark.proves("install", "resolution.local-edits")
@pytest.mark.parametrize("make", [_leads_out, _leads_nowhere, _is_empty, _holds_no_skill, _is_a_file])
def test_other_things_at_a_skill_s_path_stay_until_overwritten(
    run: Run, workspace: Path, make: Callable[[Path], None]
) -> None:
    (workspace / ".skills").mkdir()
    place = workspace / ".skills/a"
    make(place)
    code, values = call(run, workspace, "install")
    (row,) = values["skills"]
    assert (code, row["status"]) == (0, "skipped")
    assert "it can't be read as a skill" in row["why"]
    assert "--overwrite a" in row["why"]
    assert place.is_symlink() or place.exists()
    code, values = call(run, workspace, "install", "--overwrite", "a")
    assert (code, statuses(values)) == (0, {"a": "overwritten"})
    assert not place.is_symlink()
    backup = workspace / values["backups"][0]
    assert backup.is_symlink() or backup.exists()
    assert call(run, workspace, "verify")[0] == 0


def test_a_link_within_the_workspace_is_a_skill_of_ones_own(run: Run, workspace: Path) -> None:
    write(workspace, {"elsewhere/a/SKILL.md": skill_text("a", body="Mine.")})
    (workspace / ".skills").mkdir()
    (workspace / ".skills/a").symlink_to("../elsewhere/a")
    code, values = call(run, workspace, "install")
    assert (code, statuses(values)) == (0, {"a": "skipped"})
    assert "your own" in values["skills"][0]["why"]
    assert call(run, workspace, "remove", "a", "--overwrite", "a")[0] == 0
    assert contents(workspace / "elsewhere/a")["SKILL.md"].endswith(b"Mine.\n")


@pytest.mark.parametrize("inside", [True, False])
def test_a_skill_root_that_is_a_link(run: Run, workspace: Path, tmp_path: Path, inside: bool) -> None:
    real = (workspace if inside else tmp_path) / "real"
    real.mkdir()
    (workspace / ".skills").symlink_to(real)
    code, _ = call(run, workspace, "install")
    assert code == (0 if inside else 4)
    assert sorted(path.name for path in real.iterdir() if path.is_dir()) == (
        ["a", "skillbag-get-skills"] if inside else []
    )
    assert (workspace / ".skills").is_symlink()


@pytest.mark.proves("install", "install.catalog")
def test_the_catalog_keeps_line_ends_mark_and_the_line_of_what_can_t_be_read(run: Run, workspace: Path) -> None:
    old = f"# Skills\r\n\r\nWords.\r\nown: {DESCRIPTION}\r\nbroken: Its old line.\r\ngone: Gone.\r\n"
    write(workspace, {".skills/own/SKILL.md": skill_text("own"), ".skills/broken/SKILL.md": "no front matter\n"})
    write(workspace, {".skills/SKILLS.md": b"\xef\xbb\xbf" + old.encode()})
    assert call(run, workspace, "install")[0] == 0
    data = (workspace / ".skills/SKILLS.md").read_bytes()
    assert data.startswith(b"\xef\xbb\xbfa: ")
    lines = data.decode("utf-8-sig").split("\r\n")
    assert [line.partition(":")[0] for line in lines] == ["a", "broken", "own", "skillbag-get-skills", ""]
    assert lines[1] == "broken: Its old line."
    with unchanged(workspace):
        assert call(run, workspace, "self", "sync")[1]["changed"] == []


def _no_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


def _a_folder(path: Path) -> None:
    write(path, {"mine.md": "Mine.\n"})


def _a_link(path: Path) -> None:
    (path.parents[1] / "catalog.md").write_text("")
    path.symlink_to("../catalog.md")


@pytest.mark.parametrize(("make", "code"), [(_no_text, 2), (_a_folder, 2), (_a_link, 4)])
def test_an_unwritable_catalog_is_named(run: Run, workspace: Path, make: Callable[[Path], None], code: int) -> None:
    write(workspace, {".skills/own/SKILL.md": skill_text("own")})
    make(workspace / ".skills/SKILLS.md")
    with unchanged(workspace):
        for arguments in (("install",), ("install", "--dry-run"), ("self", "sync"), ("self", "sync", "--dry-run")):
            outcome = run(*arguments, cwd=workspace)
            assert (outcome.code, "SKILLS.md" in outcome.err) == (code, True)
            assert "run the command again" not in outcome.err


@pytest.mark.parametrize("name", ["CONTEXT.md", "skillbag.lock"])
def test_a_dry_run_reports_a_link_that_would_not_be_written(run: Run, workspace: Path, name: str) -> None:
    assert call(run, workspace, "install")[0] == 0
    (workspace / name).rename(workspace / "real")
    (workspace / name).symlink_to("real")
    with unchanged(workspace):
        for arguments in (("add", "b", "--source", "../one", "--dry-run"), ("add", "b", "--source", "../one")):
            outcome = run(*arguments, cwd=workspace)
            assert (outcome.code, name in outcome.err) == (4, True)


def test_sync_makes_no_skill_root(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "work")
    code, values = call(run, workspace, "self", "sync")
    assert (code, values["changed"]) == (0, [])
    assert not (workspace / ".skills").exists()
    (workspace / ".skills").mkdir()
    assert call(run, workspace, "self", "sync")[1]["changed"] == [".skills/SKILLS.md"]


@pytest.mark.parametrize(
    "data", [b"```yaml\ndependencies:\n  - name: [\n```\n", b"\xff\xfe", b"```yaml\nprohibit: all\n```\n"]
)
@pytest.mark.parametrize("name", ["CONTEXT.md", "USER_CONTEXT.md"])
def test_an_unreadable_context_file_stops_every_change(run: Run, workspace: Path, name: str, data: bytes) -> None:
    write(workspace, {name: data})
    with unchanged(workspace):
        for arguments in (("install", "b", "--source", "../one"), ("add", "b", "--source", "../one"), ("remove", "a")):
            assert f"{name}:" in error_of(run, *arguments, cwd=workspace)


@pytest.mark.parametrize("text", ["{", "<<<<<<< HEAD\n{}\n=======\n", '{"version": 2, "skills": {}}'])
def test_a_lock_that_can_t_be_read_stops_every_command_but_a_check(run: Run, workspace: Path, text: str) -> None:
    write(workspace, {"skillbag.lock": text})
    with unchanged(workspace):
        for arguments in (("install",), ("install", "--frozen"), ("update",), ("verify",), ("list",), ("remove", "a")):
            outcome = run(*arguments, cwd=workspace)
            assert (outcome.code, outcome.err.startswith("error: skillbag.lock:1: ")) == (2, True)
        assert checks(run, workspace).code in (0, 1)


@pytest.mark.parametrize("command", [("diff", "a"), ("outdated",), ("install", "--frozen"), ("install",)])
def test_a_bad_address_in_the_lock_is_reported_with_its_skill(
    run: Run, workspace: Path, command: tuple[str, ...]
) -> None:
    assert call(run, workspace, "install")[0] == 0
    lock = (workspace / "skillbag.lock").read_text()
    write(workspace, {"skillbag.lock": lock.replace('"../one"', '"ext::sh"')})
    shutil.rmtree(workspace / ".skills/a")
    outcome = run(*command, cwd=workspace)
    assert (outcome.code, "skillbag.lock: a: " in outcome.err) == (2, True)
