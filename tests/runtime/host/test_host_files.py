"""`read_file`, `list_dir`, `load_file` and `write_file`: where a path leads, and where it never does."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbag.runtime.errors import BadParametersError, NotFoundError, RuntimeFaultError
from skillbag.runtime.host import files
from tests.kernel.fs.races import raced
from tests.kernel.fs.test_confined import swap_folder
from tests.processes import descriptors
from tests.runtime.hosts import World, make_world, refusal
from tests.sampling import EXAMPLES
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="active skills run on POSIX systems")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_a_path_counts_from_the_skill_and_then_from_the_workspace(world: World) -> None:
    assert world.call("read_file", "data/own.txt") == "own"
    assert world.call("read_file", "src/a.py") == "a = 1\n"
    assert world.call("read_file", "both.txt") == world.call("load_file", "./both.txt") == "the skill's"
    root = world.call("project_root")
    assert world.call("read_file", f"{root}/both.txt") == "the workspace's"
    assert world.call("list_dir", ".") == ["SKILL.yaml", "both.txt", "data"]
    assert world.call("list_dir", root) == ["both.txt", "src"]
    assert world.call("list_dir", "src", details=True) == [{"name": "a.py", "is_dir": False, "size": 6}]


def test_without_a_workspace_there_is_the_skill_alone(tmp_path: Path) -> None:
    world = make_world(tmp_path, workspace=None)
    assert (world.call("project_root"), world.call("read_file", "both.txt")) == ("", "the skill's")
    assert "is not in the skill" in refusal(world, "read_file", "src/a.py")
    assert "there is none" in refusal(world, "write_file", "x", "")


def test_a_skill_s_own_file_is_its_own(world: World) -> None:
    with pytest.raises(NotFoundError):
        world.call("load_file", "src/a.py")
    with pytest.raises(BadParametersError):
        world.call("load_file", f"{world.work}/src/a.py")


OUT = ["../secret", "data/../../secret", "data/../both.txt", "..", "a/..", "/etc/passwd", "{top}/secret", ""]
OUT += ["{top}/work-b/secret", "{top}/work/../secret", "{top}/skill/../secret", "/", "{top}", "//etc/passwd"]


@pytest.mark.parametrize("path", OUT)
@pytest.mark.parametrize("function", ["read_file", "list_dir", "load_file", "write_file"])
def test_a_path_that_leads_out_is_refused(world: World, function: str, path: str) -> None:
    before = sorted(world.top.rglob("*"))
    with pytest.raises(BadParametersError):
        world.call(function, path.format(top=world.top), *(["x"] if function == "write_file" else []))
    assert sorted(world.top.rglob("*")) == before


@pytest.mark.parametrize("place", ["skill", "work"])
@pytest.mark.parametrize("target", ["secret", "work-b/secret", "work-b", "gone"])
def test_a_link_out_is_refused(world: World, place: str, target: str) -> None:
    (world.top / place / "link").symlink_to(world.top / target)
    (world.top / place / "out").symlink_to(world.top / "work-b")
    for path in ("link", "out/secret", "link/secret"):
        for function in ("read_file", "list_dir"):
            refusal(world, function, path)
    if place == "work":
        for path in ("link", "out/secret", "out/new", "link/new"):
            refusal(world, "write_file", path, "changed")
    assert (world.top / "secret").read_text() == (world.top / "work-b/secret").read_text() == "secret"
    assert sorted(entry.name for entry in (world.top / "work-b").iterdir()) == ["secret"]


def test_devices_pipes_and_folders_are_no_files(world: World) -> None:
    os.mkfifo(world.work / "pipe")
    (world.work / "null").symlink_to("/dev/null")
    assert "device" in refusal(world, "read_file", "pipe")
    assert "no regular file" in refusal(world, "write_file", "pipe", "x")
    assert "leads out" in refusal(world, "read_file", "null")
    assert "link" in refusal(world, "write_file", "null", "x")
    assert "is a folder" in refusal(world, "read_file", "src")
    assert "is a folder" in refusal(world, "write_file", "src", "x")
    assert "is not a folder" in refusal(world, "list_dir", "src/a.py")
    assert "neither" in refusal(world, "list_dir", "src/a.py/x")


@pytest.mark.parametrize("path", ["gone", "src/gone", "src/a.py/x", "SRC/a.py", "x" * 300, "\x1b[31m", "a\nb"])
def test_what_is_not_there_is_told_in_one_line(world: World, path: str) -> None:
    refusal(world, "read_file", path)
    refusal(world, "list_dir", path)


def test_only_text_of_a_bearable_size_is_read(world: World) -> None:
    write(world.work, {"binary": b"a\xff", "bom": b"\xef\xbb\xbfa\r\n\0"})
    with (world.work / "huge").open("wb") as file:
        file.truncate(1 << 40)
    assert "byte 1" in refusal(world, "read_file", "binary")
    assert "larger than 10 MiB" in refusal(world, "read_file", "huge")
    assert world.call("read_file", "bom") == "\ufeffa\r\n\0"


def test_a_folder_of_very_many_names_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ITEMS", 2)
    assert len(world.call("list_dir", str(world.work))) == 2
    assert "more than 2 entries" in refusal(world, "list_dir", str(world.skill))


def test_a_file_is_written_whole_and_keeps_its_permissions(world: World) -> None:
    world.call("write_file", "new/deep/file.txt", "äöü\r\n")
    assert (world.work / "new/deep/file.txt").read_bytes() == "äöü\r\n".encode()
    (world.work / "src/a.py").chmod(0o750)
    os.link(world.work / "src/a.py", world.top / "hard")
    world.call("write_file", f"{world.work}/src/a.py", "b")
    assert (world.work / "src/a.py").read_text() == "b"
    assert stat.S_IMODE((world.work / "src/a.py").stat().st_mode) == 0o750
    assert (world.top / "hard").read_text() == "a = 1\n", "another name of the file keeps the old one"
    world.call("write_file", "both.txt", "new")
    assert ((world.skill / "both.txt").read_text(), (world.work / "both.txt").read_text()) == ("the skill's", "new")
    assert not list(world.work.rglob(".skillbag*"))


@pytest.mark.parametrize(
    "path",
    [
        *("skillbag.lock", "SkillBag.LOCK", ".skills/s/SKILL.md", ".SKILLS/x", "sub/.skills/x", ".skillbag/journal"),
        *(".git/hooks/pre-commit", ".Git/config", "sub/.git/config", ".g\u200cit/config", "git~1/config", ".hg/hgrc"),
        *("./.git", ".//.git/config", ".git", ".git./config", ".skills /x", ".git::$INDEX_ALLOCATION/config"),
    ],
)
def test_installed_skills_and_version_control_are_never_written(world: World, path: str) -> None:
    assert "no skill writes there" in refusal(world, "write_file", path, "x")
    assert not any((world.work / name).exists() for name in (path, ".git", ".skills"))


def test_its_own_folder_is_not_written_where_it_lies_in_the_workspace(tmp_path: Path) -> None:
    write(tmp_path, {"work/skills/s/SKILL.yaml": ""})
    world = make_world(tmp_path, directory=str(tmp_path.resolve() / "work/skills/s"))
    for path in ("skills/s/x", "skills/S/x", "skills/s"):
        assert "own folder" in refusal(world, "write_file", path, "x")
    world.call("write_file", "skills/st/x", "x")


def test_a_text_that_is_too_long_is_not_written(world: World) -> None:
    with pytest.raises(BadParametersError, match="10 MiB"):
        world.call("write_file", "x", "x" * ((10 << 20) + 1))
    assert not (world.work / "x").exists()


@pytest.mark.parametrize("step", ["replace", "fsync"])
def test_a_failed_write_leaves_the_old_file_alone(world: World, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, full)
    assert "No space left" in refusal(world, "write_file", "src/a.py", "x")
    assert (world.work / "src/a.py").read_text() == "a = 1\n"
    assert os.listdir(world.work / "src") == ["a.py"]


def test_no_descriptor_is_left_open(world: World) -> None:
    (world.work / "link").symlink_to(world.top)
    before = descriptors()
    for path in ("both.txt", "src", "gone", "link/secret", "src/a.py/x", "new/x"):
        for function, more in (("read_file", ()), ("list_dir", ()), ("write_file", ("x",))):
            try:
                world.call(function, path, *more)
            except RuntimeFaultError:
                continue
    assert not descriptors() - before


def test_a_folder_swapped_for_a_link_never_lets_a_listing_out(world: World) -> None:
    write(world.top, {"evil/only-here": ""})
    swap = partial(swap_folder, "src", "evil", world.work, world.work / "made")

    def ask() -> str:
        try:
            return ",".join(world.call("list_dir", f"{world.work}/src"))
        except RuntimeFaultError:
            return "refused"

    assert set(raced(ask, swap, {"a.py", "refused"}, 10 * EXAMPLES)) == {"a.py", "refused"}


@pytest.mark.parametrize("replaced", ["src", "src/in"])
def test_a_folder_replaced_by_a_link_at_the_last_moment_is_not_written_through(
    world: World, replaced: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(world.top, {"evil/in/file": "evil", "work/src/in/file": "old"})
    opened, place = os.open, world.work / replaced

    def too_late(path: str, flags: int, *more: int, **keys: int) -> int:
        if path == place.name and keys and not place.is_symlink():
            place.rename(world.top / "away")
            place.symlink_to(world.top / "evil")
        return opened(path, flags, *more, **keys)

    monkeypatch.setattr(os, "open", too_late)
    assert "link" in refusal(world, "write_file", "src/in/file", "x")
    assert (world.top / "evil/in/file").read_text() == "evil"
    assert not (world.top / "evil/file").exists()


def test_who_reads_sees_the_old_file_or_the_new_one(world: World) -> None:
    texts, over = ("a" * 100_000, "b" * 200_000), threading.Event()
    world.call("write_file", "file", texts[0])

    def write_on() -> None:
        while not over.is_set():
            for text in texts:
                world.call("write_file", "file", text)

    thread = threading.Thread(target=write_on)
    thread.start()
    try:
        assert {world.call("read_file", "file") for _ in range(100)} <= set(texts)
    finally:
        over.set()
        thread.join()


NAMES = st.sampled_from([".", "..", "", "src", "link", "a.py", "both.txt", "secret", "work-b", "skill", "\u2024\u2024"])


@settings(max_examples=4 * EXAMPLES, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=6), st.booleans())
def test_no_path_reads_or_changes_the_secret(world_of_links: World, names: list[str], absolute: bool) -> None:
    world, path = world_of_links, "/".join(names)
    path = f"{world.work}/{path}" if absolute else path
    for function, more in (("read_file", ()), ("list_dir", ()), ("write_file", ("changed",))):
        try:
            result = world.call(function, path, *more)
        except RuntimeFaultError:
            continue
        assert result != "secret"
        assert "outside" not in (result or ())
    assert (world.top / "secret").read_text() == (world.top / "work-b/secret").read_text() == "secret"
    assert (world.skill / "both.txt").read_text() == "the skill's"


@pytest.fixture(scope="module")
def world_of_links(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = make_world(tmp_path_factory.mktemp("links"))
    write(world.top, {"outside": "", "work-b/outside": ""})
    (world.work / "link").symlink_to(world.top)
    (world.work / "src/link").symlink_to("../../work-b")
    return world
