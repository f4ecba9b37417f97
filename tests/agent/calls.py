"""Calls on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.lifecycle.bags import TOKEN, bag, parameters, skill_md
from tests.support import Run

NEEDS = skill_md("pear", "Pears.", parameters("required:\n  - name: format"))


def world(folder: Path) -> Path:
    """A workspace with a skill that asks for something, and one that does not."""
    guide = f"Peel \x1b[2J it.\u202e\nUse {TOKEN}.\n"
    files = {".skills/pear/SKILL.md": NEEDS, ".skills/apple/references/guide.md": guide}
    return bag(folder, ["apple", "pear"], files)


def called(run: Run, root: Path, *arguments: object, stdin: bytes = b"") -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON of a call with `--json`."""
    outcome = run("tool", *arguments, "--json", cwd=root, stdin=stdin)
    values: dict[str, Any] = json.loads(outcome.out)
    assert (values["version"], values["exit"]) == (1, outcome.code)
    assert outcome.err == ""
    return outcome.code, values
