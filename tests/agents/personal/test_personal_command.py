"""`skillbag agent personal`, as a person and as a program call it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.supply.install.worlds import call, make_workspace, skill_text, unchanged, write
from tests.support import Run
from tests.unprivileged import unprivileged

pytestmark = pytest.mark.boundary


@pytest.fixture
def root() -> Path:
    """The personal root that the variable names; it is not there yet."""
    return Path(os.environ["SKILLBAG_PERSONAL_DIR"])


def test_a_skill_is_added_listed_and_removed_without_any_workspace(
    run: Run, root: Path, source: Path, tmp_path: Path
) -> None:
    done = run("personal", "add", source, cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, 'Skill "tidy" installed to personal skills.\n', "")
    done = run("personal", "add", "work/tidy/", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, 'Skill "tidy" replaced in personal skills.\n', "")
    done = run("personal", "list", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"tidy  Tidy a folder. Use when files lie about.\n  {root / 'tidy'}\n"
    done = run("personal", "remove", "TIDY", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (
        0,
        (
            f'Skill "tidy" removed from personal skills.\n  kept: {root / ".skillbag/backup/tidy-1"}\n'
            "  bring it back: skillbag agent personal restore tidy\n"
        ),
        "",
    )
    done = run("personal", "list", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, f"There are no personal skills in {root}.\n", "")
    assert [path.name for path in root.iterdir()] == [".skillbag"]


def test_a_program_is_reported_all_of_it(run: Run, root: Path, source: Path, tmp_path: Path) -> None:
    code, values = call(run, tmp_path, "personal", "add", source)
    change = {
        "summary": 'Skill "tidy" installed to personal skills.',
        "skillName": "tidy",
        "status": "installed",
        "folder": str(root / "tidy"),
        "kept": [],
    }
    assert (code, values) == (
        0,
        {"version": 1, "command": "personal add", "exit": 0, "dry_run": False, "changes": [change]},
    )
    write(root, {"notes/a.md": "x", "more/skill.md": skill_text("more")})
    code, values = call(run, tmp_path, "personal", "list")
    assert code == 0
    assert values["root"] == str(root)
    assert values["skills"] == [
        {
            "name": name,
            "description": "Tidy a folder. Use when files lie about.",
            "folder": str(root / name),
            "file": file,
            "hidden": False,
        }
        for name, file in (("more", "skill.md"), ("tidy", "SKILL.md"))
    ]
    assert values["remarks"] == ["the personal folder notes holds no valid skill: there is no SKILL.md in it"]
    code, values = call(run, tmp_path, "personal", "remove", "tidy", "more")
    assert (code, [row["status"] for row in values["changes"]]) == (0, ["removed", "removed"])


def test_what_is_kept_is_named(run: Run, root: Path, source: Path, tmp_path: Path) -> None:
    run("personal", "add", source)
    write(root / "tidy", {".git/HEAD": "x"})
    kept = root / ".skillbag/backup/tidy-1"
    done = run("personal", "remove", "tidy")
    removed = f'Skill "tidy" removed from personal skills.\n  kept: {kept}\n'
    assert done.out == f"{removed}  bring it back: skillbag agent personal restore tidy\n"
    write(root, {"tidy/SKILL.md": "broken"})
    _, values = call(run, tmp_path, "personal", "add", source)
    assert values["changes"][0]["kept"] == [str(root / ".skillbag/backup/tidy-2")]


def test_what_was_done_stays_when_the_next_fails(run: Run, root: Path, source: Path, tmp_path: Path) -> None:
    done = run("personal", "add", source, "gone", cwd=tmp_path)
    assert (done.code, done.out) == (2, 'Skill "tidy" installed to personal skills.\n')
    assert done.err == "error: gone: there is no such folder; name the one that holds the skill's SKILL.md\n"
    code, values = call(run, tmp_path, "personal", "remove", "tidy", "tidy")
    assert (code, [row["status"] for row in values["changes"]]) == (2, ["removed"])
    assert values["error"] == 'there is no personal skill "tidy"; there are none at all'


def test_a_dry_run_says_what_would_be_done(run: Run, root: Path, source: Path, tmp_path: Path) -> None:
    with unchanged(tmp_path):
        done = run("personal", "add", source, "--dry-run")
        assert done.out == f'Skill "tidy" would be installed to personal skills: {root / "tidy"}\n'
    assert not root.exists()
    run("personal", "add", source)
    with unchanged(root):
        done = run("personal", "remove", "tidy", "--dry-run")
        assert done.out == f'Skill "tidy" would be removed from personal skills: {root / "tidy"}\n'
        _, values = call(run, tmp_path, "personal", "add", source, "--dry-run")
        assert (values["dry_run"], values["changes"][0]["status"]) == (True, "replaced")


def test_the_folder_can_be_named_for_one_command(run: Run, root: Path, source: Path, tmp_path: Path) -> None:
    run("personal", "add", source, "--personal", "mine", cwd=tmp_path)
    assert (tmp_path / "mine/tidy/SKILL.md").is_file()
    assert "tidy" in run("personal", "list", "--personal", tmp_path / "mine").out
    assert run("personal", "remove", "tidy", "--personal", "mine", cwd=tmp_path).code == 0
    assert not root.exists()


def test_without_a_root_it_is_said_how_to_have_one(
    run: Run, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBAG_PERSONAL_DIR", "")
    for arguments in (("add", source), ("remove", "tidy")):
        done = run("personal", *arguments)
        assert (done.code, done.out) == (2, "")
        assert "no personal root is configured: SKILLBAG_PERSONAL_DIR is set to nothing" in done.err
    assert run("personal", "list").out == "There are no personal skills.\n"
    assert run("personal", "root").out == "There is none: SKILLBAG_PERSONAL_DIR is set to nothing.\n"
    _, values = call(run, tmp_path, "personal", "root")
    assert (values["root"], values["from"]) == (None, "variable")


def test_the_root_is_shown_set_and_taken_back(
    run: Run, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reported() -> tuple[Any, Any]:
        _, values = call(run, tmp_path, "personal", "root")
        return values["root"], values["from"]

    variable = os.environ["SKILLBAG_PERSONAL_DIR"]
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert reported() == (variable, "variable")
    assert "SKILLBAG_PERSONAL_DIR overrides it" in run("personal", "root", tmp_path / "other").out
    assert reported() == (variable, "variable")
    monkeypatch.delenv("SKILLBAG_PERSONAL_DIR")
    assert reported() == (str(tmp_path / "other"), "settings")
    assert run("personal", "root").out == f"{tmp_path / 'other'}\n"
    done = run("personal", "root", "mine", cwd=tmp_path)
    assert (done.code, done.out) == (
        0,
        (
            f"Personal skills are in {tmp_path / 'mine'} from now on; those elsewhere stay there.\n"
            "note: this folder does not exist yet; skillbag agent personal add makes it.\n"
        ),
    )
    run("personal", "add", source)
    assert (tmp_path / "mine/tidy").is_dir()
    assert run("personal", "root", "--reset").code == 0
    assert reported() == (str(tmp_path / "home/.agents/skills"), "default")
    run("personal", "add", source)
    assert (tmp_path / "home/.agents/skills/tidy").is_dir()


def test_a_root_that_can_be_none_is_not_set(run: Run, source: Path, tmp_path: Path) -> None:
    for given, message in (
        ((source / "SKILL.md",), "this is not a folder"),
        (("",), "'' is not a folder"),
        (("a", "--reset"), "give a folder, or --reset: not both"),
        (("a\nb",), "is no absolute path of a folder"),
    ):
        done = run("personal", "root", *given)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
    assert not Path(os.environ["SKILLBAG_CONFIG_DIR"]).exists()


def test_broken_settings_are_reported_with_their_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKILLBAG_PERSONAL_DIR")
    folder = Path(os.environ["SKILLBAG_CONFIG_DIR"])
    write(folder, {"settings.json": '{\n"personal": 3}'})
    for arguments in (("list",), ("root",), ("root", "/a")):
        done = run("personal", *arguments)
        assert (done.code, done.out) == (2, "")
        assert f"{folder}/settings.json:2: `personal` must be an object" in done.err


# With a workspace around


def _workspace(folder: Path, catalog: str) -> Path:
    return write(make_workspace(folder), {".skills/SKILLS.md": catalog})


def test_a_project_skill_of_the_same_name_hides_one_going_by_the_catalog_alone(
    run: Run, source: Path, tmp_path: Path
) -> None:
    run("personal", "add", source)
    workspace = _workspace(tmp_path / "workspace", "tidy: Tidy.\nother: Other.\n")
    (workspace / "below").mkdir()
    done = run("personal", "list", cwd=workspace / "below")
    assert done.out.splitlines()[2:] == ["  hidden here: the project has a skill of that name"]
    _, values = call(run, workspace, "personal", "list")
    assert [skill["hidden"] for skill in values["skills"]] == [True]
    _, values = call(run, tmp_path, "personal", "list")
    assert [skill["hidden"] for skill in values["skills"]] == [False]


def test_a_catalog_that_can_not_be_read_hides_nothing_and_is_reported(run: Run, source: Path, tmp_path: Path) -> None:
    run("personal", "add", source)
    workspace = _workspace(tmp_path / "workspace", "")
    (workspace / ".skills/SKILLS.md").write_bytes(b"\xff")
    code, values = call(run, workspace, "personal", "list")
    assert (code, len(values["skills"])) == (0, 1)
    assert "it is unknown which of them the project's skills hide: .skills/SKILLS.md:1" in values["remarks"][0]


# What it is given


def test_nothing_of_a_file_reaches_the_terminal_raw(run: Run, root: Path, tmp_path: Path) -> None:
    text = '---\nname: tidy\ndescription: "Tidy \\e[2J \\u202e all."\n---\n'
    write(root, {"tidy/SKILL.md": text, "a\x1b[31m/SKILL.md": "x"})
    done = run("personal", "list")
    assert done.code == 0
    assert all(line.isprintable() for line in done.out.splitlines())
    assert r"\x1b[2J" in done.out


def test_a_slip_of_usage_is_json_where_that_is_asked_for(run: Run, tmp_path: Path) -> None:
    code, values = call(run, tmp_path, "personal", "add")
    assert code == 2
    assert "missing argument" in values["error"]


@pytest.mark.parametrize("command", ["", "add", "remove", "list", "root"])
def test_help_shows_examples(run: Run, command: str) -> None:
    done = run("personal", *([command] if command else []), "--help")
    assert done.code == 0
    assert re.search(r"Examples:\n +skillbag agent personal", done.out)


# The environment


def test_a_root_that_can_not_be_written_is_a_failure_of_the_environment(
    root: Path, source: Path, tmp_path: Path
) -> None:
    write(root, {"own/SKILL.md": skill_text("own")})
    root.chmod(0o555)
    try:
        with unchanged(root):
            for arguments in (("add", str(source)), ("remove", "own")):
                done = unprivileged(tmp_path, "personal", *arguments)
                assert (done.returncode, done.stdout) == (4, "")
                assert str(root) in done.stderr
                assert "Permission denied" in done.stderr
            assert unprivileged(tmp_path, "personal", "list").stdout.startswith("own  ")
    finally:
        root.chmod(0o755)


def test_a_file_that_can_not_be_read_is_named_and_nothing_is_added(root: Path, source: Path, tmp_path: Path) -> None:
    write(source, {"secret.md": "x"}).joinpath("secret.md").chmod(0)
    done = unprivileged(tmp_path, "personal", "add", str(source))
    assert (done.returncode, done.stdout) == (4, "")
    assert f"{source}/secret.md: Permission denied" in done.stderr
    assert not root.exists() or list(root.iterdir()) == []


def test_a_folder_that_is_gone_is_no_reason_to_fail(root: Path, source: Path, tmp_path: Path) -> None:
    write(root, {"own/SKILL.md": skill_text("own")})
    gone = tmp_path / "gone"
    script = f"import os, sys; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); from skillbag.doors.cli import main; "
    for arguments, code in ((["list"], 0), (["add", "tidy"], 2), (["add", "x", "--personal", "y"], 4)):
        gone.mkdir()
        call_ = f"sys.argv = ['skillbag', 'personal', *{arguments!r}]; main()"
        done = subprocess.run([sys.executable, "-c", script + call_], capture_output=True, text=True, cwd=Path.cwd())
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr


def test_the_command_imports_nothing_heavy_for_a_list(root: Path) -> None:
    write(root, {"own/SKILL.md": skill_text("own")})
    heavy = "{'jsonschema', 'rich', 'filelock', 'sqlite3', 'mcp', 'httpx2', 'subprocess'}"
    script = (
        "import sys, json; sys.argv = ['skillbag', 'personal', 'list']\n"
        "from skillbag.doors.cli import main\n"
        "try: main()\n"
        f"except SystemExit: print(json.dumps(sorted({heavy} & sys.modules.keys())))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=Path.cwd())
    assert json.loads(done.stdout.splitlines()[-1]) == []
