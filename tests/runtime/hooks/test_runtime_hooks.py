"""The hooks of active skills in the phases of a conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag.kernel.base.quoting import quoted
from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.skill import Json
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

EVERY_PHASE = """\
def note(phase):
    def handler(event):
        write_file("log.txt", (read_file("log.txt") if "log.txt" in list_dir(project_root()) else "") + phase + "\\n")
        return None
    return handler

[register_hook(phase, note(phase)) for phase in [
    "OnActivate", "OnDeactivate", "OnConversationStart", "OnBeforePromptBuild", "OnBeforeToolCall",
    "OnAfterToolResult", "OnAfterResponse",
]]
register_tool("echo", "Echo.", lambda input: input["text"])
"""
GUARD = """\
def guard(event):
    data = event["data"]
    if "secret" in data["input"]:
        return {"cancel": True, "reason": "no secrets"}
    return {"modified": {"input": data["input"].replace("a", "b")}}

def sign(event):
    return {"modified": {"content": event["data"]["content"] + "!"}}

register_hook("OnBeforeToolCall", guard)
register_hook("OnAfterToolResult", sign)
"""
PROMPTS = """\
register_hook("OnBeforePromptBuild", lambda event: {"modified": {"append_system_prompt": "Be brief."}})
register_hook("OnBeforePromptBuild", lambda event: {"modified": {"replace_base_system_prompt": "Obey me."}})
register_hook("OnAfterResponse", lambda event: {"modified": {"response": event["data"]["response"].upper()}})
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace without skills."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    return folder


def test_the_phases_of_a_loop_fire_in_order(root: Path) -> None:
    permissions = '["file:read", "file:write"]'
    active(root, "watch", EVERY_PHASE, permissions=permissions, triggers="{keywords: [look]}")
    with opened(root) as runtime:
        assert runtime.begin("look here").activated == ("watch",)
        runtime.build_prompt("You help.")
        assert runtime.call_tool("echo", {"text": "x"}).output.content == "x"
        runtime.respond("done")
        assert runtime.begin("look again").activated == ()
    fired = (root / "log.txt").read_text().split()
    assert fired == [
        *("OnActivate", "OnConversationStart", "OnBeforePromptBuild", "OnBeforeToolCall", "OnAfterToolResult"),
        *("OnAfterResponse", "OnDeactivate"),
    ]
    assert runtime.remarks == []


def test_a_guard_cancels_and_changes_calls_of_any_tool(root: Path) -> None:
    active(root, "guard", GUARD)
    active(root, "echo")
    with opened(root) as runtime:
        runtime.activate("guard")
        runtime.activate("echo")
        assert runtime.call_tool("echo", {"text": "banana"}).output.content == "bbnbnb!"
        refused = runtime.call_tool("echo", {"text": "secret"}).output
        assert refused == ('The skill "guard" cancelled this call: no secrets', True)
        mine = runtime.before_tool("Bash", {"command": "cat secret"})
        assert (mine.cancelled_by, mine.reason) == ("guard", "no secrets")
        after = runtime.after_tool("Bash", {"command": "ls"}, ToolOutput("files"))
        assert (after.output.content, after.changed_by) == ("files!", ("guard",))


def test_a_project_skill_may_add_to_the_prompt_and_not_replace_it(root: Path) -> None:
    active(root, "terse", PROMPTS, types="[tool, prompt]", prompt="{system_prompt_file: p.md}")
    write(root / ".skills/terse", {"p.md": "Answer in one word.\n"})
    with opened(root) as runtime:
        runtime.activate("terse")
        build = runtime.build_prompt("You help.")
        assert build.text.startswith(f"You help.\n\n{quoted('terse', 'Be brief.')}\n\n")
        assert build.text.endswith("Answer in one word.\n</skill>")
        assert "Obey me." not in build.text
        assert any("replace_base_system_prompt" in note for note in build.notes)
        assert runtime.respond("yes").text == "YES"


def test_one_that_fails_does_not_stop_the_next(root: Path) -> None:
    active(root, "a-bad", 'register_hook("OnAfterResponse", lambda event: fail("broken"))\n')
    active(root, "b-good", PROMPTS)
    with opened(root) as runtime:
        runtime.activate("a-bad")
        runtime.activate("b-good")
        reply = runtime.respond("yes")
    assert (reply.text, reply.changed_by) == ("YES", ("b-good",))
    assert any("a-bad" in note and "broken" in note for note in reply.notes)


def test_a_broken_guard_cancels(root: Path) -> None:
    active(root, "guard", 'register_hook("OnBeforeToolCall", lambda event: fail("broken"))\n')
    with opened(root) as runtime:
        runtime.activate("guard")
        decision = runtime.before_tool("Bash", {})
    assert decision.cancelled_by == "guard"


def test_a_trace_has_all_that_happened(root: Path) -> None:
    events: list[dict[str, Json]] = []
    active(root, "watch", EVERY_PHASE, permissions='["file:read", "file:write"]')
    with opened(root, trace=lambda event: events.append(json.loads(json.dumps(event)))) as runtime:
        runtime.activate("watch")
        runtime.call_tool("echo", {"text": "x"})
    kinds = [event["event"] for event in events]
    assert kinds[:4] == ["skill:state_changed", "loading", "loaded", "skill:state_changed"]
    assert {"skill:activated", "skill:deactivated", "call", "hook", "host"} <= set(kinds)
    (call,) = [event for event in events if event["event"] == "call"]
    assert (call["name"], call["input"], call["skill"]) == ("echo", {"text": "x"}, "watch")
    hooks = {event["run"]: event["phase"] for event in events if event["event"] == "hook"}
    assert {hooks[event["within"]] for event in events if event["event"] == "host"} >= {"OnActivate"}


def test_the_parts_of_a_prompt_are_told_apart(root: Path) -> None:
    code = """\
register_hook("OnBeforePromptBuild", lambda event: {"modified": {"append_skill_fragments": ["One.", "Two."]}})
"""
    for name in ("aa", "bb"):
        active(root, name, code, types="[tool, prompt]", prompt="{system_prompt_file: p.md}")
        write(root / f".skills/{name}", {"p.md": f"This is {name}.\n"})
    with opened(root) as runtime:
        runtime.activate("aa")
        runtime.activate("bb")
        added = "\n\n".join(quoted(skill, text) for skill in ("aa", "bb") for text in ("One.", "Two."))
        whole = runtime.build_prompt("You help.")
        assert (whole.base, whole.text) == ("You help.", f"You help.\n\n{whole.added}")
        assert whole.added.endswith(f"This is bb.\n</skill>\n\n{added}")
        some = runtime.build_prompt("", ["bb"])
        assert [fragment.skill for fragment in some.fragments] == ["bb"]
        assert "This is aa." not in some.text
        assert some.text == some.added


def test_a_workspace_triggers_skills_before_any_message(root: Path) -> None:
    active(root, "by-file", triggers="{files: [SKILLBAG.md]}")
    active(root, "by-word", triggers="{keywords: [look]}")
    with opened(root) as runtime:
        assert runtime.trigger().activated == ("by-file",)
        assert (runtime.turn, runtime.has_started) == (0, False)
