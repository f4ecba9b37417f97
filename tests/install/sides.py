"""Folders of one skill as mappings, to write and to read back: what merge and comparison are tested with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


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
