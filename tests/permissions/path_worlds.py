"""A folder with paths that lead out of it."""

from __future__ import annotations

from pathlib import Path

from skillbag.permissions.allowed_tools import is_allowed

ALLOWED = "Read(src/**) Write(src/**) Glob(src/**) Grep(src/**)"


def reads(root: Path | None, path: object, allowed: str = ALLOWED, tool: str = "Read", key: str = "file_path") -> bool:
    return is_allowed(allowed, tool, {key: path}, None if root is None else str(root))
