"""What a workspace looks like on the disk, and whether that is the state before or after a change."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """What lies at a path, and since when; `content` is a file's bytes, a link's target, or nothing."""

    kind: str
    mode: int
    content: bytes
    changed: int


Snapshot = dict[str, Entry]


def snapshot(root: Path) -> Snapshot:
    """All that lies below `root`, save `.skillbag`; with the times, except of `.skills` itself."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] != ".skillbag":
            entry = _entry(path)
            found[name] = entry._replace(changed=0) if name == ".skills" else entry
    return found


@contextmanager
def unchanged(root: Path) -> Iterator[None]:
    """Within the block nothing below `root` changes, and in the end nothing is kept in `.skillbag`."""
    before = snapshot(root)
    yield
    assert snapshot(root) == before
    assert kept(root) == OLD_KEPT


def _entry(path: Path) -> Entry:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return Entry("link", 0, os.fsencode(path.readlink()), status.st_mtime_ns)
    if stat.S_ISDIR(status.st_mode):
        return Entry("folder", stat.S_IMODE(status.st_mode), b"", status.st_mtime_ns)
    return Entry("file", stat.S_IMODE(status.st_mode), path.read_bytes(), status.st_mtime_ns)


def timeless(found: Snapshot) -> Snapshot:
    """The same without times: what is new has other ones each time."""
    return {name: entry._replace(changed=0) for name, entry in found.items()}


def kept(root: Path) -> list[str]:
    """The files in `.skillbag`, and its folders where they are empty."""
    below = root / ".skillbag"
    paths = [below, *below.rglob("*")] if below.exists() else []
    return sorted(p.relative_to(root).as_posix() for p in paths if not p.is_dir() or not any(p.iterdir()))


OLD_KEPT: list[str] = []
NEW_KEPT = [".skillbag/.gitignore", *(f".skillbag/backup/replaced-1/{n}" for n in ("SKILL.md", "scripts/run.sh"))]


def outcome(root: Path, before: Snapshot, after: Snapshot) -> str:
    """`old` or `new`: the state that the workspace is in, with everything that belongs to it; else what is wrong."""
    now = snapshot(root)
    if now == before:
        return "old" if kept(root) == OLD_KEPT else f"old, but there is {kept(root)}"
    if timeless(now) == timeless(after):
        return "new" if kept(root) == NEW_KEPT else f"new, but there is {kept(root)}"
    names = sorted(before.keys() | after.keys() | now.keys())
    return "mixed: " + "; ".join(_described(name, now.get(name), before.get(name), after.get(name)) for name in names)


def _described(name: str, now: Entry | None, before: Entry | None, after: Entry | None) -> str:
    olds, news = now == before, (now and now._replace(changed=0)) == (after and after._replace(changed=0))
    return f"{name} is {'same' if olds and news else 'old' if olds else 'new' if news else now}"
