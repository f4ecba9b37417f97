"""Power may fail as well: what a journal speaks of is durable before the journal, and so at every step."""

from __future__ import annotations

import errno
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from skillbag.doors.cli import main
from skillbag.kernel.fs import durable
from tests.kernel.transaction.runner import trace_calls
from tests.kernel.transaction.snapshots import unchanged
from tests.kernel.transaction.workspaces import change, make_source, make_workspace
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="paths of open files are read from /proc")


def traced(base: Path, few: int = 32) -> list[tuple[str, str]]:
    """The calls of the change, in order: function, and path within `.skillbag/transaction` or within the workspace."""
    root, source = make_workspace(base / "workspace"), make_source(base / "source")

    def work() -> None:
        os.environ["SKILLBAG_STATE_DIR"] = str(base / "state")
        durable._FEW = few
        change(root, source)

    pairs = (line.partition(" ")[::2] for line in trace_calls(work))
    stage = f"{root}/.skillbag/transaction/"
    return [(call, path.removeprefix(stage).removeprefix(f"{root}/").replace(str(root), ".")) for call, path in pairs]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """The calls of the change."""
    return traced(tmp_path_factory.mktemp("traced"))


def test_what_is_staged_is_durable_before_the_journal_names_it(calls: list[tuple[str, str]]) -> None:
    named = calls.index(("rename", "journal.json"))
    staged = {path for call, path in calls[:named] if call in ("open", "mkdir") and path.startswith(("new", "journal"))}
    assert len(staged) > 15
    for path in staged:
        last = max(at for at, call in enumerate(calls[:named]) if call[1] == path and call[0] != "fsync")
        assert ("fsync", path) in calls[last:named], path


def test_many_files_are_synced_at_once_and_as_soon(tmp_path: Path) -> None:
    calls = traced(tmp_path, few=0)
    named = calls.index(("rename", "journal.json"))
    at = [call for call, _ in calls].index("syncfs")
    assert not {call for call, path in calls[at:named] if path.startswith("new")}
    assert [call for call in calls[at:named] if call[1] == "journal.tmp"][-1] == ("fsync", "journal.tmp")


@pytest.mark.parametrize("few", [32, 0])
def test_a_file_system_without_sync(root: Path, source: Path, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    def refused(_descriptor: int) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", refused)
    monkeypatch.setattr(durable, "_FEW", few)
    change(root, source)


def test_a_python_without_ctypes(root: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, fsync = [], os.fsync

    def counted(descriptor: int) -> None:
        synced.append(descriptor)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", counted)
    monkeypatch.setattr(durable, "_FEW", 0)
    monkeypatch.setitem(sys.modules, "ctypes", None)
    change(root, source)
    assert len(synced) > 20


@pytest.mark.parametrize(("code", "fails"), [("EIO", True), ("ENOSPC", True), ("ENOSYS", False), ("EPERM", False)])
def test_a_refused_sync_of_the_file_system(
    root: Path, source: Path, monkeypatch: pytest.MonkeyPatch, code: str, fails: bool
) -> None:
    """Where it is unknown or forbidden, the files are synced one by one; where the disk fails, nothing is changed."""
    answer = getattr(errno, code)
    library = SimpleNamespace(syncfs=lambda _descriptor: -1)
    monkeypatch.setitem(sys.modules, "ctypes", SimpleNamespace(CDLL=lambda *_, **__: library, get_errno=lambda: answer))
    monkeypatch.setattr(durable, "_FEW", 0)
    if fails:
        with unchanged(root), pytest.raises(OSError, match=re.escape(os.strerror(answer))):
            change(root, source)
    else:
        change(root, source)


def test_each_phase_is_durable_before_the_next(calls: list[tuple[str, str]]) -> None:
    begun, ended = calls.index(("rename", "journal.json")), calls.index(("rename", "cleanup.json"))
    renames = [at for at in range(begun + 1, ended) if calls[at][0] == "rename"]
    assert len(renames) == 11
    first, last = calls[begun : renames[0]], calls[renames[-1] + 1 : ended]
    assert {path for _, path in first} == {"journal.json", ".skillbag/transaction", ".skillbag", "."}
    assert {path for _, path in last} == {"new", "old", ".skills", "."}


def test_backups_are_durable_before_the_journal_goes(calls: list[tuple[str, str]]) -> None:
    kept = calls.index(("rename", ".skillbag/backup/replaced-1"))
    assert ("fsync", ".skillbag/backup") in calls[kept : calls.index(("unlink", "cleanup.json"))]


def test_the_folders_of_a_fixed_file_are_durable(tmp_path: Path) -> None:
    text = "---\nname: tidy\ndescription: Do it. #run/always\n---\n\nRead it.\n"
    file = write(tmp_path, {"skills/tidy/SKILL.md": text}) / "skills/tidy/SKILL.md"

    def work() -> None:
        sys.argv = ["skillbag", "check", "--fix", "--config=cache=false", "--output", os.devnull, str(tmp_path)]
        with suppress(SystemExit):
            main()

    calls = [line.partition(" ")[::2] for line in trace_calls(work)]
    last = max(at for at, call in enumerate(calls) if call == ("rename", str(file)))
    synced = {path for call, path in calls[last:] if call == "fsync"}
    assert {str(folder) for folder in (*file.parents[:2], tmp_path)} <= synced
