"""This process is killed at any moment of a session: no process is left, nothing is half done, and nothing is approved
that nobody approved."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.processes.talking import TalkingChild
from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.sessions.resumption import resumed
from tests.processes import all_processes, eventually, fields_of
from tests.runtime.broker.test_runtime_store_processes import die, forked
from tests.runtime.children import CHILD
from tests.runtime.sessions.test_runtime_model import WRITER
from tests.runtime.worlds_active import active, opened
from tests.sampling import NIGHTLY, sample_calls
from tests.supply.install.worlds import write

DEAF = """
import subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "1000"])
starts(tools=[])
request = read()
child.kill()
answer(request, {})
"""
"""A process with a child of its own, which reads nothing until it is asked to end."""

ANSWERED, SAVED = 1, 2
"""The steps that are reported: the user has answered, and the tool."""


@pytest.fixture
def make(tmp_path: Path) -> Callable[[int], Path]:
    """Make a workspace with a Starlark skill that asks for a permission, and a process."""

    def made(number: int) -> Path:
        root = tmp_path / str(number) / "workspace"
        write(root, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
        active(root, "writer", WRITER, permissions='["file:write"]')
        deaf = active(root, "deaf", implementation="{backend: process, entrypoint: child}")
        return with_child(deaf, DEAF)

    return made


def with_child(folder: Path, text: str) -> Path:
    """Give a skill its program; the workspace."""
    (folder / "child").write_text(CHILD % sys.executable + text)
    (folder / "child").chmod(0o755)
    return folder.parent.parent


def session(root: Path, report: int) -> None:
    """Two processes of a session."""

    def ask(_: object) -> ApprovalScope:
        os.write(report, b".")
        return ApprovalScope.ONCE

    with resumed(runtime := opened(root, session="s1", approved=frozenset(), ask=ask)):
        runtime.activate("deaf")
        runtime.activate("writer")
        runtime.call_tool("save", {"text": "one"})
        os.write(report, b".")
    with resumed(runtime := opened(root, session="s1", approved=frozenset())):
        runtime.call_tool("save", {"text": "two"})
        runtime.deactivate("writer")


def killed_at(number: int) -> None:
    """This process dies at the event of this number: a message to or from a child, a start of a process, a statement of
    the database, a file that is opened or renamed."""
    left = iter(range(number))

    def count(*_: object) -> None:
        if next(left, None) is None:
            die()

    def around(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*arguments: Any, **options: Any) -> Any:
            count()
            result = call(*arguments, **options)
            count()
            return result

        return counting

    connect = sqlite3.connect

    def tracing(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(count)
        return connection

    for owner, name in (
        (TalkingChild, "send"),
        (TalkingChild, "receive"),
        (subprocess.Popen, "__init__"),
        (os, "rename"),
        (os, "replace"),
        (os, "open"),
    ):
        setattr(owner, name, around(getattr(owner, name)))
    sqlite3.connect = tracing  # type: ignore[assignment]


def those_in(folder: Path) -> list[int]:
    """The processes that work in a folder."""
    found = []
    for process in all_processes():
        with suppress(OSError):
            if Path(os.readlink(f"/proc/{process}/cwd")).is_relative_to(folder) and fields_of(process):
                found.append(process)
    return found


def check(root: Path, step: int) -> None:
    """What must hold after the session has ended, in whatever way, after a step that was reported."""
    assert eventually(lambda: not those_in(root)), those_in(root)
    with resumed(runtime := opened(root, session="s1", approved=frozenset())):
        stored = [each.scope for each in runtime.approvals.list()]
        writing = any(each.found.name == "writer" for each in runtime.skills)
        assert stored.count("once") + writing <= (step >= ANSWERED)
        if not writing and not stored:
            with pytest.raises(QuestionsError):
                runtime.activate("writer")
        else:
            runtime.activate("writer")
            assert runtime.call_tool("save", {"text": "three"}).output == ("saved", False)
        assert (root / "out.txt").exists() or step < SAVED
        assert runtime.remarks == []
        for name in ("writer", "deaf"):
            runtime.deactivate(name)
    assert eventually(lambda: not those_in(root))


@pytest.mark.slow
def test_a_kill_at_any_event(make: Callable[[int], Path]) -> None:
    def tried(number: int) -> bool:
        def work(report: int) -> None:
            killed_at(number)
            session(root, report)

        root = make(number)
        was_killed, step = forked(work)
        check(root, step)
        return was_killed

    last = next(number for number in (1 << bit for bit in range(16)) if not tried(number))
    assert last > 64
    for number in sample_calls("kills of the runtime", range(last)):
        tried(number)


@pytest.mark.slow
def test_a_kill_at_any_time(make: Callable[[int], Path]) -> None:
    chance = random.Random(16)
    for number in range(60 if NIGHTLY else 6):
        root = make(number)

        def work(report: int, root: Path = root, limit: float = chance.uniform(0.02, 0.6)) -> None:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, limit)
            session(root, report)

        check(root, forked(work)[1])
