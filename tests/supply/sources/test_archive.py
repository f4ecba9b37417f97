"""Archives as people and hosts make them unpack to the same tree and to nothing else."""

from __future__ import annotations

import io
import shutil
import stat
import struct
import subprocess
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.sources import archive, zip_layout
from skillbag.supply.sources.fetched import InvalidSourceError
from tests.rows import each_row
from tests.supply.sources.archives import git, names, posix, unpacked
from tests.supply.sources.zips import Packed, extra, pack, sound
from tests.support import skill

RUN = "#!/bin/sh\necho done\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source with all that a skill may hold, and with things beside it."""
    root = tmp_path / "source"
    texts = {
        "AGENTS.md": "# SKILLBAG\n",
        "LICENSE": "MIT\n",
        "README.md": "read\n",
        "docs/a.md": "a\n",
        "LICENSES/MIT.txt": "MIT\n",
    }
    texts |= {".skills/a/SKILL.md": skill("a"), ".skills/a/scripts/run.sh": RUN, ".skills/a/é/ü.md": "é\n"}
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (root / ".skills/a/scripts/run.sh").chmod(0o755)
    (root / ".skills/a/link.md").symlink_to("é/ü.md")
    return root


def zip_program(root: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    """What the `zip` program writes to its standard output, as it runs in `root`."""
    if shutil.which("zip") is None:
        pytest.skip("the zip program is not installed")
    return subprocess.run(["zip", "-qr", *arguments], cwd=root, check=True, input=stdin, stdout=subprocess.PIPE).stdout


def check_same(to: Path, source: Path) -> None:
    """Assert that just what is installed came out, as it was."""
    assert names(to) == {"AGENTS.md", "LICENSE"} | {f".skills/{name}" for name in names(source / ".skills")}
    assert tree_hash(str(to / ".skills/a")) == tree_hash(str(source / ".skills/a"))
    assert (to / "AGENTS.md").read_bytes() == (source / "AGENTS.md").read_bytes()
    run, text = (to / ".skills/a" / name for name in ("scripts/run.sh", "SKILL.md"))
    assert run.stat().st_mode & stat.S_IXUSR
    assert not text.stat().st_mode & stat.S_IXUSR


@posix
@pytest.mark.parametrize(
    "options", [["--prefix="], ["--prefix=repository-1.0/"], ["-0"], ["--worktree-attributes"]], ids=" ".join
)
def test_an_archive_that_git_made(options: list[str], source: Path, tmp_path: Path) -> None:
    git(source, "init", "-q")
    git(source, "add", ".")
    git(source, "commit", "-qm", "All of it")
    # A low threshold makes git stream its files: their sizes then follow them.
    for threshold in ("512m", "8"):
        made = tmp_path / threshold
        made.mkdir()
        setting = ["-c", f"core.bigFileThreshold={threshold}"]
        git(source, *setting, "archive", "--format=zip", *options, "-o", str(made / "g"), "HEAD")
        check_same(unpacked((made / "g").read_bytes(), made), source)


@posix
@pytest.mark.parametrize("options", [[], ["-0"], ["-9"], ["-X"], ["-D"], ["-fz"]], ids=" ".join)
def test_an_archive_that_the_zip_program_made(options: list[str], source: Path, tmp_path: Path) -> None:
    for name, folder, what in (("inner", source, "."), ("outer", tmp_path, "source")):
        zip_program(folder, "-y", *options, str(tmp_path / f"{name}.zip"), what)
        archive.unpack(str(tmp_path / f"{name}.zip"), str(tmp_path / name))
        check_same(tmp_path / name, source)


@posix
def test_an_archive_that_the_zip_program_wrote_into_a_pipe(source: Path, tmp_path: Path) -> None:
    (source / ".skills/a/link.md").unlink()
    check_same(unpacked(zip_program(source, "-", "."), tmp_path), source)


@posix
def test_an_archive_with_a_comment_of_a_folder_with_a_repository(source: Path, tmp_path: Path) -> None:
    git(source, "init", "-q")
    zip_program(source, "-yz", str(tmp_path / "x.zip"), ".", stdin=b"a comment\n")
    archive.unpack(str(tmp_path / "x.zip"), str(tmp_path / "to"))
    check_same(tmp_path / "to", source)


class Pipe(io.RawIOBase):
    """A file that can only be written from front to back."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def close(self) -> None:
        self._file.close()


@pytest.mark.parametrize("streamed", [False, True])
def test_an_archive_that_python_made(streamed: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(Pipe(path) if streamed else path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.comment = b"PK is what it begins with"
        for name in ("AGENTS.md", ".skills/a/SKILL.md"):
            with packed.open(name, "w", force_zip64=True) as file:
                file.write(b"text\n" * 1000)
    archive.unpack(str(path), str(tmp_path / "to"))
    assert (tmp_path / "to/.skills/a/SKILL.md").read_bytes() == b"text\n" * 1000


def large_ended(*, full: bool) -> bytes:
    """A sound archive with a large end record; the small one says the same, or refers to the large one."""
    whole = pack(sound())
    at = whole.rindex(b"PK\5\6")
    *_, count, size, start, _ = struct.unpack("<4s4H2LH", whole[at:])
    large = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
    pointer = struct.pack("<4sLQL", b"PK\6\7", 0, at, 1)
    small = (0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF) if full else (count, count, size, start)
    return whole[:at] + large + pointer + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *small, 0)


@pytest.mark.parametrize("full", [False, True])
def test_an_archive_with_a_large_end_record(full: bool, tmp_path: Path) -> None:
    assert names(unpacked(large_ended(full=full), tmp_path)) == {"AGENTS.md", ".skills/a/SKILL.md"}


# From the end: sign, disks, counts, size and place in the large record; place and disks in what points to it.
@each_row("before_end", [98, 82, 78, 74, 66, 58, 50, 34, 26])
def test_each_field_of_a_large_end_record_is_checked(before_end: int, tmp_path: Path) -> None:
    data = bytearray(large_ended(full=False))
    data[-before_end] += 3
    with pytest.raises(InvalidSourceError) as refused:
        unpacked(bytes(data), tmp_path)
    assert refused.value.faults == ("the archive's two end records, small and large (zip64), do not agree",)


@each_row("offset", [4, 6, 8])
def test_parts_of_an_archive(offset: int, tmp_path: Path) -> None:
    data = bytearray(pack(sound()))
    data[len(data) - 22 + offset] += 1
    with pytest.raises(InvalidSourceError) as refused:
        unpacked(bytes(data), tmp_path)
    assert refused.value.faults == ("this is one part of an archive in several parts",)


def test_a_list_of_entries_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_layout, "MAX_DIRECTORY", 50)
    with pytest.raises(InvalidSourceError, match="the list of the archive's entries is larger than"):
        unpacked(pack(sound()), tmp_path)


def test_an_archive_made_on_windows(tmp_path: Path) -> None:
    entries = [Packed(name, b"x", attributes=0x20, system=0) for name in ("s/AGENTS.md", "s/.skills/a/SKILL.md")]
    folders = [Packed(name, attributes=0x10, system=0) for name in ("s/", "s/.skills/", "s/.skills/a/")]
    to = unpacked(pack([*folders, *entries]), tmp_path)
    assert names(to) == {"AGENTS.md", ".skills/a/SKILL.md"}
    assert not (to / "AGENTS.md").stat().st_mode & stat.S_IXUSR


def test_an_archive_made_on_macos(tmp_path: Path) -> None:
    # Names in UTF-8 that are not marked so, and a second tree with what belongs to the file manager.
    entries = [Packed(f"s/{one.name!s}", one.data, flags=0) for one in sound(Packed(".skills/a/é.md", b"x"))]
    to = unpacked(pack([*entries, Packed("__MACOSX/s/._AGENTS.md", b"\0")]), tmp_path)
    assert names(to) == {"AGENTS.md", ".skills/a/SKILL.md", ".skills/a/é.md"}


def test_names_of_code_page_437_and_names_in_extra_fields(tmp_path: Path) -> None:
    old = ".skills/a/é.md".encode("cp437")
    sums = struct.pack("<L", zlib.crc32(b"LICENSE"))
    named = extra(0x7075, b"\1" + struct.pack("<L", zlib.crc32(b".skills/a/_.md")) + ".skills/a/ü.md".encode())
    stale = extra(0x7075, b"\1" + struct.pack("<L", 1) + b"../x") + extra(0x7075, b"\2" + sums + b"../y")
    stale += extra(0x6375, b"\1" + sums + b"../z")
    entries = [Packed(old, b"x", flags=0), Packed(".skills/a/_.md", b"x", extra=named), Packed("LICENSE", extra=stale)]
    to = unpacked(pack(sound(*entries)), tmp_path)
    assert names(to) == {"AGENTS.md", "LICENSE", ".skills/a/SKILL.md", ".skills/a/é.md", ".skills/a/ü.md"}


def test_a_name_in_an_extra_field_is_checked(tmp_path: Path) -> None:
    named = extra(0x7075, b"\1" + struct.pack("<L", zlib.crc32(b"x")) + b"../x")
    with pytest.raises(InvalidSourceError, match=r"'\.\./x': the path climbs with `\.\.`"):
        unpacked(pack(sound(Packed("x", extra=named))), tmp_path)


def test_only_a_single_top_folder_is_looked_through(tmp_path: Path) -> None:
    inner = [Packed(f"top/{one.name!s}", one.data) for one in sound()]
    (tmp_path / "beside").mkdir()
    assert names(unpacked(pack([Packed("AGENTS.md", b"x"), *inner]), tmp_path)) == {"AGENTS.md"}
    with pytest.raises(InvalidSourceError, match=r"neither `AGENTS\.md` nor"):
        unpacked(pack([Packed("README.md", b"x"), *inner]), tmp_path / "beside")
