"""Hostile sources are refused, each with a sentence of its own, and nothing is written elsewhere."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.supply.sources import archive, entries, folder
from skillbag.supply.sources.entries import faults, is_taken
from skillbag.supply.sources.entry import MAX_PATH, EntryKind, SourceEntry, kind_of
from skillbag.supply.sources.fetched import InvalidSourceError
from tests.rows import each_row
from tests.supply.sources.archives import names, posix, unpacked
from tests.supply.sources.hostile_archives import ARCHIVES
from tests.supply.sources.hostile_sources import FOLDERS, LISTS, spoil
from tests.supply.sources.zips import STORED, Packed, extra, link, pack, sound
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


@each_row("name", ARCHIVES)
def test_a_hostile_archive_is_refused_for_what_it_is(name: str, tmp_path: Path) -> None:
    hostile, to = ARCHIVES[name], tmp_path / "cage" / "private" / "to"
    to.mkdir(parents=True)
    (tmp_path / "x.zip").write_bytes(hostile.make())
    before = snapshot(tmp_path, without=to)
    with pytest.raises(InvalidSourceError) as refused:
        archive.unpack(str(tmp_path / "x.zip"), str(to))
    assert refused.value.faults == (hostile.fault,)
    assert snapshot(tmp_path, without=to) == before
    assert not any(path.is_symlink() for path in to.rglob("*"))


@each_row("name", LISTS)
def test_a_hostile_list_of_entries_is_refused_for_what_it_is(name: str) -> None:
    assert entries.faults(LISTS[name].entries) == [LISTS[name].fault]


@posix
@each_row("name", FOLDERS)
def test_a_hostile_folder_is_refused_for_what_it_is(name: str, tmp_path: Path) -> None:
    root = tmp_path / "source"
    for path, text in {"AGENTS.md": "# SKILLBAG\n", ".skills/a/SKILL.md": skill("a")}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret\n")
    (tmp_path / "outside" / "link").symlink_to("/etc")
    folder.check(str(root))
    spoil(root, FOLDERS[name])
    before = snapshot(tmp_path, without=tmp_path / "none")
    with pytest.raises(InvalidSourceError) as refused:
        folder.check(str(root))
    assert refused.value.faults == (FOLDERS[name]["fault"],)
    assert snapshot(tmp_path, without=tmp_path / "none") == before


def test_a_submodule_that_is_not_installed_is_no_fault() -> None:
    assert faults([SourceEntry("vendor/x", EntryKind.SUBMODULE, 0, False)]) == []


def test_a_path_and_a_target_may_have_the_greatest_length() -> None:
    # A letter of two bytes counts twice.
    longest = ".skills/a/é" + "/".join(["x" * 100] * 10) + "/yz"
    assert len(longest.encode()) == MAX_PATH
    link = SourceEntry(".skills/a/x", EntryKind.LINK, 0, False, longest)
    assert faults([link, SourceEntry(longest, EntryKind.FILE, 0, False)]) == []


def test_faults_come_in_the_order_of_names() -> None:
    entries = [SourceEntry(path, EntryKind.FILE, 0, False) for path in ("z/../x", ".skills/b/nul", "a/../x")]
    assert [fault.partition(":")[0] for fault in faults(entries)] == ["'.skills/b/nul'", "'a/../x'", "'z/../x'"]


@each_row("path", ["AGENTS.md", ".skills", ".skills/a/b", "LICENSE", "licence.txt", "LICENSE-MIT"])
def test_what_is_taken(path: str) -> None:
    assert is_taken(path)


@each_row("path", ["README.md", ".skillsx", "docs/AGENTS.md", "agents.md", "LICENSES", "LICENSES/MIT", "a/LICENSE"])
def test_what_is_not_taken(path: str) -> None:
    assert not is_taken(path)


def test_kinds_by_the_modes_of_unix_and_git() -> None:
    modes = (0o100644, 0o120000, 0o040000, 0o160000, 0o020600, 0o010600)
    kinds = ["file", "symbolic link", "folder", "git submodule", "device", "named pipe"]
    assert [kind_of(mode) for mode in modes] == kinds


@posix
def test_links_within_a_skill_are_kept(tmp_path: Path) -> None:
    links = [link(".skills/a/b/c", "../SKILL.md"), link(".skills/a/d", "./b/../b/c"), link(".skills/e", "a")]
    to = unpacked(pack(sound(*links)), tmp_path)
    assert os.readlink(to / ".skills/a/b/c") == "../SKILL.md"
    assert (to / ".skills/a/d").read_bytes() == (to / ".skills/a/SKILL.md").read_bytes()
    assert os.readlink(to / ".skills/e") == "a"


@posix
def test_odd_archives_that_are_accepted(tmp_path: Path) -> None:
    a = ".skills/a"
    fields = (
        extra(0x756E, struct.pack("<LHLHH", 0, 0o100644, 0, 0, 0)) + extra(0x0D, bytes(12)) + extra(0x756E, b"short")
    )
    odd = [
        Packed(f"{a}/zeros", bytes(900_000)),
        Packed(f"{a}/shared/", mode=0o042775),
        Packed(f"{a}/fields", b"x", extra=fields),
        Packed(f"{a}/unused", b"x", local_extra=extra(1, bytes(16))),
        link("docs/up", "../AGENTS.md"),
        link(f"{a}/shared/up", ".."),
    ]
    to = unpacked(pack([Packed("docs/docs/x"), *sound(*odd)]), tmp_path)
    assert {f"{a}/zeros", f"{a}/fields", f"{a}/unused", f"{a}/shared/up"} < names(to)


def test_a_top_folder_with_a_folder_of_its_own_name(tmp_path: Path) -> None:
    folders = [Packed(name, mode=0o040755) for name in ("a/", "a/a/", "a/.skills/empty/")]
    to = unpacked(pack([*folders, Packed("a/AGENTS.md"), Packed("a/a/x")]), tmp_path)
    assert [path.name for path in to.rglob("*")] == ["AGENTS.md"]


def test_what_is_not_installed_need_not_be_portable(tmp_path: Path) -> None:
    beside = [Packed(name, b"x") for name in ("docs/what?.md", ".git/config", "src/aux.c", "x.", "vendor/git~1")]
    assert names(unpacked(pack(sound(*beside)), tmp_path)) == {"AGENTS.md", ".skills/a/SKILL.md"}


def test_all_faults_of_an_archive_are_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "damaged").mkdir()
    bad = [
        Packed("../x"),
        Packed("/y"),
        Packed(".skills/a/nul"),
        Packed("z", mode=0o010644),
        Packed(".skills/a/e", flags=1),
    ]
    with pytest.raises(InvalidSourceError) as refused:
        unpacked(pack(sound(*bad)), tmp_path)
    refused_names = {fault.partition("': ")[0].strip("'") for fault in refused.value.faults}
    assert refused_names == {"../x", "/y", ".skills/a/nul", "z", ".skills/a/e"}
    with pytest.raises(InvalidSourceError) as refused:
        unpacked(pack(sound(*(Packed(f".skills/a/{n}", b"x", checksum=1) for n in range(3)))), tmp_path / "damaged")
    assert len(refused.value.faults) == 3


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "to/.skills").mkdir(parents=True)
    (tmp_path / "to/AGENTS.md").write_text("mine\n")
    for first in ("AGENTS.md", ".skills/a/SKILL.md"):
        with pytest.raises(FileExistsError):
            unpacked(pack([Packed(first, b"x")]), tmp_path)
    assert (tmp_path / "to/AGENTS.md").read_text() == "mine\n"


def test_an_archive_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        archive.unpack(str(tmp_path / "x.zip"), str(tmp_path / "to"))


SEGMENT = st.one_of(
    st.sampled_from([".skills", "a", "A", "..", ".", "", "AGENTS.md", "x.md", ".git", "nul", "é", "e\u0301"]),
    st.text(st.characters(codec="utf-8"), max_size=4),
)


NAME = st.lists(SEGMENT, max_size=5).map("/".join)


ENTRY = st.builds(
    lambda name, mode, target: Packed(name, target.encode() if mode >> 12 == 0o12 else b"x", mode, STORED),
    NAME,
    st.sampled_from([0, 0o100644, 0o100755, 0o120777, 0o040755, 0o020644]),
    NAME,
)


@posix
@given(entries=st.lists(ENTRY, max_size=6), whole=st.booleans())
def test_no_name_leads_out_of_the_folder(
    entries: list[Packed], whole: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cage = tmp_path_factory.mktemp("cage")
    to = cage / "b/to"
    to.mkdir(parents=True)
    (cage / "x.zip").write_bytes(pack(_sound_with(entries) if whole else entries))
    before = snapshot(cage, without=to)
    with contextlib.suppress(InvalidSourceError):
        archive.unpack(str(cage / "x.zip"), str(to))
    assert snapshot(cage, without=to) == before
    for path in to.rglob("*"):
        assert path.resolve().is_relative_to(to.resolve()), path
    shutil.rmtree(cage)


def _sound_with(entries: Iterable[Packed]) -> Iterable[Packed]:
    return sound(*(Packed(f".skills/a/{one.name!s}", one.data, one.mode, one.method) for one in entries))


@posix
@given(data=st.data())
def test_a_changed_archive_raises_no_other_error(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    whole = bytearray(pack(sound(link(".skills/a/x", "SKILL.md"), Packed(".skills/a/y", b"y" * 99)), comment=b"x"))
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=3)):
        whole[at] = data.draw(st.sampled_from([0, 1, 8, 0x50, 0x7F, 0xFF]) | st.integers(0, 255))
    cage = tmp_path_factory.mktemp("cage")
    with contextlib.suppress(InvalidSourceError):
        unpacked(bytes(whole), cage)
    assert {path.name for path in cage.iterdir()} <= {"x.zip", "to"}
    shutil.rmtree(cage)
