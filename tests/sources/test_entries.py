"""What a list of entries may hold. (For what it may not, see `hostile_sources`.)"""

from __future__ import annotations

import pytest

from skillbag.sources.entries import faults, is_taken
from skillbag.sources.entry import EntryKind, SourceEntry, kind_of


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
