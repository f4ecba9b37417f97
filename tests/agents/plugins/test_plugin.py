"""Our plugin as any host sees it: a program that is driven by its environment and its pipes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.agents.plugins.plain_host import FORMS, INPUT, Printed
from tests.agents.plugins.plugged import Hosting, Plugged, called, catalog, pre_tool, restricted, tools
from tests.agents.tools.calls import BUILT_IN, MANAGING
from tests.supply.install.worlds import skill_text, write

ASKING = "Read the file.\n\n## Parameters\n\n```yaml\nrequired:\n  - name: target\n```"


class TestSchema:
    def test_it_names_every_tool_and_the_hooks_at_the_first(self, host: Hosting) -> None:
        entries = host().schema()
        assert [entry["name"] for entry in entries] == [*BUILT_IN, "skill_aa", "skill_bb"]
        assert entries[0]["hooks"] == ["on_start", "post_system_prompt", "pre_tool"]
        assert all("hooks" not in entry for entry in entries[1:])
        assert all(entry["description"] and entry["parameters"]["type"] == "object" for entry in entries)

    def test_outside_of_a_workspace_there_are_the_personal_skills(self, plugged: Plugged, tmp_path: Path) -> None:
        personal = Path(os.environ["SKILLBAG_PERSONAL_DIR"])
        write(personal, {"mine/skill.md": skill_text("mine")})
        names = tools(plugged, folder=tmp_path)
        assert "skill_mine" in names
        assert "skill_aa" not in names
        assert called(plugged, "skill_mine", folder=tmp_path).out.startswith("# Skill: mine\n\n")

    def test_other_sessions_than_a_users_see_no_personal_skills(self, plugged: Plugged) -> None:
        write(Path(os.environ["SKILLBAG_PERSONAL_DIR"]), {"mine/SKILL.md": skill_text("mine")})
        names = tools(plugged, SKILLBAG_SESSION_TYPE="other")
        assert not {"skill_mine", "skill_add", "skill_remove"} & set(names)

    def test_a_broken_workspace_leaves_the_tools_to_mend_it(self, plugged: Plugged, workspace: Path) -> None:
        (workspace / ".skills/SKILLS.md").write_bytes(b"\xff\xfe not a catalog")
        result = plugged(words=("--schema",))
        assert result.code == 0
        assert [entry["name"] for entry in result.value][: len(MANAGING)] == MANAGING
        assert "SKILLS.md" in result.err

    def test_a_broken_personal_root_leaves_the_projects_tools_or_says_why_not(self, plugged: Plugged) -> None:
        result = plugged(words=("--schema",), SKILLBAG_PERSONAL_DIR="not/absolute")
        assert result.code == 0
        assert "skill_marketplace" in result.out
        assert "absolute" in result.err

    def test_a_skill_named_like_a_tool_of_ours_has_none_and_is_reported(
        self, plugged: Plugged, workspace: Path
    ) -> None:
        write(
            workspace,
            {
                ".skills/SKILLS.md": catalog("aa", "marketplace"),
                ".skills/marketplace/SKILL.md": restricted("marketplace"),
            },
        )
        assert pre_tool(plugged, {"tool_name": "skill_marketplace", "arguments": {}}) == {}
        assert pre_tool(plugged, {"tool_name": "Write", "arguments": {}}) == {}
        result = plugged(words=("--schema",))
        names = [entry["name"] for entry in result.value]
        assert names.count("skill_marketplace") == 1
        assert "marketplace" in result.err
        assert json.loads(called(plugged, "skill_marketplace", {"action": "list_installed"}).out)


class TestCalls:
    @pytest.mark.parametrize("form", FORMS)
    def test_a_skill_gives_its_instructions(self, host: Hosting, form: str) -> None:
        result = host(form).call("skill_aa", {"arguments": "docs/ä.md"})
        assert result.code == 0
        assert result.out.startswith("# Skill: aa\n\n# aa\n\nRead the file.\n")
        assert "\n## Arguments\ndocs/ä.md\n" in result.out
        assert "\n## Supporting Files\n" in result.out

    def test_a_question_is_the_result_of_a_call_that_succeeds(self, plugged: Plugged, workspace: Path) -> None:
        asking = skill_text("bb", body=ASKING)
        write(workspace, {".skills/bb/SKILL.md": asking})
        result = called(plugged, "skill_bb")
        assert (result.code, result.err) == (0, "")
        assert "target" in result.out
        assert "inputs" in result.out
        assert "Read the file." in called(plugged, "skill_bb", {"inputs": {"target": "x"}}).out

    @pytest.mark.parametrize("form", FORMS)
    def test_files_and_scripts(self, inner: Hosting, form: str) -> None:
        caller = inner(form)
        assert caller.call("read_skill_file", {"skill": "aa", "path": "references/notes.md"}) == (0, "Notes.\n", "")
        script = {"skill": "aa", "script": "scripts/say.sh", "args": ["$(id)"], "stdin": "given"}
        assert caller.call("run_skill_script", script) == (0, "$(id)\ngiven\n[exit code: 3]\n", "")

    @pytest.mark.parametrize("form", FORMS)
    def test_a_tool_that_is_not_named_is_known_by_its_arguments(self, plugged: Plugged, form: str) -> None:
        def ask(arguments: object) -> Printed:
            text = json.dumps(arguments)
            return plugged(text.encode()) if form == INPUT else plugged(CHIBI_TOOL_ARGS=text)

        assert '"name": "aa"' in ask({"action": "list_installed"}).out
        assert ask({"skill": "aa", "script": "scripts/say.sh"}).out.endswith("[exit code: 3]\n")
        assert ask({"skill": "aa", "path": "references/notes.md"}) == (0, "Notes.\n", "")
        result = ask({"arguments": "x"})
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("Error: ")
        assert "CHIBI_TOOL_NAME" in result.out

    def test_the_session_is_entered_and_what_changed_is_reported(self, plugged: Plugged, workspace: Path) -> None:
        assert "call enter first" in called(plugged, "skill_bb").out
        assert called(plugged, "enter").code == 0
        assert "call enter first" not in called(plugged, "skill_bb").out
        write(workspace, {"CONTEXT.md": "# Context\n\nWords.\n"})
        assert "CONTEXT.md" in called(plugged, "refresh").out


class TestMistakes:
    """Many calls, so within this process."""

    @pytest.mark.parametrize(
        ("tool", "arguments", "message"),
        [
            ("read_skill_file", {"skill": "aa", "path": "../aab/secret.txt"}, "Path traversal not allowed"),
            ("read_skill_file", {"skill": "aa", "path": "none.md"}, "none.md"),
            ("read_skill_file", {"skill": "zz", "path": "none.md"}, "zz"),
            ("run_skill_script", {"skill": "aa", "script": "scripts/none.sh"}, "scripts/none.sh"),
            ("skill_add", {"path": "/nowhere"}, "/nowhere"),
            ("skill_remove", {"name": "nobody"}, "nobody"),
            ("read_skill_file", [], ""),
            ("read_skill_file", "text", ""),
            ("read_skill_file", {"skill": "aa"}, ""),
            ("read_skill_file", {"skill": "..", "path": "x"}, ""),
            ("read_skill_file", {"skill": "/etc", "path": "passwd"}, ""),
            ("read_skill_file", {"skill": "aa\n", "path": "SKILL.md"}, ""),
            ("read_skill_file", {"skill": "aa", "path": "x", "more": 1}, ""),
            ("skill_marketplace", {"action": "delete"}, ""),
            ("skill_marketplace", {"action": "remove"}, ""),
            ("skill_remove", {"name": ".."}, ""),
            ("skill_remove", {"name": ""}, ""),
            ("skill_zz", {}, ""),
            ("skill_..", {}, ""),
            ("skill_aa/../bb", {}, ""),
            ("skill_", {}, ""),
            ("skill_AA", {}, ""),
            ("Write", {}, ""),
            ("skill_aa", {"arguments": 7}, ""),
        ],
        ids=str,
    )
    def test_a_failure_is_a_result_since_a_host_shows_no_output_of_what_fails(
        self, plugged: Plugged, tool: str, arguments: object, message: str
    ) -> None:
        code, out, err = plugged(CHIBI_TOOL_NAME=tool, CHIBI_TOOL_ARGS=json.dumps(arguments))
        assert (code, err) == (0, "")
        assert out.startswith("Error: ")
        assert out.count("\n") == 1
        assert message in out
        assert "secret" not in out.replace("secret.txt", "")

    @pytest.mark.parametrize("blank", ["", " ", "\n"])
    def test_a_variable_without_anything_in_it_leaves_the_word_to_standard_input(
        self, plugged: Plugged, blank: str
    ) -> None:
        arguments = b'{"skill": "aa", "path": "references/notes.md"}'
        result = plugged(arguments, CHIBI_TOOL_NAME="read_skill_file", CHIBI_TOOL_ARGS=blank)
        assert (result.code, result.out) == (0, "Notes.\n")

    def test_a_failure_shows_no_secret(self, plugged: Plugged) -> None:
        token = "ghp_" + "Zq8Lk2Vw9Xr4Tn7Bs1Md6Hf3Jc5Pg0YaUeIo"
        arguments = json.dumps({"skill": "aa", "path": f"x/{token}"})
        _, out, _ = plugged(CHIBI_TOOL_NAME="read_skill_file", CHIBI_TOOL_ARGS=arguments)
        assert "x/ghp_****" in out

    @pytest.mark.parametrize("form", FORMS)
    def test_a_model_is_told_what_failed_although_its_host_hides_what_fails(self, inner: Hosting, form: str) -> None:
        caller = inner(form)
        for tool, arguments, message in (
            ("read_skill_file", {"skill": "aa", "path": "none.md"}, "none.md"),
            ("read_skill_file", {"skill": "aa"}, "path"),
            ("skill_marketplace", {"action": "install", "skill_ref": "a/../b"}, "a/../b"),
            ("remember", {"name": 7}, "name"),
        ):
            assert re.match(rf"Error: .*{re.escape(message)}", caller.guarded(tool, arguments)), tool
        assert caller.call("skill_zz").out.startswith("Error: ")
        assert "session-type" in inner(form, SKILLBAG_SESSION_TYPE="nobody").call("skill_aa").out

    def test_a_script_that_takes_too_long_is_reported_as_an_error(
        self, plugged: Plugged, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from skillbag.agents.scripts import run

        monkeypatch.setattr(run, "TIME_LIMIT", 0.3)
        monkeypatch.setattr(run.run_skill_script, "__defaults__", ((), None, 0.3, None))
        write(workspace, {".skills/aa/scripts/slow.sh": "sleep 1000\n"})
        result = called(plugged, "run_skill_script", {"skill": "aa", "script": "scripts/slow.sh"})
        assert result == (0, "Error: Script execution timed out (0.3s limit)\n", "")

    def test_by_hand_a_failure_has_its_exit_code(self, plugged: Plugged) -> None:
        result = plugged(words=("install", "team/none"))
        assert result.code == 1
        assert result.err.startswith("error: ")
        assert plugged(words=("instal", "team/none")).code == 2
