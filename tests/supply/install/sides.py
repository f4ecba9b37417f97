"""Folders of one skill as mappings, to write, to read back and to merge."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from skillbag.supply.install.merge import merge_folders


class Link(NamedTuple):
    """A symbolic link to `target`."""

    target: str


class Program(NamedTuple):
    """An executable file."""

    data: bytes


Content = str | bytes | Link | Program
Side = Mapping[str, Content]


def put(folder: Path, side: Side) -> str:
    """Write the folder afresh with just these files; its path."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in side.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
            continue
        data = content.data if isinstance(content, Program) else content
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        path.chmod(0o755 if isinstance(content, Program) else 0o644)
    return str(folder)


def taken(folder: str | Path) -> dict[str, Content]:
    """What `put` would have to be given to write this folder, texts as bytes; `.git` is left out."""
    found: dict[str, Content] = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] == ".git":
            continue
        if path.is_symlink():
            found[name] = Link(os.readlink(path))
        elif path.is_file():
            data = path.read_bytes()
            found[name] = Program(data) if path.stat().st_mode & 0o100 else data
    return found


LINES = "".join(f"line {number}\n" for number in range(1, 21))


def changed(*numbers: int, by: str = "changed", text: str = LINES) -> str:
    for number in numbers:
        text = text.replace(f"line {number}\n", f"line {number} {by}\n")
    return text


class Merger:
    """Merges sides that are given as mappings, below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.to = root / "merged"

    def __call__(
        self, base: Side, ours: Side, theirs: Side, markers: bool = False, upstream: str = "upstream"
    ) -> dict[str, str]:
        names = (("base", base), ("ours", ours), ("theirs", theirs))
        first, second, third = folders = [put(self.root / name, side) for name, side in names]
        before = [taken(folder) for folder in folders]
        merged = merge_folders(first, second, third, str(self.to), markers=markers, upstream=upstream)
        assert [taken(folder) for folder in folders] == before
        return merged

    def result(self) -> dict[str, Content]:
        return taken(self.to)
