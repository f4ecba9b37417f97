"""A subsystem's `__init__` lists the modules that others import, its face: the rest can change without asking them."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from tests.project.imports import imports
from tests.rows import each_row
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


@cache
def _exists(name: str) -> bool:
    path = PACKAGE.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def _imported(path: Path) -> set[str]:
    """The modules of other subsystems that a file imports, without `skillbag.`."""
    own = path.relative_to(PACKAGE).parts[0]
    ours = [(module, name) for module, name in imports(path) if name and module.startswith("skillbag.")]
    pairs = [(module.removeprefix("skillbag."), f"{module}.{name}".removeprefix("skillbag.")) for module, name in ours]
    modules = {inner if _exists(inner) else module for module, inner in pairs}
    return {name for name in modules if name.split(".")[0] != own and "." in name}


@cache
def _all_imported() -> list[tuple[Path, str]]:
    return [(path, name) for path in sorted(PACKAGE.rglob("*.py")) for name in sorted(_imported(path))]


@each_row("subsystem", SUBSYSTEMS)
def test_others_import_what_a_subsystem_lists_and_nothing_else(subsystem: str) -> None:
    face = _face(subsystem)
    users = {name: path.relative_to(PROJECT) for path, name in _all_imported() if name.split(".")[0] == subsystem}
    unlisted = [f"{path} imports {name}" for name, path in users.items() if name not in face]
    assert not unlisted, f"use what skillbag/{subsystem}/__init__.py lists, or list it there"
    assert not sorted(face - users.keys()), f"nobody imports these any more: skillbag/{subsystem}/__init__.py"
