"""Calls of tools on the command line, and scopes of tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.registry import offered_tools
from tests.session.bags import TOKEN, bag, parameters, skill_md
from tests.support import Run

MANAGING = ["skill_marketplace", "read_skill_file", "run_skill_script", "skill_add", "skill_remove"]
LIFECYCLE = ["enter", "refresh", "resolve", "remember"]
BUILT_IN = [*MANAGING, *LIFECYCLE]

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


def scope(root: Path | None, personal: Path | None = None, *, user: bool = True) -> Scope:
    """A scope without a session."""
    return Scope(str(root) if root else None, str(personal) if personal else None, None, user)


def names(of: Scope) -> list[str]:
    """The names of the tools that a scope is offered."""
    return [tool.name for tool in offered_tools(of).tools]
