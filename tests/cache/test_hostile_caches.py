"""Whatever lies where the cache should be, a check has the right result, says nothing of it, and remembers again."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from skillbag.cache import entry
from skillbag.cache.checker import CachedChecker
from skillbag.cache.entry import CacheEntry
from skillbag.cache.eviction import evict, place_of
from skillbag.cache.store import Snapshot, read_snapshot, write_snapshot
from skillbag.cache.table import EntryTable
from skillbag.engine.checker import Checker
from skillbag.engine.request import CheckRequest
from skillbag.fs.read import traced
from skillbag.model.result import Result
from tests.cache.edited_worlds import tick
from tests.support import PROJECT, Tree, skill
from tests.unprivileged import dropped

SUPPRESSED = '<!-- skillbag: ignore[link-broken] reason="it comes" until=2999-01-01 -->\n[gone](gone.md)\n'


LAST = 23
"""Bytes of the last line: two numbers of eleven places, and the line's end."""


class Kept:
    """A workspace with findings, what a check finds there, and the file in which that is remembered."""

    def __init__(self, top: Path) -> None:
        # With few rules the file is small.
        self.request = CheckRequest(
            (str(top),), select=("links", "suppressions", "standard-version-mismatch", "name-folder-mismatch")
        )
        self.top = top
        self.file = Path(place_of(self.request))
        self.expected = Checker(self.request).check()
        self.rest = tick(top)

    def check(self) -> Result:
        time.sleep(self.rest)
        return CachedChecker(self.request).check()

    def is_remembered(self) -> bool:
        with traced() as accesses:
            assert self.check() == self.expected
        return not accesses

    def rewrite(self, change: Callable[[dict[str, Any], dict[str, bytes]], object]) -> None:
        """Change facts and columns, with checksums as they should be."""
        magic, rest = self.file.read_bytes().split(b"\n", 1)
        rest, line = rest[:-LAST], rest[-LAST:]
        size = int(line[: LAST // 2])
        told, at, columns = json.loads(rest[-size:]), 0, {}
        for name, length, _ in told["columns"]:
            columns[name], at = rest[at : at + length], at + length
        change(told, columns)
        told["columns"] = [[name, len(part), zlib.crc32(part)] for name, part in columns.items()]
        tail = json.dumps(told, separators=(",", ":")).encode()
        last = b"%11d%11d\n" % (len(tail), zlib.crc32(tail))
        self.file.write_bytes(magic + b"\n" + b"".join(columns.values()) + tail + last)


@pytest.fixture
def kept(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """A check that is remembered."""
    monkeypatch.setattr(entry, "SETTLED", 0)
    top = tree(
        {
            "SKILLBAG.md": "SkillBag v9.0.0\n",
            ".skills/SKILLS.md": "- one - Tidy a folder. Use when files lie about.\n",
            ".skills/one/SKILL.md": skill("one") + SUPPRESSED,
            ".skills/two/SKILL.md": skill("another") + "[gone](gone.md)\n",
        }
    )
    kept = Kept(top)
    assert kept.check() == kept.expected
    assert kept.is_remembered()
    return kept


def is_same(one: Snapshot, other: Snapshot) -> bool:
    return one.facts == other.facts and [*one.entries] == [*other.entries]


def test_no_flipped_bit_and_no_cut_goes_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "small.checks"
    questions = ["n/top\0k/top/.skills", "n/top/.skills/one\0c/top/.skills/one/SKILL.md", "c/top/CONTEXT.md"]
    known = [CacheEntry(text, bytes(24) * (text.count("\0") + 1), b"12", 1, b"[]", b"[1]") for text in questions]
    write_snapshot(str(path), {"x": 1}, EntryTable.of(known))
    data, sound = path.read_bytes(), read_snapshot(str(path))
    assert sound is not None
    assert [*sound.entries] == known
    for at in range(len(data)):
        path.write_bytes(data[:at])
        assert read_snapshot(str(path)) is None, f"cut at {at}"
        for bit in {0, at % 8}:
            path.write_bytes(data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :])
            # White space may be another one.
            other = read_snapshot(str(path))
            assert other is None or is_same(other, sound), f"bit {bit} flipped at {at}"
    path.write_bytes(data + b"\n")
    assert read_snapshot(str(path)) is None


def test_a_damaged_cache_is_none(kept: Kept) -> None:
    data = kept.file.read_bytes()
    for number in range(40):
        drawn = random.Random(number)
        at = drawn.randrange(len(data))
        damaged = bytearray(data)
        damaged[at] ^= 1 << drawn.randrange(8)
        kept.file.write_bytes(drawn.choice((bytes(damaged), data[:at], drawn.randbytes(at), data[at:], data * 2)))
        assert kept.check() == kept.expected
        assert kept.is_remembered()


def hollow(path: Path) -> None:
    path.unlink()
    with open(path, "wb") as file:
        file.write(b"skillbag checks 3\n")
        file.truncate(1 << 40)


def elsewhere(path: Path) -> None:
    os.rename(path, path.parent.parent / "moved")
    path.symlink_to(path.parent.parent / "moved")


def beside(path: Path) -> None:
    os.rename(path, path.parent / "moved")
    path.symlink_to("moved")


def itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def plug(path: Path) -> None:
    path.unlink()
    here = os.getcwd()
    os.chdir(path.parent)
    socket.socket(socket.AF_UNIX).bind(path.name)
    os.chdir(here)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").touch()


def version(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"checks 3", b"checks 1", 1))


def foreign(path: Path) -> None:
    if os.geteuid():
        pytest.skip("files are given to others by root alone")
    os.chown(path, 12345, 12345)


def another(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(path.name.encode(), b"0" * 32 + b".checks"))


IN_PLACE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "random": lambda path: path.write_bytes(random.Random(1).randbytes(4096)),
    "huge": hollow,
    "another version": version,
    "another request": another,
    "a link elsewhere": elsewhere,
    "a link beside": beside,
    "a link to itself": itself,
    "a pipe": pipe,
    "a socket": plug,
    "a folder": folder,
    "of somebody else": foreign,
    "written by the group": lambda path: path.chmod(0o660),
    "written by all": lambda path: path.chmod(0o666),
    "without permission": lambda path: path.chmod(0),
}


