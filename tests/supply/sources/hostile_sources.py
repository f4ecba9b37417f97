"""Hostile lists of entries, as git gives them, and hostile folders (`hostile_folders.toml`), each with its fault."""

from __future__ import annotations

import contextlib
import os
import socket
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from skillbag.supply.sources.entry import EntryKind, SourceEntry

A = ".skills/a"


class HostileList(NamedTuple):
    """Entries that git might list, and the fault that is reported."""

    entries: tuple[SourceEntry, ...]
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
    "too many": HostileList(
        tuple(_file(f"{A}/{n}") for n in range(50_001)),
        "the source holds more than 50,000 files and folders; no more are taken",
    ),
    "a long path": HostileList(
        (_file(f"{A}/" + "b" * 200 + ("/" + "c" * 200) * 5),),
        f"'{A}/" + "b" * 70 + "…" + "c" * 80 + "': a path of 1215 bytes; at most 1024 are taken",
    ),
    "a name that turns its direction": HostileList(
        (_file(f"{A}/a\u202ex"),),
        f"'{A}/a\\u202ex': a character in the name that shows nothing, or turns its direction: "
        "U+202E RIGHT-TO-LEFT OVERRIDE",
    ),
    "a long link": HostileList(
        (SourceEntry(f"{A}/x", EntryKind.LINK, 0, False, "y/" * 600),),
        f"'{A}/x': the link's target is longer than 1024 bytes",
    ),
    "a link through a link": HostileList(
        (
            SourceEntry(f"{A}/b/c/d", EntryKind.LINK, 0, False, "../.."),
            SourceEntry(f"{A}/x", EntryKind.LINK, 0, False, "b/c/d/../../etc"),
        ),
        f"'{A}/x': the link to 'b/c/d/../../etc' leaves its skill, which is installed on its own; put a copy there",
    ),
}


def spoil(root: Path, case: Mapping[str, Any]) -> None:
    """Put what a case names into the sound source at `root`."""
    files = [case["file"]] if isinstance(case.get("file"), str) else case.get("file", [])
    for name in files:
        _free(root, name).touch()
    if "folder" in case:
        _free(root, case["folder"]).mkdir()
    if "pipe" in case:
        os.mkfifo(_free(root, case["pipe"]))
    if "large" in case:
        path = _free(root, case["large"])
        path.touch()
        os.truncate(path, 1 << 28)
    if "socket" in case:
        path = _free(root, case["socket"])
        # The path of a socket may not be long.
        with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    for name, target in case.get("link", {}).items():
        _free(root, name).symlink_to(target)


def _free(root: Path, name: str) -> Path:
    """The path of this name, at which nothing is any more."""
    path = root / os.fsdecode(unquote_to_bytes(name))
    if path.exists():
        path.rename(path.with_name("before"))
    return path


FOLDERS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("hostile_folders.toml").read_text("utf-8"))
