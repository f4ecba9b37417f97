"""A workspace, a change of it that has a step of every kind, and what both look like on the disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from skillbag.bootstrap.templates import template
from skillbag.transaction.journal import Transaction
from skillbag.transaction.state import state_of
from skillbag.transaction.writer import writing
from skillbag.workspace.tree_hash import tree_hash
from tests.support import skill

LINE = "{}: Tidy a folder. Use when files lie about.\n"
RESERVED = "skillbag-get-skills: Install one or more skills into .skills/.\n"
CATALOG = "".join(map(LINE.format, ("removed", "renewed", "replaced"))) + RESERVED
AFTER = "".join(map(LINE.format, ("added", "renewed", "replaced"))) + RESERVED
CONTEXT = "# Ours\n"
LOCK = '{"version": 1, "skills": {}}\n'


class Entry(NamedTuple):
    """What lies at a path, and since when; `content` is a file's bytes, a link's target, or nothing."""

    kind: str
    mode: int
    content: bytes
    changed: int


Snapshot = dict[str, Entry]


def write(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def make_workspace(root: Path) -> Path:
    """A workspace that conforms, with three skills, one of them with a file that is nobody's own."""
    write(
        root,
        {
            "SKILLBAG.md": "SkillBag v0.3.0\n",
            "CONTEXT.md": CONTEXT,
            ".skills/SKILLS.md": CATALOG,
            ".skills/skillbag-get-skills/SKILL.md": template("get-skills.md"),
            ".skills/removed/SKILL.md": skill("removed"),
            ".skills/renewed/SKILL.md": skill("renewed"),
            ".skills/renewed/__pycache__/x.pyc": "x",
            ".skills/replaced/SKILL.md": skill("replaced"),
            ".skills/replaced/scripts/run.sh": "#!/bin/sh\n",
        },
    )
    (root / "CONTEXT.md").chmod(0o640)
    (root / ".skills/replaced/scripts/run.sh").chmod(0o755)
    for path in root.rglob("*"):
        # Long ago, so that a file that was written anew shows.
        os.utime(path, ns=(10**18, 10**18))
    return root


def make_source(folder: Path) -> Path:
    """What the change puts in place, as a source has it."""
    write(
        folder,
        {
            "added/SKILL.md": skill("added"),
            "added/scripts/run.sh": "#!/bin/sh\n",
            "added/references/deep/guide.md": "# Guide\n",
            "renewed/SKILL.md": skill("renewed") + "Anew.\n",
            "replaced/SKILL.md": skill("replaced") + "Anew.\n",
        },
    )
    (folder / "added/scripts/run.sh").chmod(0o755)
    (folder / "added/link.md").symlink_to("SKILL.md")
    return folder


def change(root: Path, source: Path, prepared: Callable[[], None] = lambda: None) -> tuple[str, ...]:
    """A folder added, one renewed, one replaced with a backup, one removed; a file added, two replaced."""
    with writing(str(root)), Transaction(str(root)) as transaction:
        for name in ("added", "renewed", "replaced"):
            put(transaction, root, source, name)
        transaction.back_up(".skills/replaced")
        transaction.remove(".skills/removed", expected=tree_hash(str(root / ".skills/removed")))
        transaction.put_file(".skills/SKILLS.md", AFTER.encode(), expected=CATALOG.encode())
        transaction.put_file("skillbag.lock", LOCK.encode(), expected=None)
        transaction.put_file("CONTEXT.md", b"# Ours\n\nMore.\n", expected=CONTEXT.encode())
        prepared()
        return transaction.commit()


def put(transaction: Transaction, root: Path, source: Path, name: str) -> None:
    path = f".skills/{name}"
    tree = tree_hash(str(source / name))
    transaction.put_folder(path, str(source / name), tree=tree, expected=state_of(str(root / path)))


def snapshot(root: Path) -> Snapshot:
    """All that lies below `root`, save `.skillbag`; with the times, except of `.skills` itself."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] != ".skillbag":
            entry = _entry(path)
            found[name] = entry._replace(changed=0) if name == ".skills" else entry
    return found


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
    return "mixed: " + "; ".join(_told(name, now.get(name), before.get(name), after.get(name)) for name in names)


def _told(name: str, now: Entry | None, before: Entry | None, after: Entry | None) -> str:
    olds, news = now == before, (now and now._replace(changed=0)) == (after and after._replace(changed=0))
    return f"{name} is {'same' if olds and news else 'old' if olds else 'new' if news else now}"
