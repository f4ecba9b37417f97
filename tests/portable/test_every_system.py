"""What works on every system, and what says that it needs another one; on POSIX also without what Windows lacks.

It needs pytest and the program alone, so it runs where the fixtures of the other tests can't:
`pytest --noconftest tests/portable`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.boundary

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
# On POSIX, all other tests run what works on this one.
SYSTEMS = [pytest.param("this one", marks=[pytest.mark.slow] if os.name == "posix" else [])]
SYSTEMS += [pytest.param("without POSIX")] if os.name == "posix" else []
ELSEWHERE = "needs Linux or macOS; on Windows, use skillbag within WSL"

HOMES = ("HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")

Call = Callable[..., str]


@pytest.fixture(params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("system")


@pytest.fixture
def call(folder: Path, system: str) -> Call:
    """Run the program in a folder of the workspace's parent; it must end with `code`, without a traceback."""
    home = folder / "home"
    home.mkdir()
    paths = [str(PROJECT)] if system == "this one" else [str(HERE / "without_posix"), str(PROJECT)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SKILLBAG", "PYTHON", "GIT_"))}
    environment = {
        **kept,
        **dict.fromkeys(HOMES, str(home)),
        "PYTHONPATH": os.pathsep.join(paths),
        # Without fcntl, filelock warns that it uses files; on Windows it has a way of its own.
        "PYTHONWARNINGS": "ignore",
        "PYTHONUTF8": "1",
    }

    def run(*words: str, at: str = "ws", code: int = 0) -> str:
        (folder / at).mkdir(exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "skillbag", *words],
            cwd=folder / at,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


DESCRIBED = ("--description", "Tidy folders. Use when files lie about.")


def test_a_workspace_is_made_checked_and_mended(call: Call, folder: Path) -> None:
    call("init")
    call("new", "tidy-folders", *DESCRIBED)
    assert "conforms to the checked clauses" in call("check", "--strict").replace("\n", " ")
    catalog = folder / "ws/.skills/SKILLS.md"
    text = catalog.read_text("utf-8")
    catalog.write_text("".join(sorted(text.splitlines(keepends=True), reverse=True)), "utf-8")
    assert "catalog" in call("check", "--config=cache=false", "--strict", code=1)
    call("check", "--fix", "--strict")
    assert catalog.read_bytes() == text.encode()


def test_a_skill_is_installed_from_a_folder_and_removed(call: Call, folder: Path) -> None:
    call("init", "--source", at="source")
    call("new", "tidy-folders", *DESCRIBED, at="source")
    call("init")
    assert "tidy-folders" in call("add", "tidy-folders", "--source", "../source")
    assert (folder / "ws/.skills/tidy-folders/SKILL.md").is_file()
    assert "tidy-folders" in call("list")
    call("verify")
    call("check", "--strict")
    call("remove", "tidy-folders")
    assert not (folder / "ws/.skills/tidy-folders").exists()


def test_a_session_is_entered_and_capabilities_are_listed(call: Call) -> None:
    call("init")
    call("new", "tidy-folders", *DESCRIBED)
    assert "tidy-folders" in call("enter", "--session", "s")
    assert "# Skill: tidy-folders" in call("run", "tidy_folders", "--session", "s")
    assert call("session", "refresh", "--session", "s") == "Nothing has changed.\n"
    assert "tidy-folders" in call("capabilities")
    assert "tidy-folders" in call("agent", "personal", "add", ".skills/tidy-folders")
    assert "tidy-folders" in call("agent", "personal", "list")


def test_what_needs_processes_says_so(call: Call, system: str) -> None:
    if system == "this one" and os.name == "posix":
        pytest.skip("they work here")
    call("init")
    call("new", "count-words", "--type", "tool", *DESCRIBED)
    assert ELSEWHERE in call("runtime", "list")
    assert ELSEWHERE in call("runtime", "call", "count_words", "{}", "--skill", "count-words", code=4)
    assert ELSEWHERE in call("runtime", "activate", "count-words", code=4)
    assert ELSEWHERE in call("team", "registry", "serve", ".", code=4)
    assert ELSEWHERE in call("agent", "plugin", "install", ".", code=4)
    assert f"its parser {ELSEWHERE}" in call("check")
