"""A lock that cannot be trusted, and what is not in the lock: always reported."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.install.declared import need
from tests.install.outcomes import checks, lock_of, values_of
from tests.install.worlds import call, contents, make_source, make_workspace, skill_text, unchanged, write
from tests.support import Run

MERGE = '{\n<<<<<<< HEAD\n  "version": 1,\n=======\n  "version": 1,\n>>>>>>> other\n  "skills": {}\n}\n'


@pytest.fixture
def workspace(run: Run, tmp_path: Path) -> Path:
    """A workspace with one installed skill."""
    source = make_source(tmp_path / "source", ["tidy"])
    folder = make_workspace(tmp_path / "work", [need("tidy", str(source), "latest")])
    assert call(run, folder, "install")[0] == 0
    assert checks(run, folder).code == 0
    return folder


def test_a_lock_with_both_sides_of_a_merge_fails_the_check(run: Run, workspace: Path) -> None:
    (workspace / "skillbag.lock").write_text(MERGE)
    outcome = checks(run, workspace)
    assert outcome.code == 1
    assert "both sides of a merge" in outcome.out
    assert "2:1 error lock-unreadable" in outcome.out


def test_a_lock_that_is_no_file_fails_the_check_and_stops_nothing_for_ever(run: Run, workspace: Path) -> None:
    (workspace / "skillbag.lock").unlink()
    os.mkfifo(workspace / "skillbag.lock")
    assert checks(run, workspace).code == 1
    for command in (["verify"], ["install", "--frozen"], ["install"], ["list"], ["outdated"], ["update"]):
        code, values = call(run, workspace, *command)
        assert code == 2, command
        assert "skillbag.lock" in values["problems"][0]["message"]


@pytest.mark.parametrize("kind", ["folder", "dangling", "binary", "empty", "version"])
def test_every_lock_that_no_command_can_use_fails_the_check(run: Run, workspace: Path, kind: str) -> None:
    path = workspace / "skillbag.lock"
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "dangling":
        path.symlink_to("gone")
    else:
        path.write_bytes({"binary": b"\xff\0", "empty": b"", "version": b'{"version": 2, "skills": {}}'}[kind])
    assert checks(run, workspace).code == 1


def test_a_frozen_install_writes_nothing_for_what_is_not_locked_and_names_it(run: Run, workspace: Path) -> None:
    write(workspace / ".skills/evil", {"SKILL.md": skill_text("evil")})
    write(workspace / ".skills/node_modules/helper", {"index.js": "run()\n"})
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "--frozen")
        assert (code, values["changed"]) == (0, [])
    assert "evil" not in (workspace / ".skills/SKILLS.md").read_text()
    (note,) = values["notes"]
    assert ".skills/evil" in note
    assert ".skills/node_modules" in note
    code, values = call(run, workspace, "verify")
    assert (code, values["notes"]) == (0, [note])


def test_a_frozen_install_lists_what_it_brings_and_nothing_else(run: Run, workspace: Path) -> None:
    import shutil

    complete = contents(workspace)
    shutil.rmtree(workspace / ".skills/tidy")
    (workspace / ".skills/SKILLS.md").write_text("own: Do as I like.\n")
    write(workspace / ".skills/own", {"SKILL.md": skill_text("own").replace("Tidy a folder.", "Do as I like.")})
    write(workspace / ".skills/evil", {"SKILL.md": skill_text("evil")})
    values = values_of(run, workspace, "install", "--frozen", code=0)
    assert "`.skills/evil`, `.skills/own`" in values["notes"][0]
    lines = (workspace / ".skills/SKILLS.md").read_text().splitlines()
    assert [line.partition(":")[0] for line in lines] == ["own", "tidy"]
    # A clone without the folder gets all that the lock knows.
    shutil.rmtree(workspace / ".skills")
    assert call(run, workspace, "install", "--frozen")[0] == 0
    assert contents(workspace) == complete


def test_the_lock_itself_is_not_touched_by_a_frozen_install(run: Run, workspace: Path) -> None:
    path = workspace / "skillbag.lock"
    path.write_text(json.dumps({"skills": lock_of(workspace), "version": 1}))
    with unchanged(workspace):
        assert call(run, workspace, "install", "--frozen")[0] == 0
