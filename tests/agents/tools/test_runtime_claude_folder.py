"""The guards of a session of Claude Code are asked wherever the agent works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.tools.claude_code import EVENT_FILES, sent, specific
from tests.doors.cli.runtime_worlds import values
from tests.runtime.worlds_active import active, approve
from tests.supply.install.worlds import write
from tests.support import Run

GUARD = 'register_hook("OnBeforeToolCall", lambda event: {"cancel": True, "reason": "no"})\n'


@pytest.mark.parametrize("data", ["event", "broken"])
def test_the_agent_leaves_no_guard_behind_when_it_changes_its_folder(tmp_path: Path, run: Run, data: str) -> None:
    root = write(tmp_path / "workspace", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    write(root / "inner", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(root, "guard", GUARD)
    approve("guard")
    event = json.loads((EVENT_FILES / "pre_tool_use_bash.json").read_text("utf-8"))
    values(run, root, "activate", "guard", "--session", event["session_id"])
    for folder in (root, root / "inner", tmp_path):
        text = json.dumps({**event, "cwd": str(folder)})
        answer = sent(root, text if data == "event" else text[:-1], CLAUDE_PROJECT_DIR=str(root))
        assert specific(answer, "PreToolUse")["permissionDecision"] == "deny"
