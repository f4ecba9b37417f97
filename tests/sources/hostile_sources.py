"""Hostile lists of entries, as git gives them, and hostile folders; each with the one sentence that refuses it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from skillbag.sources.entry import EntryKind, SourceEntry

A = ".skills/a"


class HostileList(NamedTuple):
    """Entries that git might list, and what is said of them."""

    entries: tuple[SourceEntry, ...]
    fault: str


class HostileFolder(NamedTuple):
    """Spoils a sound source in the given folder, which lies beside a folder `outside`; and what is said of it."""

    spoil: Callable[[Path], object]
    fault: str


def _file(path: str, size: int = 1) -> SourceEntry:
    return SourceEntry(path, EntryKind.FILE, size, False)


LISTS: dict[str, HostileList] = {
    "a submodule": HostileList(
        (SourceEntry(f"{A}/x", EntryKind.SUBMODULE, 0, False),),
        f"'{A}/x': a git submodule; only files, folders and links are taken from a source",
    ),
    "no UTF-8": HostileList((_file(f"{A}/\udcff"),), f"'{A}/\\udcff': the name is not UTF-8"),
    "a file too large": HostileList(
        (_file(f"{A}/x", (64 << 20) + 1),), f"'{A}/x': a file of 67,108,865 bytes; at most 64 MiB are taken"
    ),
    "too large together": HostileList(
        tuple(_file(f"{A}/{n}", 60 << 20) for n in range(9)),
        "the source holds 566,231,040 bytes; at most 512 MiB are taken",
    ),
    "too many": HostileList(
        tuple(_file(f"{A}/{n}") for n in range(50_001)),
        "the source holds more than 50,000 files and folders; no more are taken",
    ),
    "a long path": HostileList(
        (_file(f"{A}/" + "b" * 200 + ("/" + "c" * 200) * 5),),
        f"'{A}/" + "b" * 70 + "…" + "c" * 80 + "': a path of 1215 bytes; at most 1024 are taken",
    ),
    "a long link": HostileList(
        (SourceEntry(f"{A}/x", EntryKind.LINK, 0, False, "y/" * 600),),
        f"'{A}/x': the link's target is longer than 1024 bytes",
    ),
    "cases of folders": HostileList(
        (_file(f"{A}/x"), _file(".skills/A/y"), _file(".skills/A/z")),
        "'.skills/A': the same name as '.skills/a' on systems that ignore case or Unicode forms",
    ),
    "a link through a link": HostileList(
        (
            SourceEntry(f"{A}/b/c/d", EntryKind.LINK, 0, False, "../.."),
            SourceEntry(f"{A}/x", EntryKind.LINK, 0, False, "b/c/d/../../etc"),
        ),
        f"'{A}/x': the link to 'b/c/d/../../etc' leaves its skill, which is installed on its own; put a copy there",
    ),
    "a link that is no text": HostileList(
        (SourceEntry(f"{A}/x", EntryKind.LINK, 0, False, "\udcff"),), f"'{A}/x': the link's target is not UTF-8"
    ),
}


def _link(path: Path, target: str) -> None:
    """A link in the place of what is there."""
    path.rename(path.with_name("before"))
    path.symlink_to(target)


def _listen(path: Path) -> None:
    # The name of a socket may not be longer than about a hundred bytes, whole path and all.
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(here)


def _by_node_modules(root: Path) -> None:
    (root / A / "node_modules").mkdir()
    (root / A / "node_modules/y").symlink_to(root.parent / "outside")
    (root / A / "x").symlink_to("node_modules/y/secret")


def _pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _file_for_folder(path: Path) -> None:
    path.rename(path.with_name("before"))
    path.touch()


def _two_cases(folder: Path) -> None:
    (folder / "x").touch()
    (folder / "X").touch()


def _large(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 28)


FOLDERS: dict[str, HostileFolder] = {
    "instructions that leave": HostileFolder(
        lambda root: _link(root / "AGENTS.md", "../outside/secret"), "'AGENTS.md': a link that leaves the source"
    ),
    "instructions that are a folder": HostileFolder(
        lambda root: _folder(root / "AGENTS.md"),
        "'AGENTS.md': a folder; it must be a file, since the target of a link is not taken along",
    ),
    "instructions that are a pipe": HostileFolder(
        lambda root: _pipe(root / "AGENTS.md"),
        "'AGENTS.md': a named pipe; only files, folders and links are taken from a source",
    ),
    "skills that leave": HostileFolder(
        lambda root: _link(root / ".skills", "../outside"),
        "'.skills': a link that leaves the source",
    ),
    "skills that are a file": HostileFolder(
        lambda root: _file_for_folder(root / ".skills"),
        "'.skills': a file; a source holds its skills in a folder of this name",
    ),
    "a skill that leaves": HostileFolder(
        lambda root: (root / ".skills/b").symlink_to("../../outside"), "'.skills/b': a link that leaves the source"
    ),
    "a link to an absolute path": HostileFolder(
        lambda root: (root / A / "x").symlink_to("/etc/passwd"),
        f"'{A}/x': the link leads to the absolute path '/etc/passwd'",
    ),
    "a link to another skill": HostileFolder(
        lambda root: (root / A / "x").symlink_to("../b"),
        f"'{A}/x': the link to '../b' leaves its skill, which is installed on its own; put a copy there",
    ),
    "a link by way of what is not looked at": HostileFolder(
        _by_node_modules, f"'{A}/x': a link whose real path is not in its skill"
    ),
    "a pipe": HostileFolder(
        lambda root: _pipe(root / A / "x"),
        f"'{A}/x': a named pipe; only files, folders and links are taken from a source",
    ),
    "a socket": HostileFolder(
        lambda root: _listen(root / A / "x"),
        f"'{A}/x': a socket; only files, folders and links are taken from a source",
    ),
    "cases": HostileFolder(
        lambda root: _two_cases(root / A),
        f"'{A}/x': the same name as '{A}/X' on systems that ignore case or Unicode forms",
    ),
    "a device of Windows": HostileFolder(
        lambda root: (root / A / "con.md").touch(), f"'{A}/con.md': a name that Windows keeps for a device"
    ),
    "a backslash": HostileFolder(
        lambda root: (root / A / "..\\x").touch(),
        f"'{A}/..\\\\x': a backslash in the name, which Windows takes for a slash",
    ),
    "no UTF-8": HostileFolder(
        lambda root: open(os.fsencode(root / A) + b"/\xff", "w").close(), f"'{A}/\\udcff': the name is not UTF-8"
    ),
    "a file too large": HostileFolder(
        lambda root: _large(root / A / "x"),
        f"'{A}/x': a file of 268,435,456 bytes; at most 64 MiB are taken",
    ),
}
