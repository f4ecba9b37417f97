"""Inputs and expected results that are data: the files of this folder."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


def lines_of(name: str) -> list[str]:
    """The lines of a text file."""
    return (_FOLDER / f"{name}.txt").read_text("utf-8").splitlines()


def toml_table(name: str) -> dict[str, Any]:
    """The content of a TOML file."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


VALUES: dict[str, list[Any]] = json.loads((_FOLDER / "values.json").read_text("utf-8"))
"""Rows of texts and their values, by what they are about."""
