"""Workspaces with links."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.supply.install.worlds import skill_text, write


def make_skills(root: Path, *names: str) -> Path:
    return write(
        root, {"SKILLBAG.md": "SkillBag v0.3.0\n"} | {f".skills/{name}/SKILL.md": skill_text(name) for name in names}
    )


def snapshot(root: Path) -> dict[str, object]:
    """Everything below the folder: kind, content, and when it was written last; folders' times don't count."""
    return {str(path.relative_to(root)): content(path) for path in sorted(root.rglob("*"))}


def content(path: Path) -> object:
    if path.is_symlink():
        return "->", os.readlink(path), os.lstat(path).st_mtime_ns
    return (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else None


def made(root: Path) -> dict[str, str | None]:
    values: dict[str, str | None] = json.loads((root / "skillbag.lock").read_text("utf-8"))["links"]["made"]
    return values
