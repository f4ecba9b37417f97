"""What lies beside the locked files of a skill: compiled modules, skipped folders, pipes, executable bits."""

from __future__ import annotations

import contextlib
import json
import os
import py_compile
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.agents.scripts.run import run_skill_script
from skillbag.kernel.base.user_dirs import compiled_folder
from tests.supply.install.outcomes import checks, lock_of, values_of
from tests.supply.install.verified import HELPER, SCRIPT, relock
from tests.supply.install.worlds import call, contents, make_source, skill_text
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


def planted(verified: Path, folder: str = "scripts/__pycache__") -> Path:
    """A compiled module that does something else than its source, which the interpreter would take for it."""
    source = verified / HELPER
    place = verified / ".skills/tidy" / folder / f"helper.{sys.implementation.cache_tag}.pyc"
    place.parent.mkdir(exist_ok=True)
    status = source.stat()
    evil = source.parent / "evil.py"
    evil.write_text("def greet():\n    print('EVIL!')\n")
    evil.write_text(evil.read_text().ljust(status.st_size))
    os.utime(evil, ns=(status.st_atime_ns, status.st_mtime_ns))
    py_compile.compile(str(evil), cfile=str(place))
    evil.unlink()
    data = bytearray(place.read_bytes())
    data[12:16] = status.st_size.to_bytes(4, "little")
    place.write_bytes(data)
    return place


def test_a_planted_compiled_module_is_reported_by_all_commands(run: Run, verified: Path) -> None:
    planted(verified)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run(
        [sys.executable, str(verified / SCRIPT)], env=clean, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "EVIL!\n"
    before = contents(verified)
    for command in (["verify"], ["verify", "--source"], ["install", "--frozen"]):
        code, values = call(run, verified, *command)
        (problem,) = values["problems"]
        assert (code, problem["kind"], problem["path"]) == (1, "drift", ".skills/tidy/scripts/__pycache__"), command
        assert "elete" in problem["fix"]
    assert contents(verified) == before
    outcome = run("check", "--strict", verified)
    assert outcome.code == 1
    assert "scripts/__pycache__" in outcome.out


def test_our_own_runs_neither_read_nor_write_compiled_modules_of_a_skill(run: Run, verified: Path) -> None:
    folder = str(verified / ".skills/tidy")
    assert run_skill_script(folder, "scripts/run.py") == "hello\n"
    assert not (verified / ".skills/tidy/scripts/__pycache__").exists()
    planted(verified)
    assert run_skill_script(folder, "scripts/run.py") == "hello\n"
    assert list(Path(compiled_folder()).rglob("helper.*.pyc"))
    assert run("cache", "prune").code == 0
    assert not Path(compiled_folder()).exists()


@pytest.mark.parametrize("place", ["node_modules/left-pad", ".venv/bin", ".git/hooks", ".skillbag/x"])
def test_every_folder_that_the_tree_hash_skips_is_named(run: Run, verified: Path, place: str) -> None:
    folder = verified / ".skills/tidy" / place
    folder.mkdir(parents=True)
    (folder / "index.js").write_text("run()\n")
    code, values = call(run, verified, "verify")
    assert (code, [problem["path"] for problem in values["problems"]]) == (1, [f".skills/tidy/{place.split('/')[0]}"])


def test_a_link_at_a_skipped_folder_s_path_is_reported(run: Run, tmp_path: Path, verified: Path) -> None:
    (verified / ".skills/tidy/scripts/__pycache__").mkdir()
    assert call(run, verified, "verify")[0] == 0
    (verified / ".skills/tidy/scripts/__pycache__").rmdir()
    (verified / ".skills/tidy/scripts/__pycache__").symlink_to(tmp_path)
    assert call(run, verified, "verify")[0] == 1


def test_what_a_file_manager_leaves_behind_is_named_and_fails_nothing(run: Run, verified: Path) -> None:
    (verified / ".skills/tidy/.DS_Store").write_bytes(b"\0")
    code, values = call(run, verified, "verify")
    assert (code, values["problems"]) == (0, [])
    assert any(".skills/tidy/.DS_Store" in note for note in values["notes"])
    assert call(run, verified, "install", "--frozen")[0] == 0


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize(
    ("name", "mode", "what"),
    [
        ("SKILL.md", 0o645, "is executable here"),
        ("SKILL.md", 0o654, "is executable here"),
        (SCRIPT, 0o4755, "setuid"),
        (SCRIPT, 0o2755, "setgid"),
    ],
)
def test_what_a_mode_gives_to_others_is_reported(run: Run, verified: Path, name: str, mode: int, what: str) -> None:
    path = verified / ".skills/tidy" / name.removeprefix(".skills/tidy/")
    path.chmod(mode)
    for command in (["verify"], ["verify", "--source"], ["install", "--frozen"]):
        code, values = call(run, verified, *command)
        assert (code, [what in problem["message"] for problem in values["problems"]]) == (1, [True]), command
    assert "installed-file-unverified" in run("check", verified).out
    subprocess.run(
        values["problems"][0]["fix"].removeprefix("Run ").removesuffix(".").split(), cwd=verified, check=True
    )
    assert call(run, verified, "verify")[0] == 0


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="another owner needs root")
@pytest.mark.parametrize("name", ["SKILL.md", "scripts", "."])
def test_an_entry_of_another_user_is_reported(run: Run, verified: Path, name: str) -> None:
    path = verified / ".skills/tidy" / name
    os.chown(path, 12345, -1)
    code, values = call(run, verified, "verify")
    assert (code, ["another user" in problem["message"] for problem in values["problems"]]) == (1, [True])
    assert "installed-file-unverified" in run("check", verified).out
    os.chown(path, 0, -1)
    assert call(run, verified, "verify")[0] == 0
    assert "installed-file-unverified" not in run("check", verified).out


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="another owner needs root")
def test_a_workspace_that_belongs_to_another_user_as_a_whole_is_that_user_s(run: Run, verified: Path) -> None:
    for path in (verified, *verified.rglob("*")):
        os.chown(path, 12345, -1)
    assert call(run, verified, "verify")[1]["problems"] == []


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_what_a_file_manager_leaves_behind_is_no_program(run: Run, verified: Path) -> None:
    for name in ("scripts/.DS_Store", "Thumbs.db", "desktop.ini"):
        path = verified / ".skills/tidy" / name
        path.write_text("#!/bin/sh\necho evil\n")
        path.chmod(0o755)
        for command in (["verify"], ["verify", "--source"], ["install", "--frozen"]):
            code, values = call(run, verified, *command)
            (problem,) = values["problems"]
            assert (code, problem["kind"], problem["path"]) == (1, "drift", f".skills/tidy/{name}"), command
        outcome = run("check", "--strict", verified)
        assert (outcome.code, "installed-file-unverified" in outcome.out, name in outcome.out) == (1, True, True)
        path.unlink()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_where_modes_mean_nothing_what_a_file_manager_leaves_behind_fails_nothing(run: Run, verified: Path) -> None:
    path = verified / ".skills/tidy/.DS_Store"
    path.write_bytes(b"\0")
    path.chmod(0o755)
    (verified / "skillbag.lock").chmod(0o755)
    assert call(run, verified, "verify")[0] == 0


