"""A workspace, a change of it that has a step of every kind, and what both look like on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.trees import state_of
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.bootstrap.templates import template
from tests.support import skill

LINE = "{}: Tidy a folder. Use when files lie about.\n"
RESERVED = "skillbag-get-skills: Install one or more skills into .skills/.\n"
CATALOG = "".join(map(LINE.format, ("removed", "renewed", "replaced"))) + RESERVED
AFTER = "".join(map(LINE.format, ("added", "renewed", "replaced"))) + RESERVED
CONTEXT = "# Ours\n"
LOCK = '{"version": 1, "skills": {}}\n'


def write(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def make_workspace(root: Path) -> Path:
    """A workspace that conforms, with three skills, one of them with a file that is no part of it."""
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
        # Long ago, so that a file that was written again shows.
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
