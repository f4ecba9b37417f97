"""Whatever lies where the cache should be, a check has the right result, says nothing of it, and remembers again."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.cache.store import evict, place_of
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.lint.cache.conftest import Kept
from tests.sampling import NIGHTLY
from tests.support import PROJECT
from tests.unprivileged import dropped


def hollow(path: Path) -> None:
    path.unlink()
    with open(path, "wb") as file:
        file.write(b"skillbag checks 5\n")
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
    path.write_bytes(path.read_bytes().replace(b"checks 5", b"checks 1", 1))


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
from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
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
def full_disk(place: Path) -> Iterator[None]:
    place.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=8k,mode=700", "none", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        with suppress(OSError), open(place / "full", "wb", buffering=0) as file:
            while file.write(bytes(1024)):
                pass
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_harmless(kept: Kept) -> None:
    with full_disk(kept.file.parent):
        done = plain(kept)
        assert (done.stdout, done.stderr) == ("same\n", "")
        assert os.listdir(kept.file.parent) == ["full"]
    assert kept.is_remembered()


PROCESSES = 8 if NIGHTLY else 4
BUSY = """
import os, random, sys
from pathlib import Path
from skillbag.lint.cache import entry
from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
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


@pytest.mark.slow
def test_many_processes_at_once_find_what_is_there_though_some_are_killed(
    kept: Kept, tmp_path_factory: pytest.TempPathFactory
) -> None:
    others = [shutil.copytree(kept.top, tmp_path_factory.mktemp("busy") / "own") for _ in range(PROCESSES)]
    command = [sys.executable, "-c", BUSY, str(kept.top)]
    busy = [subprocess.Popen([*command, str(own)], cwd=PROJECT, stdout=subprocess.PIPE, text=True) for own in others]
    generator = random.Random(3)
    for process in busy[: PROCESSES // 2]:
        time.sleep(generator.random())
        process.send_signal(signal.SIGKILL)
    outputs = [process.communicate()[0] for process in busy]
    assert outputs[PROCESSES // 2 :] == ["same\n"] * (PROCESSES // 2)
    assert kept.check() == kept.expected
    assert kept.is_remembered()
    for own in others:
        request = CheckRequest((str(own),))
        assert CachedChecker(request).check() == Checker(request).check()
    evict(str(kept.file.parent), time.time() + 3600)
    assert not [name for name in os.listdir(kept.file.parent) if not name.endswith(".checks")]
