"""Archives that are refused, and odd ones that are not."""

from __future__ import annotations

import contextlib
import os
import shutil
import struct
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillbag.sources import archive
from skillbag.sources.fetched import InvalidSourceError
from tests.sources.archives import names, posix, unpacked
from tests.sources.test_hostile import snapshot
from tests.sources.zips import STORED, Packed, extra, link, pack, sound


@posix
def test_links_within_a_skill_are_kept(tmp_path: Path) -> None:
    links = [link(".skills/a/b/c", "../SKILL.md"), link(".skills/a/d", "./b/../b/c"), link(".skills/e", "a")]
    to = unpacked(pack(sound(*links)), tmp_path)
    assert os.readlink(to / ".skills/a/b/c") == "../SKILL.md"
    assert (to / ".skills/a/d").read_bytes() == (to / ".skills/a/SKILL.md").read_bytes()
    assert os.readlink(to / ".skills/e") == "a"


@posix
def test_what_looks_odd_and_is_not(tmp_path: Path) -> None:
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


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
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
    told = {fault.partition("': ")[0].strip("'") for fault in refused.value.faults}
    assert told == {"../x", "/y", ".skills/a/nul", "z", ".skills/a/e"}
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
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(entries=st.lists(ENTRY, max_size=6), whole=st.booleans())
def test_whatever_the_names_nothing_is_written_outside(
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
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_whatever_is_changed_in_an_archive_no_other_error_comes(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = bytearray(pack(sound(link(".skills/a/x", "SKILL.md"), Packed(".skills/a/y", b"y" * 99)), comment=b"x"))
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=3)):
        whole[at] = data.draw(st.sampled_from([0, 1, 8, 0x50, 0x7F, 0xFF]) | st.integers(0, 255))
    cage = tmp_path_factory.mktemp("cage")
    with contextlib.suppress(InvalidSourceError):
        unpacked(bytes(whole), cage)
    assert {path.name for path in cage.iterdir()} <= {"x.zip", "to"}
    shutil.rmtree(cage)
