"""Records of the active skill that are damaged, unreadable or written by many."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.agents.permissions.active import (
    DamagedActiveSkillError,
    SkillInUse,
    activate,
    active_skill,
    clear_active_skill,
)
from skillbag.agents.permissions.allowed_tools import why_blocked
from skillbag.agents.settings.scope import Scope
from skillbag.kernel.base.errors import UserError
from skillbag.session.refresh.state import KEPT_DAYS, forget_old_sessions
from tests.agents.permissions.records import AA, BB, record_of, records_of
from tests.support import PROJECT
from tests.unprivileged import dropped


def _changed(**changes: object) -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def _without(key: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != key}))


def _linked(path: Path) -> None:
    path.rename(path.parent / "elsewhere")
    path.symlink_to("elsewhere")


def _linked_out(path: Path) -> None:
    path.rename(path.parents[3] / "elsewhere")
    path.symlink_to(path.parents[3] / "elsewhere")


def _folder_linked_out(path: Path) -> None:
    path.parent.rename(path.parents[3] / "elsewhere")
    path.parent.symlink_to(path.parents[3] / "elsewhere")


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def _folder(path: Path) -> None:
    path.unlink()
    (path / "within").mkdir(parents=True)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-2]),
    "no JSON": lambda path: path.write_bytes(b"\xff\x00"),
    "nested": lambda path: path.write_bytes(b"[" * 100_000),
    "list": lambda path: path.write_text("[]"),
    "null": lambda path: path.write_text("null"),
    "number": lambda path: path.write_text("1" * 10_000),
    "oversized": lambda path: path.write_text(path.read_text() + " " * (1 << 20)),
    "later version": _changed(version=3),
    "version true": _changed(version=True),
    "of another session": _changed(session="s2"),
    "of another workspace": _changed(root="/"),
    "of no workspace": _changed(root=None),
    "skills are no list": _changed(skills="aa"),
    "no skills": _changed(skills=[]),
    "skill is no text": _changed(skills=[[None, "Read", None]]),
    "tools are a list": _changed(skills=[["aa", ["Read"], None]]),
    "tools are false": _changed(skills=[["aa", False, None]]),
    "folder is a number": _changed(skills=[["aa", "Read", 1]]),
    "caller is damaged": _changed(skills=[["aa", "Read", None], ["bb"]]),
    "something more": _changed(more=1),
    "without skills": _without("skills"),
    "linked": _linked,
    "linked out": _linked_out,
    "folder linked out": _folder_linked_out,
    "dangling link": _dangling,
    "folder": _folder,
    "pipe": _pipe,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_record_blocks_all_but_our_own_tools(damage: Callable[[Path], object], scope: Scope) -> None:
    damage(record_of(scope))

    with pytest.raises(DamagedActiveSkillError):
        active_skill(scope)
    for tool in ("Read", "Write", "Bash", ""):
        message = why_blocked(scope, tool, {"command": "ls"})
        assert message
        assert message.startswith(f"Tool '{tool}' is not allowed: ")
    for tool in ("skill_bb", "enter", "skill_remove", "mcp__skillbag__refresh"):
        assert why_blocked(scope, tool, {}) is None


@pytest.mark.parametrize("damage", [one for name, one in DAMAGES.items() if name != "folder linked out"])
def test_a_damaged_record_goes_at_the_next_skill_and_at_the_next_start(
    damage: Callable[[Path], object], scope: Scope
) -> None:
    damage(record_of(scope))
    activate(scope, BB)
    assert active_skill(scope) == BB
    assert why_blocked(scope, "Write", {}) is None

    clear_active_skill(scope)
    damage(_record_again(scope))
    clear_active_skill(scope)
    assert active_skill(scope) is None


def _record_again(scope: Scope) -> Path:
    for path in records_of():
        path.unlink()
    return record_of(scope)


def test_a_folder_that_leads_out_of_the_state_folder_is_not_written_to(scope: Scope) -> None:
    record = record_of(scope)
    _folder_linked_out(record)
    before = record.read_bytes()

    with pytest.raises(OSError, match="SKILLBAG_STATE_DIR"):
        activate(scope, BB)
    assert record.read_bytes() == before


_WHY = """
import sys
from skillbag.agents.permissions.allowed_tools import why_blocked
from skillbag.agents.settings.scope import Scope
print(why_blocked(Scope(sys.argv[1], None, "s1"), "Read", {}) or "free")
"""


def test_a_record_that_may_not_be_read_blocks(scope: Scope, tmp_path: Path) -> None:
    record = record_of(scope)
    command = [*dropped(tmp_path), sys.executable, "-c", _WHY, str(scope.root)]

    def why() -> str:
        return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.strip()

    assert why() == "free"
    for path, mode in ((record, 0o600), (record.parent, 0o700)):
        path.chmod(0)
        assert why().startswith("Tool 'Read' is not allowed: ")
        path.chmod(mode)


def test_a_state_folder_that_is_named_wrongly_blocks(scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_STATE_DIR", "relative")

    with pytest.raises(UserError, match="SKILLBAG_STATE_DIR"):
        active_skill(scope)
    assert "SKILLBAG_STATE_DIR" in (why_blocked(scope, "Read", {}) or "")
    assert why_blocked(scope, "enter", {}) is None


def test_a_record_that_cannot_be_written_is_reported(
    scope: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "file"))

    with pytest.raises(OSError, match="set SKILLBAG_STATE_DIR to a folder"):
        activate(scope, AA)


_WRITER = """
import sys
from skillbag.agents.permissions.active import SkillInUse, activate
from skillbag.agents.settings.scope import Scope
name = sys.argv[2]
for number in range(25):
    activate(Scope(sys.argv[1], None, "s1"), SkillInUse(name, f"{name} " * (1 + 997 * number % 5000)))
