"""What modules import, read from their text: to parse the whole package takes a hundred times as long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_STATEMENT = re.compile(
    r"^ *(?:from (?P<module>[\w.]+) import (?:\((?P<block>[^)]*)\)|(?P<line>.*))"
    r"|import (?P<modules>[\w., ]+)(?:#.*)?)$",
    re.M,
)


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Each name that is imported anywhere in a file, after the module that has it; a whole module has no name."""
    for statement in _STATEMENT.finditer(path.read_text("utf-8")):
        text = re.sub("#.*", "", statement["block"] or statement["line"] or statement["modules"])
        for name in (part.split()[0] for part in text.split(",") if part.strip()):
            yield (statement["module"], name) if statement["module"] else (name, "")