@pytest.mark.parametrize("what", IN_PLACE)
def test_what_lies_in_its_place_is_harmless(what: str, kept: Kept, capfd: pytest.CaptureFixture[str]) -> None:
    IN_PLACE[what](kept.file)
    assert kept.check() == kept.expected
    assert capfd.readouterr() == ("", "")
    # A folder may hold what is somebody's own: it stays, and nothing is remembered.
    assert kept.is_remembered() != (what == "a folder")
    assert what == "a folder" or kept.file.stat().st_mode & 0o777 in (0o600, 0)


def test_a_file_of_ours_with_the_name_of_another_request_is_not_taken(kept: Kept) -> None:
    other = kept.request._replace(select=("suppressions",))
    expected = Checker(other).check()
    assert expected != kept.expected
    shutil.copy(kept.file, place_of(other))
    assert CachedChecker(other).check() == expected


def spoil_folder(folder: Path, what: str) -> None:
    if what == "a file":
        shutil.rmtree(folder)
        folder.write_text("x")
    elif what == "a dangling link":
        shutil.rmtree(folder)
        folder.symlink_to("nowhere/else")
    elif what == "open to all":
        folder.chmod(0o777)
    else:
        foreign(folder)


@pytest.mark.parametrize("what", ["a file", "a dangling link", "open to all", "of somebody else"])
def test_a_folder_that_is_not_as_it_should_be_is_harmless(
    what: str, kept: Kept, capfd: pytest.CaptureFixture[str]
) -> None:
    spoil_folder(kept.file.parent, what)
    assert kept.check() == kept.expected
    assert kept.check() == kept.expected
    assert capfd.readouterr() == ("", "")


PLAIN = """
import sys
from skillbag.cache.checker import CachedChecker
from skillbag.engine.checker import Checker
from skillbag.engine.request import CheckRequest
request = CheckRequest((sys.argv[1],))
expected = Checker(request).check()
for _ in range(2):
    assert CachedChecker(request).check() == expected
print("same")
"""


@pytest.mark.parametrize(("mode", "file"), [(0o500, 0o600), (0o000, 0o600), (0o700, 0o000), (0o700, 0o400)])
def test_a_folder_that_cannot_be_written_is_harmless(mode: int, file: int, kept: Kept, tmp_path: Path) -> None:
    kept.file.chmod(file)
    kept.file.parent.chmod(mode)
    done = plain(kept, dropped(tmp_path))
    kept.file.parent.chmod(0o700)
    assert (done.stdout, done.stderr) == ("same\n", "")


def plain(kept: Kept, drop: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*drop, sys.executable, "-c", PLAIN, str(kept.top)]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)


@contextmanager
def small_disk(place: Path) -> Iterator[None]:
    place.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=8k,mode=700", "none", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_harmless(kept: Kept) -> None:
    with small_disk(kept.file.parent):
        # With all rules, the file is larger than this disk.
        done = plain(kept)
        assert (done.stdout, done.stderr) == ("same\n", "")
        assert not os.listdir(kept.file.parent)
    assert kept.is_remembered()


Told = dict[str, Any]
Columns = dict[str, bytes]


def without_column(name: str, told: Told, columns: Columns) -> None:
    del columns[name]


def with_head(values: Told, told: Told, columns: Columns) -> None:
    told.update(values)


def with_facts(values: Told, told: Told, columns: Columns) -> None:
    told["facts"].update(values)


def with_findings(value: object, told: Told, columns: Columns) -> None:
    told["facts"]["result"].update(findings=value, of=value)