"""


def test_of_many_writers_one_wins_whole_and_no_reader_sees_a_torn_record(scope: Scope) -> None:
    activate(scope, SkillInUse("w0", "w0 "))
    command = [sys.executable, "-c", _WRITER, str(scope.root)]
    writers = [subprocess.Popen([*command, f"w{number}"], cwd=PROJECT) for number in range(6)]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        found = active_skill(scope)
        assert found
        assert found.allowed_tools
        assert set(found.allowed_tools.split()) == {found.name}
        seen.add(found.name)
        time.sleep(0.001)

    assert [writer.wait() for writer in writers] == [0] * 6
    assert len(seen) > 1
    assert len(records_of()) == 1, "no temporary file is left"


def test_a_writer_that_is_killed_leaves_a_whole_record(scope: Scope) -> None:
    activate(scope, AA)
    for delay in (0.05, 0.1, 0.15, 0.2):
        writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(scope.root), "w1"], cwd=PROJECT)
        time.sleep(delay)
        writer.kill()
        writer.wait()
        found = active_skill(scope)
        assert found
        assert found == AA or set((found.allowed_tools or "").split()) == {"w1"}


def test_a_record_is_forgotten_with_the_sessions_of_its_age(scope: Scope) -> None:
    old, new = scope._replace(session="old"), scope._replace(root=None)
    activate(old, AA)
    (path,) = records_of()
    os.utime(path, (0, 0))
    activate(new, AA)

    forget_old_sessions(time.time())
    assert active_skill(old) is None
    assert active_skill(new) == AA
    forget_old_sessions(time.time() + (KEPT_DAYS + 1) * 24 * 3600)
    assert active_skill(new) is None


def test_reading_loads_none_of_the_slow_libraries(scope: Scope) -> None:
    activate(scope, SkillInUse("aa", "Bash(git:*) Read"))
    code = (
        "import sys, types; from skillbag.agents.permissions.allowed_tools import why_blocked\n"
        f"scope = types.SimpleNamespace(root={scope.root!r}, session='s1')\n"
        "assert why_blocked(scope, 'Bash', {'command': 'git status'}) is None\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    loaded = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)

    slow = {"jsonschema", "filelock", "rich", "pathspec", "yaml", "subprocess", "platformdirs", "click", "mcp"}
    assert slow & set(loaded.stdout.split()) == set()
