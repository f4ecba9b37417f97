"""Names of the code: one meaning each, in the words of the field."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.support import PROJECT


def classes(file: Path) -> list[str]:
    return [node.name for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.ClassDef)]


def test_a_public_class_name_is_defined_in_one_module() -> None:
    modules: dict[str, list[str]] = defaultdict(list)
    for file in sorted((PROJECT / "skillbag").rglob("*.py")):
        for name in classes(file):
            modules[name].append(str(file.relative_to(PROJECT)))
    assert "Session" in modules
    assert {name: files for name, files in modules.items() if len(files) > 1 and not name.startswith("_")} == {}
