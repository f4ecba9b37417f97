"""Imports in functions are for start-up alone (the table of `docs/performance.md`), and become no more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.rows import each_row
from tests.support import PROJECT

LARGEST = {
    "agents": 155,
    "doors": 407,
    "fleet": 2,
    "kernel": 56,
    "lint": 109,
    "report": 11,
    "runtime": 33,
    "session": 28,
    "supply": 53,
}
"""How many of them a subsystem may have: lower a number when you take some out."""

INDENTED = re.compile(r"^[ ]+(?:from|import) ", re.MULTILINE)


def late_imports(source: str) -> Iterator[int]:
    """The lines of the imports in functions, each once."""
    if not INDENTED.search(source):
        return
    tree = ast.parse(source)
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    inner = (node for function in functions for node in ast.walk(function))
    yield from {node.lineno for node in inner if isinstance(node, ast.Import | ast.ImportFrom)}


@each_row("name", sorted(path.parent.name for path in (PROJECT / "skillbag").glob("*/__init__.py")))
def test_imports_in_functions_become_no_more(name: str) -> None:
    files = (PROJECT / "skillbag" / name).rglob("*.py")
    count = sum(len(list(late_imports(path.read_text("utf-8")))) for path in files)
    assert count <= LARGEST[name], f"skillbag/{name} has {count} imports in functions: move them to the top"
