"""Claude Code in a project with skills, as far as the hook that enforces `allowed-tools` sees it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from skillbag.agents.hosts.limits import answer
from tests.supply.install.worlds import write

COMMAND = [sys.executable, "-m", "skillbag", "agent", "hook", "run", "--host", "claude-code"]
SESSION = "7b9f2c1e-52ab-4c1d-9d5e-0c3f6a1b2d44"


def skill(allowed: str | None) -> str:
    line = "" if allowed is None else f"allowed-tools: {allowed}\n"
    return f"---\nname: x\ndescription: Does x. Use for x.\n{line}---\n\nDo it.\n"


class Claude:
    """A session in `folder/project`."""

    def __init__(self, folder: Path, session: str = SESSION) -> None:
        self.folder, self.session = folder, session
        self.root = folder / "project"
        self.root.mkdir(parents=True, exist_ok=True)
        self.home = folder / "home"

    def has(self, name: str, allowed: str | None, place: str = ".claude/skills") -> None:
        write(self.root / place / name, {"SKILL.md": skill(allowed)})

    def environment(self, **variables: str) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SKILLBAG_", "CLAUDE_"))}
        folders = {"HOME": str(self.home), "SKILLBAG_STATE_DIR": str(self.folder / "state")}
        return {**clean, **folders, "CLAUDE_PROJECT_DIR": str(self.root), **variables}

    def sends(self, data: str, **variables: str) -> Any:
        """The answer to an event, without a process of its own."""
        with patch.dict(os.environ, self.environment(**variables), clear=True), contextlib.chdir(self.root):
            return json.loads(json.dumps(answer(data.encode("utf-8", "surrogatepass"))))

    def starts(self, data: str) -> subprocess.CompletedProcess[str]:
        """The hook as Claude Code starts it."""
        return subprocess.run(
            COMMAND, input=data, cwd=self.root, capture_output=True, text=True, env=self.environment()
        )

    def event(self, name: str, **values: Any) -> Any:
        return self.sends(self.data(name, **values))

    def data(self, name: str, **values: Any) -> str:
        common = {"session_id": self.session, "transcript_path": str(self.folder / "t.jsonl"), "cwd": str(self.root)}
        return json.dumps({**common, "permission_mode": "default", "hook_event_name": name, **values})

    def calls(self, tool: str, /, _agent: str | None = None, **given: Any) -> str | None:
        """Why the call is denied; None where nothing is decided."""
        agent = {} if _agent is None else {"agent_id": _agent, "agent_type": "general-purpose"}
        answered = self.event("PreToolUse", tool_name=tool, tool_input=given, tool_use_id="toolu_1", **agent)
        if not answered:
            return None
        specific = answered.pop("hookSpecificOutput")
        assert not answered
        assert specific.pop("hookEventName") == "PreToolUse"
        assert specific.pop("permissionDecision") == "deny"
        return str(specific.pop("permissionDecisionReason"))

    def says(self, prompt: str, **more: Any) -> Any:
        return self.event("UserPromptSubmit", prompt=prompt, **more)
