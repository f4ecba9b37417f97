"""Claude Code as far as its hooks go: recorded events, each answered by a process of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.forked import execute

EVENT_FILES = Path(__file__).parent / "claude_events"
SESSION = "7b9f2c1e-52ab-4c1d-9d5e-0c3f6a1b2d44"


def sent(root: Path, data: str, **variables: str) -> Any:
    done = execute(["runtime", "hook", "--host", "claude"], root.parent, {**os.environ, **variables}, data)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout) if done.stdout else {}


def reported(root: Path, name: str, **changed: Any) -> Any:
    """The answer to a recorded event, which has happened in the workspace."""
    event = json.loads((EVENT_FILES / f"{name}.json").read_text("utf-8"))
    return sent(root, json.dumps({**event, "cwd": str(root), **changed}))


def specific(answer: Any, event: str) -> Any:
    assert answer["hookSpecificOutput"].pop("hookEventName") == event
    return answer["hookSpecificOutput"]
