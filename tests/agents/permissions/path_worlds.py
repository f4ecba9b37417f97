"""Whether patterns let a call pass, and calls with a path."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillbag.agents.permissions.allowed_tools import refusal

ALLOWED = "Read(src/**) Write(src/**) Glob(src/**) Grep(src/**)"


def is_allowed(allowed_tools: str, tool: str, arguments: Mapping[str, Any] | None, root: str | None) -> bool:
    return refusal(allowed_tools, tool, arguments, root) is None


def reads(root: Path | None, path: object, allowed: str = ALLOWED, tool: str = "Read", key: str = "file_path") -> bool:
    return is_allowed(allowed, tool, {key: path}, None if root is None else str(root))
