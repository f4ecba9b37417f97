"""What a process that was killed, or an enemy, may have left in `.skillbag/transaction`."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

from skillbag.kernel.transaction import begun
from skillbag.kernel.transaction.trees import state_of
from tests.kernel.transaction.workspaces import write
from tests.support import skill

Value = dict[str, object]


def step(path: str, before: str | None = None, after: str | None = None, back_up: bool = False) -> Value:
    return {"path": path, "before": before, "after": after, "back_up": back_up}


def journal(*steps: Value, makes_skill_root: bool = False) -> str:
    return json.dumps({"version": 2, "key": "0" * 32, "makes_skill_root": makes_skill_root, "steps": steps})


def leave(
    root: Path,
    text: str,
    phase: str = "journal",
    staged: dict[str, str] | None = None,
    *,
    kind: str = "transaction",
    ours: bool = True,
) -> Path:
    """Leave a journal of this phase, and the staged files (`new/0000/SKILL.md` to text); the stage.

    If it is not `ours`, it came with the tree: this user has not begun the change.
    """
    stage = root / ".skillbag" / kind
    if ours:
        begun.remember(os.path.realpath(stage), text.encode())
    for name in ("new", "old"):
        (stage / name).mkdir(parents=True)
    write(root, {".skillbag/.gitignore": "*\n", f".skillbag/{kind}/{phase}.json": text})
    write(stage, staged or {})
    return stage


def state(path: Path) -> str | None:
    return state_of(os.fspath(path))


def added(root: Path) -> str:
    """The state of the skill `added`, of which a copy is made beside the workspace."""
    write(root.parent, {"added/SKILL.md": skill("added")})
    return str(state(root.parent / "added"))


def of_text(text: str) -> str:
    """The state of a file with this text."""
    return "file:" + sha256(text.encode()).hexdigest()
