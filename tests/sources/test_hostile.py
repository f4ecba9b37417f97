"""What is hostile is refused, each with a sentence of its own, and nothing is written anywhere else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from skillbag.sources import archive, entries, folder
from skillbag.sources.entries import faults, is_taken
from skillbag.sources.entry import EntryKind, SourceEntry, kind_of
from skillbag.sources.fetched import InvalidSourceError
from tests.sources.hostile_archives import ARCHIVES
from tests.sources.hostile_sources import FOLDERS, LISTS
from tests.support import skill


def snapshot(root: Path, without: Path) -> dict[str, tuple[int, int, bytes]]:
    """Mode, time and content of all there is, except below one folder."""
    found = {}
    for path in sorted(root.rglob("*")):
        if without not in (path, *path.parents):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) and status.st_size < 1 << 20 else b""
            found[str(path)] = (status.st_mode, status.st_mtime_ns, content)
    return found


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_hostile_archive_is_refused_for_what_it_is(name: str, tmp_path: Path) -> None:
    hostile, to = ARCHIVES[name], tmp_path / "cage" / "private" / "to"
    to.mkdir(parents=True)
    (tmp_path / "x.zip").write_bytes(hostile.data)
    before = snapshot(tmp_path, without=to)
    with pytest.raises(InvalidSourceError) as refused:
        archive.unpack(str(tmp_path / "x.zip"), str(to))
    assert refused.value.faults == (hostile.fault,)
    assert snapshot(tmp_path, without=to) == before
    assert not any(path.is_symlink() for path in to.rglob("*"))


@pytest.mark.parametrize("name", LISTS)
def test_a_hostile_list_of_entries_is_refused_for_what_it_is(name: str) -> None:
    assert entries.faults(LISTS[name].entries) == [LISTS[name].fault]


@pytest.mark.skipif(os.name != "posix", reason="links, pipes and sockets are made as on Unix")
@pytest.mark.parametrize("name", FOLDERS)
def test_a_hostile_folder_is_refused_for_what_it_is(name: str, tmp_path: Path) -> None:
    root = tmp_path / "source"
    for path, text in {"AGENTS.md": "# SKILLBAG\n", ".skills/a/SKILL.md": skill("a")}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret\n")
    (tmp_path / "outside" / "link").symlink_to("/etc")
    folder.check(str(root))
    FOLDERS[name].spoil(root)
    before = snapshot(tmp_path, without=tmp_path / "none")
    with pytest.raises(InvalidSourceError) as refused:
        folder.check(str(root))
    assert refused.value.faults == (FOLDERS[name].fault,)
    assert snapshot(tmp_path, without=tmp_path / "none") == before


def test_there_are_many_ways_to_be_hostile() -> None:
    faults = [case.fault for table in (ARCHIVES, LISTS, FOLDERS) for case in table.values()]
    assert len(faults) >= 100
    # Without the name in front of it, for which no two cases would be the same.
    assert len({fault.rpartition("': ")[2] for fault in faults}) >= 60


def test_a_submodule_that_is_not_installed_is_no_fault() -> None:
    assert faults([SourceEntry("vendor/x", EntryKind.SUBMODULE, 0, False)]) == []


def test_faults_come_in_the_order_of_names() -> None:
    entries = [SourceEntry(path, EntryKind.FILE, 0, False) for path in ("z/../x", ".skills/b/nul", "a/../x")]
    assert [fault.partition(":")[0] for fault in faults(entries)] == ["'.skills/b/nul'", "'a/../x'", "'z/../x'"]


@pytest.mark.parametrize("path", ["AGENTS.md", ".skills", ".skills/a/b", "LICENSE", "licence.txt", "LICENSE-MIT"])
def test_what_is_taken(path: str) -> None:
    assert is_taken(path)


@pytest.mark.parametrize(
    "path", ["README.md", ".skillsx", "docs/AGENTS.md", "agents.md", "LICENSES", "LICENSES/MIT", "a/LICENSE"]
)
def test_what_is_not_taken(path: str) -> None:
    assert not is_taken(path)


def test_kinds_by_the_modes_of_unix_and_git() -> None:
    modes = (0o100644, 0o120000, 0o040000, 0o160000, 0o020600, 0o010600)
    kinds = ["file", "symbolic link", "folder", "git submodule", "device", "named pipe"]
    assert [kind_of(mode) for mode in modes] == kinds
