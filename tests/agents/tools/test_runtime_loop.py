"""The example of a loop around a model: all hooks of a conversation fire, and the skills' tools are the model's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import skillbag
from examples.agent_loop import converse
from skillbag.kernel.manifest.names import Phase
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import PROJECT

LOGGED = """\
def log(phase):
    def handler(event):
        so_far = read_file("log.txt") if "log.txt" in list_dir(project_root()) else ""
        write_file("log.txt", so_far + event["phase"] + "\\n")
        return {"modified": CHANGES.get(phase, {})}
    return handler

CHANGES = {
    "OnBeforePromptBuild": {"append_system_prompt": "Be brief."},
    "OnAfterResponse": {"response": "changed"},
}
[register_hook(phase, log(phase)) for phase in PHASES]
register_tool("shout", "Shouts.", lambda input: input["text"].upper())
"""
OF_A_LOOP = [
    *(Phase.ACTIVATE, Phase.CONVERSATION_START, Phase.BEFORE_PROMPT_BUILD, Phase.BEFORE_TOOL_CALL),
    *(Phase.AFTER_TOOL_RESULT, Phase.BEFORE_PROMPT_BUILD, Phase.BEFORE_TOOL_CALL, Phase.AFTER_TOOL_RESULT),
    *(Phase.BEFORE_PROMPT_BUILD, Phase.AFTER_RESPONSE, Phase.DEACTIVATE),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a skill that logs every phase."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    code = LOGGED.replace("PHASES", repr([str(phase) for phase in Phase]))
    permissions = "[file:read, file:write]"
    active(folder, "watch", code, permissions=permissions, triggers="{keywords: [look]}")
    return folder


def test_all_hooks_of_a_conversation_fire_in_the_loop(root: Path) -> None:
    seen: list[Any] = []
    script: list[dict[str, Any]] = [
        {"tool": "shout", "input": {"text": "hi"}},
        {"tool": "Bash", "input": {"command": "ls"}},
        {"text": "done"},
    ]

    def model(prompt: str, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        seen.append((prompt, messages[-1]["content"], [tool["name"] for tool in tools]))
        return script[len(seen) - 1]

    with skillbag.open_runtime(str(root), session="s1", approve=["watch"]) as runtime:
        assert converse(runtime, model, "look here", {"Bash": lambda value: f"ran {value['command']}"}) == "changed"
    prompt = 'You help a developer.\n\n<skill name="watch">\nBe brief.\n</skill>'
    tools = ["Bash", "shout"]
    assert seen == [(prompt, "look here", tools), (prompt, "HI", tools), (prompt, "ran ls", tools)]
    assert (root / "log.txt").read_text().split() == OF_A_LOOP


def test_a_skill_that_must_be_allowed_is_named_and_stops_nothing(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with skillbag.open_runtime(str(root)) as runtime:
        prompt = converse(runtime, lambda prompt, messages, tools: {"text": prompt}, "look", {}, "Base.")
    assert prompt == "Base.\n\nSkills that can be activated:\n\n- watch: Does watch."
    assert capsys.readouterr().err == "watch needs: file:read, file:write, hook:change, hook:observe\n"


def test_the_example_is_short_and_runs_by_itself(root: Path) -> None:
    script = PROJECT / "examples" / "agent_loop.py"
    assert len(script.read_text("utf-8").splitlines()) <= 60
    done = subprocess.run([sys.executable, script], cwd=root, input="hello\n", capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("hello (0 tools)\n", "")
