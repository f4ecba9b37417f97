"""`skillbag runtime hook`: an agent waits for it at each call, so it loads no more than the event needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a skill that has no hooks."""
    write(tmp_path / "workspace", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(tmp_path / "workspace", "echo")
    return tmp_path / "workspace"


def answered(root: Path, *host: str) -> tuple[int, str, set[str]]:
    """The exit code, the answer to an event before a call, and the modules that were loaded."""
    event = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(root), "tool_name": "Bash"}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "skillbag", "runtime", "hook", *host],
        input=json.dumps({**event, "tool_input": {"command": "ls"}}),
        cwd=root,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_a_call_that_nobody_guards_loads_no_runtime(root: Path) -> None:
    code, answer, loaded = answered(root, "--host", "claude")
    assert (code, answer) == (0, "")
    assert "skillbag.agents.hosts.concerned" in loaded
    assert not {"click", "sqlite3", "inspect", "skillbag.runtime.sessions.runtime"} & loaded


def test_without_active_skills_nothing_of_the_runtime_is_loaded(root: Path) -> None:
    (root / ".skills/echo/SKILL.yaml").unlink()
    code, answer, loaded = answered(root, "--host", "claude")
    assert (code, answer) == (0, "")
    assert not [name for name in loaded if name.startswith(("skillbag.runtime", "click"))]


def test_click_answers_the_same(root: Path) -> None:
    code, answer, loaded = answered(root, "--host=claude")
    assert (code, answer) == (0, "")
    assert "click" in loaded


def test_an_unknown_host_is_wrong_usage(root: Path) -> None:
    code, _, loaded = answered(root, "--host", "nobody")
    assert code == 2
    assert "click" in loaded
