"""A subsystem's `__init__` lists the modules that others import, its face: the rest can change without asking them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import PROJECT

PACKAGE = PROJECT / "skillbag"
SUBSYSTEMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
# Subsystems stand in `skillbag/`; a room is a folder of one, and `.` the subsystem itself.
ROW = re.compile(r"^ {4}(?P<room>[a-z_]+|\.)  +(?P<modules>.+)$")


def _face(subsystem: str) -> set[str]:
    """The modules that the docstring of a subsystem lists: `session.order.conflicts`."""
    text = ast.get_docstring(ast.parse((PACKAGE / subsystem / "__init__.py").read_text("utf-8")), clean=False) or ""
    room, found = "", set[str]()
    for line in text.partition("Others import:")[2].splitlines():
        if row := ROW.match(line):
            room = row["room"]
        modules = row["modules"] if row else line
        prefix = subsystem if room == "." else f"{subsystem}.{room}"
        found |= {f"{prefix}.{name}" for name in re.findall(r"[\w.]+", modules)}
    return found


def _exists(name: str) -> bool:
    path = PACKAGE.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def _imported(path: Path) -> Iterator[str]:
    """The modules of other subsystems that a file imports, without `skillbag.`."""
    own = path.relative_to(PACKAGE).parts[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("skillbag."):
            module = (node.module or "").removeprefix("skillbag.")
            names = [f"{module}.{alias.name}" for alias in node.names]
            modules = {name if _exists(name) else module for name in names}
            yield from (name for name in modules if name.split(".")[0] != own and "." in name)


IMPORTS = [(path, name) for path in sorted(PACKAGE.rglob("*.py")) for name in _imported(path)]


@pytest.mark.parametrize("subsystem", SUBSYSTEMS)
def test_others_import_what_a_subsystem_lists_and_nothing_else(subsystem: str) -> None:
    face = _face(subsystem)
    users = {name: path.relative_to(PROJECT) for path, name in IMPORTS if name.split(".")[0] == subsystem}
    unlisted = [f"{path} imports {name}" for name, path in users.items() if name not in face]
    assert not unlisted, f"use what skillbag/{subsystem}/__init__.py lists, or list it there"
    assert not sorted(face - users.keys()), f"nobody imports these any more: skillbag/{subsystem}/__init__.py"
