"""Plugins that are written by a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

Put = Callable[..., Path]


def answered(value: object) -> str:
    """Shell that prints a JSON value."""
    return f"cat <<'END'\n{json.dumps(value)}\nEND"
