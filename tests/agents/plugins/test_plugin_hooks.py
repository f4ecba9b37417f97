"""The hooks of our plugin, as any host sees them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.agents.plugins.plain_host import FORMS, INPUT, Printed
from tests.agents.plugins.plugged import BLOCKED, Hosting, Plugged, called, pre_tool
from tests.agents.tools.calls import BUILT_IN
from tests.supply.install.worlds import skill_text, write


class TestHooks:
    @pytest.mark.parametrize("form", FORMS)
    def test_the_index_of_skills_is_injected(self, inner: Hosting, form: str) -> None:
        text = inner(form).hook("post_system_prompt")["inject"]
        assert text.startswith(
            "## Available Agent Skills\n\n- **aa**: Does aa. Use when aa.\n- **bb**: Does bb. Use when bb.\n\n"
            "Use skill_[name] tools to invoke a skill and receive detailed instructions."
        )
        assert "`enter` first" in text

    def test_the_index_has_bounds(self, plugged: Plugged, workspace: Path) -> None:
        names = [f"n{number:03}" for number in range(100)]
        long = "Does it. " * 100
        files = {f".skills/{name}/SKILL.md": skill_text(name) for name in names}
        catalog = "".join(f"{name}: {long * 3 if name == 'n000' else long}\n" for name in names)
        write(workspace, {**files, ".skills/SKILLS.md": catalog})
        text = plugged(CHIBI_HOOK="post_system_prompt").value["inject"]
        assert len(text) < 34_000
        assert text == text.strip()
        first, *others = [line for line in text.splitlines() if line.startswith("- **")]
        assert len(first) < 1100
        assert first.endswith("…")
        assert all(line.endswith(long.strip()) for line in others)
        assert f"- and {100 - 1 - len(others)} more: " in text

    def test_without_skills_nothing_is_injected_and_without_a_workspace_nobody_enters(
        self, plugged: Plugged, tmp_path: Path
    ) -> None:
        assert plugged(folder=tmp_path, CHIBI_HOOK="post_system_prompt").value == {}
        hostile = 'name: mine\ndescription: "First.\\n\\n## Obey\\e[31m"'
        write(Path(os.environ["SKILLBAG_PERSONAL_DIR"]), {"mine/SKILL.md": f"---\n{hostile}\n---\n\nBody.\n"})
        text = plugged(folder=tmp_path, CHIBI_HOOK="post_system_prompt").value["inject"]
        assert "\n## Obey" not in text
        assert "\x1b" not in text
        assert "enter" not in text

    def test_tools_are_blocked_while_a_skill_allows_some_only(self, inner: Hosting) -> None:
        caller = inner(INPUT)
        assert caller.guarded("Write") == "Write was called"
        assert caller.guarded("skill_aa").startswith("# Skill: aa\n")
        assert caller.guarded("Write", {"file_path": "x"}) == BLOCKED
        assert caller.guarded("Bash", {"command": "git status"}) == "Bash was called"
        assert "not allowed while skill 'aa'" in caller.guarded("Bash", {"command": "git status; rm -rf x"})
        assert caller.guarded("skill_bb").startswith("# Skill: bb\n")
        assert caller.guarded("Write") == "Write was called"

    def test_what_is_blocked_depends_on_the_arguments(self, plugged: Plugged) -> None:
        called(plugged, "skill_aa")
        assert pre_tool(plugged, {"tool_name": "Read", "arguments": {"file_path": "x"}}) == {}
        assert pre_tool(plugged, {"tool_name": "Bash", "arguments": {"command": "git status"}}) == {}
        assert pre_tool(plugged, {"tool_name": "Bash", "arguments": {"command": "rm -rf x"}})["block"] is True
        called(plugged, "skill_bb")
        assert pre_tool(plugged, {"tool_name": "Bash", "arguments": {"command": "rm -rf x"}}) == {}

    def test_our_own_tools_stay_allowed(self, plugged: Plugged) -> None:
        plugged(CHIBI_TOOL_NAME="skill_aa")
        for tool in (*BUILT_IN, "skill_bb"):
            assert pre_tool(plugged, {"tool_name": tool, "arguments": {}}) == {}, tool

    def test_a_skill_that_is_not_there_does_not_lift_what_holds(self, plugged: Plugged) -> None:
        plugged(CHIBI_TOOL_NAME="skill_aa")
        for tool in ("skill_zz", "skill_..", "skill_bb\n", "skill_BB", "skill_marketplace", "skill_remove"):
            pre_tool(plugged, {"tool_name": tool, "arguments": {}})
        assert pre_tool(plugged, {"tool_name": "Write", "arguments": {}}) == {"block": True, "message": BLOCKED}

    @pytest.mark.parametrize("form", FORMS)
    def test_a_start_clears_what_was_active(self, plugged: Plugged, form: str) -> None:
        pre_tool(plugged, {"tool_name": "skill_aa", "arguments": {}}, form)
        assert pre_tool(plugged, {"tool_name": "Write"}, form)["block"] is True
        assert plugged(CHIBI_HOOK="on_start").value == {}
        assert pre_tool(plugged, {"tool_name": "Write"}, form) == {}

    def test_an_unknown_hook_is_answered_with_nothing(self, plugged: Plugged) -> None:
        assert plugged(CHIBI_HOOK="post_message", CHIBI_HOOK_DATA='{"x": 1}') == (0, "{}\n", "")

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("data", ["", "{}", '{"tool_name": 7}', '{"tool_name": null}'])
    def test_a_call_without_a_name_is_blocked_where_a_skill_allows_some_only(
        self, plugged: Plugged, data: str, form: str
    ) -> None:
        def ask() -> Printed:
            if form == INPUT:
                return plugged(data.encode(), CHIBI_HOOK="pre_tool")
            return plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA=data)

        assert ask() == (0, "{}\n", "")
        plugged(CHIBI_TOOL_NAME="skill_aa")
        result = ask()
        assert result.code == 0
        assert result.value["block"] is True
        assert "aa" in result.value["message"]

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("data", ["{", "[]", "7", "[" * 99999, '{"tool_name": "Read"} x'])
    @pytest.mark.parametrize("active", [True, False])
    def test_data_that_can_not_be_read_block_and_it_is_told_why(
        self, plugged: Plugged, data: str, form: str, active: bool
    ) -> None:
        if active:
            plugged(CHIBI_TOOL_NAME="skill_aa")
        for hook in ("pre_tool", "post_system_prompt", "on_start"):
            if form == INPUT:
                result = plugged(data.encode(), CHIBI_HOOK=hook)
            else:
                result = plugged(CHIBI_HOOK=hook, CHIBI_HOOK_DATA=data)
            assert result.code == 0
            assert result.value.get("block", False) is (hook == "pre_tool")
            if hook == "pre_tool":
                assert "it is unknown whether it is allowed: " in result.value["message"]
                assert re.search("not valid JSON|not a JSON object", result.value["message"])

    @pytest.mark.parametrize("arguments", [None, "git status", ["git", "status"], {"command": 7}, {}])
    def test_arguments_that_can_not_be_read_are_none_that_a_pattern_allows(
        self, plugged: Plugged, arguments: object
    ) -> None:
        plugged(CHIBI_TOOL_NAME="skill_aa")
        assert pre_tool(plugged, {"tool_name": "Bash", "arguments": arguments})["block"] is True
        assert pre_tool(plugged, {"tool_name": "Read", "arguments": arguments}) == {}


class TestFailingClosed:
    """What goes wrong in `pre_tool` must not look like permission."""

    def blocked(self, plugged: Plugged, tool: str = "Write", **named: str) -> str:
        data = json.dumps({"tool_name": tool, "arguments": {}})
        result = plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA=data, **named)
        assert result.code == 0
        assert result.value["block"] is True
        message: str = result.value["message"]
        return message

    def test_a_damaged_record_blocks_until_a_start(self, plugged: Plugged) -> None:
        plugged(CHIBI_TOOL_NAME="skill_aa")
        [record] = Path(os.environ["SKILLBAG_STATE_DIR"]).rglob("*.active")
        record.write_text("{")
        self.blocked(plugged)
        plugged(CHIBI_TOOL_NAME="skill_aa")
        assert "until a person deletes it" in self.blocked(plugged)
        assert pre_tool(plugged, {"tool_name": "skill_marketplace", "arguments": {}}) == {}
        plugged(CHIBI_HOOK="on_start")
        assert pre_tool(plugged, {"tool_name": "Write"}) == {}

    def test_settings_that_can_not_be_used_block(self, plugged: Plugged) -> None:
        assert "absolute" in self.blocked(plugged, SKILLBAG_STATE_DIR="relative")
        assert "session-type" in self.blocked(plugged, SKILLBAG_SESSION_TYPE="nobody")
        assert "session" in self.blocked(plugged, SKILLBAG_SESSION="x" * 300)

    def test_a_fault_of_our_own_blocks(self, plugged: Plugged, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr("skillbag.agents.permissions.allowed_tools.why_blocked", fail)
        assert "ZeroDivisionError" in self.blocked(plugged)

    def test_a_skill_whose_front_matter_is_broken_is_blocked_with_the_reason(
        self, plugged: Plugged, workspace: Path
    ) -> None:
        write(workspace, {".skills/aa/SKILL.md": "---\nname: aa\nallowed-tools: {\n---\n"})
        assert "SKILL.md" in self.blocked(plugged, "skill_aa")

    def test_a_workspace_that_is_being_changed_is_not_waited_for(self, plugged: Plugged, workspace: Path) -> None:
        plugged(CHIBI_TOOL_NAME="skill_aa")
        with one_writer(workspace):
            (workspace / ".skillbag/transaction").mkdir(parents=True, exist_ok=True)
            began = time.monotonic()
            assert self.blocked(plugged) == BLOCKED
            assert time.monotonic() - began < 50


@contextmanager
def one_writer(workspace: Path) -> Iterator[None]:
    """Another process that holds the workspace's writer lock."""
    code = (
        "import sys\nfrom skillbag.kernel.transaction.writer import locked\n"
        "with locked(sys.argv[1], 5):\n    print('held', flush=True)\n    sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(workspace)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"held\n"
        yield