def columns_of(name: str, change: Callable[[bytes], bytes]) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    def work(told: dict[str, Any], columns: dict[str, bytes]) -> None:
        columns[name] = change(columns[name])

    return work


COLUMNS = ("questions", "stamps", "digests", "files", "verdicts", "summaries")
CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "none": lambda data: b"",
    "half": lambda data: data[: len(data) // 16 * 8],
    "odd": lambda data: data[:-1],
    "twice": lambda data: data * 2,
    "more lines": lambda data: data + b"\n\n",
    "more parts": lambda data: data + b"\0c/x",
    "longer": lambda data: data + bytes(24),
    "zeros": lambda data: bytes(len(data)),
    "words": lambda data: b"x" * len(data),
}


# Another number of files is one as good as the right one.
@pytest.mark.parametrize(
    ("name", "how"), sorted({*product(COLUMNS, CHANGES)} - {("files", "zeros"), ("files", "words")})
)
def test_columns_that_do_not_fit_together_are_none(name: str, how: str, kept: Kept) -> None:
    kept.rewrite(columns_of(name, CHANGES[how]))
    with open(kept.top / ".skills/two/SKILL.md", "a", encoding="utf-8") as file:
        file.write("[gone too](gone-too.md)\n")
    kept.expected = Checker(kept.request).check()
    if how == "words" and name in ("questions", "verdicts", "summaries"):
        # Lines of the right number that are no JSON, of skills that were edited and of others.
        (kept.top / ".skills/one/SKILL.md").touch()
    assert kept.check() == kept.expected
    assert kept.is_remembered()


def test_no_column_may_be_missing(kept: Kept) -> None:
    for name in COLUMNS:
        kept.rewrite(partial(without_column, name))
        assert kept.check() == kept.expected
        assert kept.is_remembered()


ODD: tuple[Any, ...] = (None, 5, "x", [], {}, [[]], [None], {"x": 1}, -1, True)


@pytest.mark.parametrize("key", ["targets", "skills", "rules", "inventories", "result", "day"])
def test_facts_of_another_shape_are_none(key: str, kept: Kept) -> None:
    for edited in (False, True):
        for value in ODD:
            kept.rewrite(partial(with_facts, {key: value}))
            if edited:
                (kept.top / ".skills/one/notes.md").write_text(f"{value}")
                kept.expected = Checker(kept.request).check()
            assert kept.check() == kept.expected
            assert kept.is_remembered()


def test_a_head_of_another_shape_is_none(kept: Kept) -> None:
    for value in (*ODD, "[" * 5000):
        kept.rewrite(partial(with_head, {"facts": value}))
        assert kept.check() == kept.expected
    for value in (5, {"x": 1}):
        kept.rewrite(partial(with_findings, value))
        assert kept.check() == kept.expected
    assert kept.is_remembered()


BUSY = """
import os, random, sys
from pathlib import Path
from skillbag.cache import entry
from skillbag.cache.checker import CachedChecker
from skillbag.engine.checker import Checker
from skillbag.engine.request import CheckRequest
entry.SETTLED = 2_000_000_000 if len(sys.argv) > 3 else 10_000_000
shared, own = CheckRequest((sys.argv[1],)), Path(sys.argv[2])
expected = Checker(shared).check()
drawn = random.Random(sys.argv[2])
for number in range(25):
    skill = own / ".skills" / drawn.choice(("one", "two")) / "SKILL.md"
    skill.write_text(skill.read_text("utf-8") + drawn.choice(("[x](x.md)\\n", "word\\n")), "utf-8")
    request = CheckRequest((str(own),))
    assert CachedChecker(request).check() == Checker(request).check()
    assert CachedChecker(shared).check() == expected
    os.utime(Path(sys.argv[1]) / "SKILLBAG.md")
print("same")
"""


def test_many_processes_at_once_find_what_is_there_though_some_are_killed(
    kept: Kept, tmp_path_factory: pytest.TempPathFactory
) -> None:
    others = [shutil.copytree(kept.top, tmp_path_factory.mktemp("busy") / "own") for _ in range(8)]
    command = [sys.executable, "-c", BUSY, str(kept.top)]
    busy = [subprocess.Popen([*command, str(own)], cwd=PROJECT, stdout=subprocess.PIPE, text=True) for own in others]
    drawn = random.Random(3)
    for process in busy[:4]:
        time.sleep(drawn.random())
        process.send_signal(signal.SIGKILL)
    said = [process.communicate()[0] for process in busy]
    assert said[4:] == ["same\n"] * 4
    assert kept.check() == kept.expected
    assert kept.is_remembered()
    for own in others:
        request = CheckRequest((str(own),))
        assert CachedChecker(request).check() == Checker(request).check()
    evict(str(kept.file.parent), time.time() + 3600)
    assert not [name for name in os.listdir(kept.file.parent) if not name.endswith(".checks")]
