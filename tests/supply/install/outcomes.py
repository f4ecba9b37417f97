"""What a command printed and left on the disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.supply.install.worlds import call
from tests.support import Completed, Run


def installed(workspace: Path) -> list[str]:
    """The names in `.skills/`, without the reserved skill."""
    folders = (path.name for path in (workspace / ".skills").iterdir() if path.is_dir())
    return sorted(name for name in folders if name != "skillbag-get-skills")


def lock_of(workspace: Path) -> dict[str, dict[str, Any]]:
    """The skills of the lock."""
    skills: dict[str, dict[str, Any]] = json.loads((workspace / "skillbag.lock").read_text("utf-8"))["skills"]
    return skills


def values_of(run: Run, workspace: Path, *arguments: object, code: int = 0) -> dict[str, Any]:
    """What a command with `--json` printed that must end with this exit code."""
    found, values = call(run, workspace, *arguments)
    assert found == code, values["problems"]
    return values


def error_of(run: Run, *arguments: object, cwd: Path, code: int = 2) -> str:
    """What a command wrote to standard error that must fail with this exit code."""
    outcome = run(*arguments, cwd=cwd)
    assert outcome.code == code, outcome
    return outcome.err


def statuses(values: Mapping[str, Any]) -> dict[str, str]:
    """The status of each skill of an outcome."""
    return {row["name"]: row["status"] for row in values["skills"]}


def checks(run: Run, workspace: Path) -> Completed:
    """What `skillbag check` says of the workspace."""
    return run("check", workspace)
