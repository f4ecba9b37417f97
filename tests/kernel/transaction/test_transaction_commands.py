"""Every command that opens a workspace brings an interrupted change to an end first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kernel.transaction.pending import journal, leave, of_text, state, step
from tests.kernel.transaction.runner import KILLED, World
from tests.kernel.transaction.snapshots import kept, snapshot
from tests.kernel.transaction.workspaces import CONTEXT, make_workspace
from tests.support import PROJECT, Run, Tree, skill

DONE = "an interrupted change was completed"


def begun(root: Path, name: str = "added") -> None:
    """A change of which nothing is in place yet, but the journal: a skill and its catalog line."""
    write = root.parent / "one"
    write.mkdir(exist_ok=True)
    (write / "SKILL.md").write_text(skill(name))
    catalog = (root / ".skills/SKILLS.md").read_text()
    line = f"{name}: Tidy a folder. Use when files lie about.\n"
    text = journal(
        step(f".skills/{name}", None, state(write)),
        step(".skills/SKILLS.md", of_text(catalog), of_text(line + catalog)),
    )
    leave(root, text, staged={"new/0000/SKILL.md": skill(name), "new/0001": line + catalog})


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "--fix"),
        ("check", "--format=diff"),
        ("check", ".skills/added"),
        ("check", ".skills/added/SKILL.md", ".skills/SKILLS.md"),
        ("check", "--config=target=workspace"),
        ("check", "--output=baseline=base.json"),
        ("init",),
        ("init", "--dry-run"),
        ("new", "more"),
        ("new", "more", "--path", ".skills"),
    ],
)
def test_the_change_is_completed_first(root: Path, run: Run, arguments: tuple[str, ...]) -> None:
    begun(root)
    done = run(*arguments, cwd=root)
    assert (done.code, done.err.splitlines()[0]) == (0, f"note: {root}: {DONE}")
    assert (root / ".skills/added/SKILL.md").read_text() == skill("added")
    assert (root / ".skills/SKILLS.md").read_text().startswith("added: ")
    assert kept(root) == []
    assert DONE not in run(*arguments[:1], *arguments[2:] if arguments[0] == "new" else (), cwd=root).err


def test_standard_input_for_a_file_that_is_not_there_yet(root: Path, run: Run) -> None:
    begun(root)
    text = skill("added").encode()
    done = run("check", "-", ".skills/added/SKILL.md", cwd=root, stdin=text)
    assert (done.code, done.err) == (0, f"note: {root}: {DONE}\n")


def test_workspaces_below_the_folder_that_is_checked(root: Path, run: Run) -> None:
    begun(root)
    other = make_workspace(root.parent / "other")
    begun(other, "more")
    done = run("check", "--format=json", cwd=root.parent)
    assert sorted(done.err.splitlines()) == [f"note: {path}: {DONE}" for path in sorted((str(other), str(root)))]
    # Four and the one that was begun in each, and the one beside them.
    assert json.loads(done.out)["summary"]["skills"] == 11


def test_a_workspace_above_the_repository_is_not_recovered(root: Path, run: Run) -> None:
    begun(root)
    inner = make_workspace(root / "src/inner")
    (inner / ".git").mkdir()
    assert run("check", cwd=inner).err == ""
    assert not (root / ".skills/added").exists()
    assert run("check", f"--config=root={root / 'src'}", cwd=root / "src/inner").err == ""
    assert not (root / ".skills/added").exists()


def test_control_characters_of_kept_names_are_masked(root: Path, run: Run) -> None:
    name = "x\x1b[31m"
    (root / ".skills" / name).mkdir()
    (root / ".skills" / name / "SKILL.md").write_text("Mine.\n")
    leave(root, journal(step(f".skills/{name}", "sha256:" + "0" * 64)))
    done = run("check", cwd=root)
    assert "\x1b" not in done.err
    assert "kept: .skillbag/backup/x" in done.err


@pytest.mark.parametrize("arguments", [("check",), ("check", "--fix"), ("init",), ("new", "more")])
def test_what_can_not_be_recovered_is_exit_code_4(root: Path, run: Run, arguments: tuple[str, ...]) -> None:
    leave(root, journal(step("../outside", "sha256:" + "0" * 64)))
    before = snapshot(root)
    done = run(*arguments, cwd=root)
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith(f"error: {root}/.skillbag/transaction: the journal of an interrupted change can't be")
    assert "if it came with a clone or a download, delete the folder" in done.err
    assert snapshot(root) == before


@pytest.mark.parametrize("backup", [False, True])
def test_without_a_change_only_one_folder_is_listed(tree: Tree, backup: bool) -> None:
    files = {"SKILLBAG.md": "SkillBag v0.3.0\n"} | ({".skillbag/backup/a-1/SKILL.md": "x"} if backup else {})
    root = tree(files)
    script = (
        "import os, sys\n"
        "from skillbag.kernel.transaction.recovery import recover\n"
        "seen = []\n"
        "sys.addaudithook(lambda event, args: seen.append((event, *args)))\n"
        "assert recover(sys.argv[1]) is False\n"
        "assert seen == [('os.listdir', sys.argv[1] + '/.skillbag')], seen\n"
        "from skillbag.doors.cli import main\n"
        "sys.argv = ['skillbag', 'check', sys.argv[1], '--select=standard-version-mismatch']\n"
        "try: main()\n"
        "except SystemExit as end: assert end.code == 0\n"
        "heavy = {'filelock', 'platformdirs', 'ctypes', 'hashlib', 'tempfile', 'subprocess'} & sys.modules.keys()\n"
        "ours = sorted(name for name in sys.modules if name.startswith('skillbag.kernel.transaction.'))\n"
        "light = ['skillbag.kernel.transaction.locations', 'skillbag.kernel.transaction.recovery']\n"
        "assert (heavy, ours) == (set(), light), (heavy, ours)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(root)], cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("point", "state"),
    [
        # Staged in part or but for the journal; nothing, half or all of the journal done; cleaned up in part.
        ("write new/0004", "old"),
        ("rename transaction/journal.json", "old"),
        ("rename .skills/added", "new"),
        ("rename workspace/skillbag.lock", "new"),
        ("rename transaction/cleanup.json", "new"),
        ("fsync .skillbag/backup", "new"),
        ("rmdir .skillbag/transaction", "new"),
    ],
)
def test_a_check_after_the_process_was_killed(tmp_path: Path, run: Run, point: str, state: str) -> None:
    world = World(tmp_path)
    world.fresh()
    assert world.stop_at(point) == KILLED
    check = run("check", world.root)
    assert (check.code, "Traceback" in check.err) == (0, False)
    assert world.outcome() == state


def test_root_files_that_were_displaced_are_back_before_the_workspace_is_looked_for(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "bare"
    root.mkdir()
    (root / "SKILLBAG.md").write_text("SkillBag v0.3.0\n")
    entry = state(root / "SKILLBAG.md")
    stage = leave(root, journal(step("SKILLBAG.md", entry, of_text(CONTEXT))), "rollback", {"new/0000": CONTEXT})
    os.rename(root / "SKILLBAG.md", stage / "old/0000")
    done = run("check", "--select=standard-version-mismatch", cwd=root)
    assert (done.code, done.err) == (0, f"note: {root}: an interrupted change was rolled back\n")