def _socket(path: Path) -> None:
    # The name of a socket is short: so it is made under its name alone.
    with socket.socket(socket.AF_UNIX) as one, contextlib.chdir(path.parent):
        one.bind(path.name)


@pytest.mark.skipif(os.name != "posix", reason="pipes and sockets of POSIX")
@pytest.mark.parametrize("place", ["ff", "scripts/ff", ".DS_Store"])
@pytest.mark.parametrize("make", [os.mkfifo, _socket], ids=["pipe", "socket"])
def test_a_pipe_or_socket_is_drift(
    run: Run, verified: Path, tmp_path: Path, make: Callable[[Path], None], place: str
) -> None:
    other = make_source(tmp_path / "other", {"own": skill_text("own")})
    assert call(run, verified, "install", "own", "--source", str(other))[0] == 0
    (verified / ".skills/own/SKILL.md").write_text(skill_text("own", body="Changed."))
    path = verified / ".skills/tidy" / place
    make(path)
    for command in (["verify"], ["verify", "--source"], ["install", "--frozen"]):
        code, values = call(run, verified, *command)
        problems = {problem["path"]: problem for problem in values["problems"]}
        assert (code, sorted(problems)) == (1, [".skills/own", f".skills/tidy/{place}"]), command
        problem = problems[f".skills/tidy/{place}"]
        assert problem["kind"] == "drift"
        assert problem["message"].startswith(f"tidy: `{place}` is a pipe, socket or device")
        assert problem["fix"] == f"Delete .skills/tidy/{place}."
    assert {row["name"] for row in call(run, verified, "verify")[1]["skills"]} == {"own", "tidy"}
    outcome = run("check", "--strict", verified)
    shown = ("installed-file-unverified" in outcome.out, f".skills/tidy/{place}" in outcome.out)
    assert (outcome.code, *shown) == (1, True, True)
    assert call(run, verified, "list")[0] == 0
    path.unlink()
    assert [problem["path"] for problem in call(run, verified, "verify")[1]["problems"]] == [".skills/own"]


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_what_differs_beside_a_pipe_is_shown(run: Run, verified: Path) -> None:
    os.mkfifo(verified / ".skills/tidy/ff")
    (verified / HELPER).write_text("def greet():\n    print('evil')\n")
    assert "print('evil')" in run("diff", "tidy", cwd=verified).out
    relock(verified, tree="sha256:" + "0" * 64)
    values = values_of(run, verified, "verify", "--source", code=1)
    assert any("`scripts/helper.py` differs on the disk" in problem["message"] for problem in values["problems"])


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_pipe_in_the_place_of_a_skill_is_drift(run: Run, verified: Path) -> None:
    folder = verified / ".skills/tidy"
    shutil.rmtree(folder)
    os.mkfifo(folder)
    for command in (["verify"], ["install", "--frozen"]):
        code, values = call(run, verified, *command)
        assert (code, [problem["path"] for problem in values["problems"]]) == (1, [".skills/tidy"]), command


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_skill_with_a_pipe_is_not_taken_away(run: Run, verified: Path) -> None:
    os.mkfifo(verified / ".skills/tidy/ff")
    for command in (["remove", "tidy"], ["install", "--overwrite", "tidy"]):
        call(run, verified, *command)
        assert (verified / ".skills/tidy/ff").is_fifo(), command
        assert (verified / HELPER).exists(), command
        assert "tidy" in lock_of(verified), command


def test_files_of_the_user_s_own_skills_are_not_reported(run: Run, verified: Path) -> None:
    cache = verified / ".skills/mine/scripts/__pycache__"
    cache.mkdir(parents=True)
    (cache / "x.pyc").write_bytes(b"x")
    (verified / ".skills/mine/SKILL.md").write_text(skill_text("mine"))
    assert call(run, verified, "verify")[0] == 0
    assert "__pycache__" not in checks(run, verified).out


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_file_that_was_made_executable_is_named(run: Run, verified: Path) -> None:
    assert lock_of(verified)["tidy"]["executable"] == ["scripts/run.py"]
    path = verified / HELPER
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    for command in (["verify"], ["verify", "--source"], ["install", "--frozen"]):
        code, values = call(run, verified, *command)
        (problem,) = values["problems"]
        assert (code, problem["path"]) == (1, HELPER), command
        assert "chmod" in problem["fix"]
    assert run("check", "--strict", verified).code == 1


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_lost_executable_bit_is_noted_and_fails_nothing(run: Run, verified: Path) -> None:
    # A checkout on a system without modes, committed there, has lost it: that can't run anything.
    (verified / SCRIPT).chmod(0o644)
    code, values = call(run, verified, "verify")
    assert (code, values["problems"]) == (0, [])
    assert any(SCRIPT in note for note in values["notes"])


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_an_older_lock_knows_nothing_of_modes_and_its_source_does(run: Run, verified: Path) -> None:
    path = verified / "skillbag.lock"
    lock = json.loads(path.read_text())
    for key in ("executable", "ref"):
        lock["skills"]["tidy"].pop(key, None)
    path.write_text(json.dumps(lock, indent=2) + "\n")
    before = path.read_bytes()
    (verified / HELPER).chmod(0o755)
    assert call(run, verified, "verify")[0] == 0
    assert call(run, verified, "install")[1]["changed"] == []
    assert path.read_bytes() == before
    assert call(run, verified, "verify", "--source")[0] == 1
    (verified / HELPER).chmod(0o644)
    (verified / SCRIPT).chmod(0o644)
    assert call(run, verified, "verify", "--source")[0] == 0
    planted(verified)
    assert len(call(run, verified, "verify", "--source")[1]["problems"]) == 1


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_lock_that_allows_more_than_its_source_is_reported(run: Run, verified: Path) -> None:
    (verified / HELPER).chmod(0o755)
    relock(verified, executable=["scripts/helper.py", "scripts/run.py"])
    assert call(run, verified, "verify")[0] == 0
    assert call(run, verified, "verify", "--source")[0] == 1


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_where_modes_mean_nothing_none_is_held_against_a_skill(run: Run, verified: Path) -> None:
    # Some file systems show every file as executable.
    for path in verified.rglob("*"):
        if path.is_file():
            path.chmod(0o755)
    assert call(run, verified, "verify")[0] == 0
    assert call(run, verified, "verify", "--source")[0] == 0
