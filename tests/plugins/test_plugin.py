"""Our plugin as any host sees it: a program that is driven by its environment and its pipes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from skillbag import (
    Plugins,
    call_guarded,
    call_plugin_tool,
    dispatch_hook,
    guard_call,
    load_plugins,
)
from skillbag.cli.stdin import PATIENCE
from skillbag.plugins.host import TIME_LIMIT
from tests.install.worlds import contents, make_source, make_workspace, skill_text, write
from tests.plugins.plain_host import ENVIRONMENT, FORMS, INPUT, PlainHost, Said
from tests.support import Run

MANAGING = ["skill_marketplace", "read_skill_file", "run_skill_script", "skill_add", "skill_remove"]
LIFECYCLE = ["enter", "refresh", "resolve", "remember"]
ALLOWED = "Read, Grep, Bash(git:*)"
BLOCKED = "Tool 'Write' is not allowed while skill 'aa' is active. Allowed tools: Read, Grep, Bash(git:*)"

ASKING = "Read the file.\n\n## Parameters\n\n```yaml\nrequired:\n  - name: target\n```"

Hosting = Callable[..., PlainHost]
Plugged = Callable[..., Said]


def restricted(name: str, allowed: str = ALLOWED) -> str:
    return skill_text(name).replace("\ndescription:", f"\nallowed-tools: {allowed}\ndescription:")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two skills: `aa` allows some tools only, `bb` any. A secret lies beside them."""
    folder = make_workspace(tmp_path / "workspace")
    write(
        folder,
        {
            ".skills/SKILLS.md": catalog("aa", "bb"),
            ".skills/aa/SKILL.md": restricted("aa"),
            ".skills/aa/scripts/say.sh": 'echo "$1"; cat; exit 3\n',
            ".skills/aa/references/notes.md": "Notes.\n",
            ".skills/bb/SKILL.md": skill_text("bb"),
            ".skills/aab/secret.txt": "secret\n",
        },
    )
    return folder


def catalog(*names: str) -> str:
    from skillbag.documents.catalog import render

    return render((name, f"Does {name}. Use when {name}.") for name in names)


@pytest.fixture
def plugins(tmp_path: Path, run: Run) -> Path:
    """The plugins folder of a host, with our plugin installed."""
    folder = tmp_path / "plugins"
    assert run("plugin", "install", folder).code == 0
    return folder


@pytest.fixture
def host(plugins: Path, workspace: Path) -> Hosting:
    def make(form: str = ENVIRONMENT, folder: Path = workspace, **more: str) -> PlainHost:
        return PlainHost(plugins, folder, form, **more)

    return make


@pytest.fixture
def plugged(workspace: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Plugged:
    """The plugin run within this process, in one session: what it says with these variables and this input."""

    def call(stdin: bytes = b"", words: tuple[str, ...] = (), folder: Path = workspace, **named: str) -> Said:
        with monkeypatch.context() as patch:
            for name, value in named.items():
                patch.setenv(name, value)
            outcome = run("plugin", "serve", *words, cwd=folder, stdin=stdin)
        return Said(outcome.code, outcome.out, outcome.err)

    return call


def called(plugged: Plugged, tool: str, arguments: object = None, **named: Any) -> Said:
    """A call within this process."""
    return plugged(json.dumps(arguments or {}).encode(), CHIBI_TOOL_NAME=tool, **named)


def tools(plugged: Plugged, **named: Any) -> list[str]:
    """The names of the tools within this process."""
    return [entry["name"] for entry in plugged(words=("--schema",), **named).value]


class TestSchema:
    def test_it_names_every_tool_and_the_hooks_at_the_first(self, host: Hosting) -> None:
        entries = host().schema()
        assert [entry["name"] for entry in entries] == [*MANAGING, *LIFECYCLE, "skill_aa", "skill_bb"]
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
        said = plugged(words=("--schema",))
        assert said.code == 0
        assert [entry["name"] for entry in said.value][: len(MANAGING)] == MANAGING
        assert "SKILLS.md" in said.err

    def test_a_broken_personal_root_leaves_the_projects_tools_or_says_why_not(self, plugged: Plugged) -> None:
        said = plugged(words=("--schema",), SKILLBAG_PERSONAL_DIR="not/absolute")
        assert said.code == 0
        assert "skill_marketplace" in said.out
        assert "absolute" in said.err

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
        said = plugged(words=("--schema",))
        names = [entry["name"] for entry in said.value]
        assert names.count("skill_marketplace") == 1
        assert "marketplace" in said.err
        assert json.loads(called(plugged, "skill_marketplace", {"action": "list_installed"}).out)

    def test_a_folder_whose_name_is_not_the_declared_one_gives_a_tool_that_works(
        self, plugged: Plugged, tmp_path: Path
    ) -> None:
        write(Path(os.environ["SKILLBAG_PERSONAL_DIR"]), {"some-folder/SKILL.md": skill_text("declared")})
        assert "skill_declared" in tools(plugged, folder=tmp_path)
        assert called(plugged, "skill_declared", folder=tmp_path).out.startswith("# Skill: declared\n\n")
        assert called(plugged, "skill_some-folder", folder=tmp_path).out.startswith("Error: ")


class TestCalls:
    @pytest.mark.parametrize("form", FORMS)
    def test_a_skill_gives_its_instructions(self, host: Hosting, form: str) -> None:
        said = host(form).call("skill_aa", {"arguments": "docs/ä.md"})
        assert said.code == 0
        assert said.out.startswith("# Skill: aa\n\n# aa\n\nRead the file.\n")
        assert "\n## Arguments\ndocs/ä.md\n" in said.out
        assert "\n## Supporting Files\n" in said.out

    def test_a_question_is_the_result_of_a_call_that_succeeds(self, plugged: Plugged, workspace: Path) -> None:
        asking = skill_text("bb", body=ASKING)
        write(workspace, {".skills/bb/SKILL.md": asking})
        said = called(plugged, "skill_bb")
        assert (said.code, said.err) == (0, "")
        assert "target" in said.out
        assert "inputs" in said.out
        assert "Read the file." in called(plugged, "skill_bb", {"inputs": {"target": "x"}}).out

    @pytest.mark.parametrize("form", FORMS)
    def test_files_and_scripts(self, host: Hosting, form: str) -> None:
        one = host(form)
        assert one.call("read_skill_file", {"skill": "aa", "path": "references/notes.md"}) == (0, "Notes.\n", "")
        script = {"skill": "aa", "script": "scripts/say.sh", "args": ["$(id)"], "stdin": "given"}
        assert one.call("run_skill_script", script) == (0, "$(id)\ngiven\n[exit code: 3]\n", "")

    @pytest.mark.parametrize("form", FORMS)
    def test_an_older_host_names_no_tool(self, host: Hosting, form: str) -> None:
        said = host(form).call(None, {"skill": "aa", "script": "scripts/say.sh"})
        assert said.code == 0
        assert "[exit code: 3]" in said.out

    @pytest.mark.parametrize("form", FORMS)
    def test_a_tool_that_is_not_named_is_known_by_its_arguments(self, plugged: Plugged, form: str) -> None:
        def ask(arguments: object) -> Said:
            text = json.dumps(arguments)
            return plugged(text.encode()) if form == INPUT else plugged(CHIBI_TOOL_ARGS=text)

        assert '"name": "aa"' in ask({"action": "list_installed"}).out
        assert ask({"skill": "aa", "script": "scripts/say.sh"}).out.endswith("[exit code: 3]\n")
        assert ask({"skill": "aa", "path": "references/notes.md"}) == (0, "Notes.\n", "")
        said = ask({"arguments": "x"})
        assert (said.code, said.err) == (0, "")
        assert said.out.startswith("Error: ")
        assert "CHIBI_TOOL_NAME" in said.out

    def test_the_session_is_entered_and_what_changed_is_told(self, plugged: Plugged, workspace: Path) -> None:
        assert "call enter first" in called(plugged, "skill_bb").out
        assert called(plugged, "enter").code == 0
        assert "call enter first" not in called(plugged, "skill_bb").out
        write(workspace, {"CONTEXT.md": "# Context\n\nWords.\n"})
        assert "CONTEXT.md" in called(plugged, "refresh").out

    def test_values_are_resolved_and_kept(self, plugged: Plugged, workspace: Path) -> None:
        asking = skill_text("bb", body=ASKING)
        write(workspace, {".skills/bb/SKILL.md": asking, ".gitignore": "USER_CONTEXT.md\n"})
        called(plugged, "enter")
        assert "target" in called(plugged, "resolve", {"skill": "bb"}).out
        said = called(plugged, "remember", {"skill": "bb", "name": "target", "value": "docs"})
        assert said.code == 0, said
        assert "docs" in called(plugged, "resolve", {"skill": "bb"}).out

    def test_personal_skills_come_and_go(self, plugged: Plugged, tmp_path: Path) -> None:
        source = write(tmp_path / "source", {"SKILL.md": skill_text("mine")})
        said = called(plugged, "skill_add", {"path": str(source)})
        assert json.loads(said.out) == {
            "summary": 'Skill "mine" installed to personal skills.',
            "skillName": "mine",
            "status": "installed",
        }
        assert "skill_mine" in tools(plugged)
        assert json.loads(called(plugged, "skill_remove", {"name": "MINE"}).out)["status"] == "removed"
        assert "skill_mine" not in tools(plugged)


class TestMistakes:
    """Many calls, so within this process."""

    @pytest.mark.parametrize(
        ("tool", "arguments", "said"),
        [
            ("read_skill_file", {"skill": "aa", "path": "../aab/secret.txt"}, "Path traversal not allowed"),
            ("read_skill_file", {"skill": "aa", "path": "none.md"}, "none.md"),
            ("read_skill_file", {"skill": "zz", "path": "none.md"}, "zz"),
            ("run_skill_script", {"skill": "aa", "script": "scripts/none.sh"}, "scripts/none.sh"),
            ("skill_add", {"path": "/nowhere"}, "/nowhere"),
            ("skill_remove", {"name": "nobody"}, "nobody"),
        ],
    )
    def test_a_failure_is_a_result_since_a_host_shows_no_output_of_what_fails(
        self, plugged: Plugged, tool: str, arguments: dict[str, Any], said: str
    ) -> None:
        outcome = plugged(CHIBI_TOOL_NAME=tool, CHIBI_TOOL_ARGS=json.dumps(arguments))
        code, out, err = outcome
        assert (code, err) == (0, "")
        assert out.startswith("Error: ")
        assert out.count("\n") == 1
        assert said in out
        assert "secret" not in out.replace("secret.txt", "")

    @pytest.mark.parametrize("blank", ["", " ", "\n"])
    def test_a_variable_without_anything_in_it_leaves_the_word_to_standard_input(
        self, plugged: Plugged, blank: str
    ) -> None:
        arguments = b'{"skill": "aa", "path": "references/notes.md"}'
        said = plugged(arguments, CHIBI_TOOL_NAME="read_skill_file", CHIBI_TOOL_ARGS=blank)
        assert (said.code, said.out) == (0, "Notes.\n")

    def test_a_failure_shows_no_secret(self, plugged: Plugged) -> None:
        token = "ghp_" + "Zq8Lk2Vw9Xr4Tn7Bs1Md6Hf3Jc5Pg0YaUeIo"
        arguments = json.dumps({"skill": "aa", "path": f"x/{token}"})
        _, out, _ = plugged(CHIBI_TOOL_NAME="read_skill_file", CHIBI_TOOL_ARGS=arguments)
        assert "x/ghp_****" in out

    @pytest.mark.parametrize("form", FORMS)
    def test_a_model_is_told_what_failed_although_its_host_hides_what_fails(self, host: Hosting, form: str) -> None:
        one = host(form)
        for tool, arguments, told in (
            ("read_skill_file", {"skill": "aa", "path": "none.md"}, "none.md"),
            ("read_skill_file", {"skill": "aa"}, "path"),
            ("skill_marketplace", {"action": "install", "skill_ref": "a/../b"}, "a/../b"),
            ("remember", {"name": 7}, "name"),
        ):
            assert re.match(rf"Error: .*{re.escape(told)}", one.guarded(tool, arguments)), tool
        assert one.call("skill_zz").out.startswith("Error: ")
        assert "session-type" in host(form, SKILLBAG_SESSION_TYPE="nobody").call("skill_aa").out

    def test_a_script_that_takes_too_long_is_told_as_an_error(
        self, plugged: Plugged, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from skillbag.scripts import run

        monkeypatch.setattr(run, "TIME_LIMIT", 0.3)
        monkeypatch.setattr(run.run_skill_script, "__defaults__", ((), None, 0.3, None))
        write(workspace, {".skills/aa/scripts/slow.sh": "sleep 1000\n"})
        said = called(plugged, "run_skill_script", {"skill": "aa", "script": "scripts/slow.sh"})
        assert said == (0, "Error: Script execution timed out (0.3s limit)\n", "")

    def test_by_hand_a_failure_has_its_exit_code(self, plugged: Plugged) -> None:
        said = plugged(words=("install", "team/none"))
        assert said.code == 1
        assert said.err.startswith("skillbag: ")
        assert plugged(words=("instal", "team/none")).code == 2

    @pytest.mark.parametrize(
        ("tool", "arguments"),
        [
            ("read_skill_file", []),
            ("read_skill_file", "text"),
            ("read_skill_file", {"skill": "aa"}),
            ("read_skill_file", {"skill": "..", "path": "x"}),
            ("read_skill_file", {"skill": "/etc", "path": "passwd"}),
            ("read_skill_file", {"skill": "aa\n", "path": "SKILL.md"}),
            ("read_skill_file", {"skill": "aa", "path": "x", "more": 1}),
            ("skill_marketplace", {"action": "delete"}),
            ("skill_marketplace", {"action": "remove"}),
            ("skill_remove", {"name": ".."}),
            ("skill_remove", {"name": ""}),
            ("skill_zz", {}),
            ("skill_..", {}),
            ("skill_aa/../bb", {}),
            ("skill_", {}),
            ("skill_AA", {}),
            ("Write", {}),
            ("skill_aa", {"arguments": 7}),
        ],
        ids=str,
    )
    def test_bad_arguments_and_unknown_tools_are_results_too(
        self, plugged: Plugged, tool: str, arguments: object
    ) -> None:
        outcome = plugged(CHIBI_TOOL_NAME=tool, CHIBI_TOOL_ARGS=json.dumps(arguments))
        code, out, err = outcome
        assert (code, err) == (0, "")
        assert out.startswith("Error: ")
        assert len(out.splitlines()) == 1


class TestArgumentPassing:
    @pytest.mark.parametrize("text", ["{", "{'a': 1}", "[" * 100_000, "\x01", '{"a": 1} x'], ids=lambda text: text[:9])
    @pytest.mark.parametrize("form", FORMS)
    def test_what_is_no_json_is_told_as_an_error(self, plugged: Plugged, form: str, text: str) -> None:
        named = {"CHIBI_TOOL_NAME": "read_skill_file"}
        said = plugged(text.encode(), **named) if form == INPUT else plugged(**named, CHIBI_TOOL_ARGS=text)
        assert (said.code, said.err) == (0, "")
        assert said.out.startswith("Error: ")
        assert "no JSON" in said.out

    def test_bytes_that_are_no_text_are_told_as_an_error(self, plugged: Plugged) -> None:
        said = plugged(b'{"arguments": "\xff\xfe"}', CHIBI_TOOL_NAME="skill_bb")
        assert said.code == 0
        assert "no JSON" in said.out

    def test_the_environment_counts_before_standard_input(self, plugged: Plugged) -> None:
        named = {"CHIBI_TOOL_NAME": "skill_bb", "CHIBI_TOOL_ARGS": '{"arguments": "of the variable"}'}
        said = plugged(b'{"arguments": "of the pipe"}', **named)
        assert "of the variable" in said.out
        assert "of the pipe" not in said.out

    @pytest.mark.parametrize("empty", ["", " ", "null", "{}"])
    def test_no_arguments_at_all_are_as_good_as_none(self, plugged: Plugged, empty: str) -> None:
        assert plugged(CHIBI_TOOL_NAME="skill_bb", CHIBI_TOOL_ARGS=empty).code == 0
        assert plugged(empty.encode(), CHIBI_TOOL_NAME="skill_bb").code == 0

    def test_large_arguments_come_through_the_pipe_and_too_large_ones_are_refused(self, host: Hosting) -> None:
        one = host(INPUT)
        assert "x" * 500_000 in one.call("skill_bb", {"arguments": "x" * 500_000}).out
        said = one.call("skill_bb", {"arguments": "x" * 9_000_000})
        assert said.code == 0
        assert said.out.startswith("Error: ")
        assert "8 MiB" in said.out

    def test_nobody_waits_for_a_pipe_while_the_environment_has_it(self, host: Hosting) -> None:
        with held_open() as pipe:
            began = time.monotonic()
            done = start(host(), pipe, CHIBI_TOOL_NAME="skill_bb", CHIBI_TOOL_ARGS="{}")
            assert done.returncode == 0
            hook = start(host(), pipe, CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA='{"tool_name": "Write"}')
            assert hook.stdout == b"{}\n"
        assert time.monotonic() - began < 25

    def test_a_pipe_without_data_is_not_waited_for_forever(self, workspace: Path) -> None:
        assert PATIENCE < TIME_LIMIT / 2
        code = "import sys; from skillbag.cli import main, stdin; stdin.piped_input.__defaults__ = (0.2,); main()"
        environment = {**os.environ, "CHIBI_TOOL_NAME": "skill_bb"}
        command = [sys.executable, "-c", code, "plugin", "serve"]
        with held_open() as pipe:
            said = subprocess.check_output(command, cwd=workspace, env=environment, stdin=pipe, timeout=300)
        assert said.startswith(b"# Skill: bb\n")

    def test_a_terminal_is_not_waited_for(self, host: Hosting) -> None:
        ours, theirs = pty.openpty()
        try:
            assert start(host(), theirs, CHIBI_TOOL_NAME="skill_bb").returncode == 0
            assert start(host(), theirs).returncode == 2
        finally:
            os.close(ours)
            os.close(theirs)

    def test_the_command_itself_speaks_the_protocol_too(self, workspace: Path, run: Run) -> None:
        assert json.loads(run("plugin", "--schema", cwd=workspace).out)[0]["name"] == "skill_marketplace"
        asked = b'{"skill": "aa", "path": "references/notes.md"}'
        assert run("plugin", cwd=workspace, stdin=asked).out == "Notes.\n"


@contextmanager
def held_open() -> Iterator[int]:
    """A pipe into which nobody ever writes."""
    theirs, ours = os.pipe()
    try:
        yield theirs
    finally:
        os.close(theirs)
        os.close(ours)


def start(host: PlainHost, stdin: int, **named: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **named}
    return subprocess.run(
        [host.plugin], cwd=host.folder, env=environment, stdin=stdin, capture_output=True, timeout=300, check=False
    )


class TestHooks:
    @pytest.mark.parametrize("form", FORMS)
    def test_the_index_of_skills_is_injected(self, host: Hosting, form: str) -> None:
        text = host(form).hook("post_system_prompt")["inject"]
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

    def test_tools_are_blocked_while_a_skill_allows_some_only(self, host: Hosting) -> None:
        one = host(INPUT)
        assert one.guarded("Write") == "Write was called"
        assert one.guarded("skill_aa").startswith("# Skill: aa\n")
        assert one.guarded("Write", {"file_path": "x"}) == BLOCKED
        assert one.guarded("Bash", {"command": "git status"}) == "Bash was called"
        assert "not allowed while skill 'aa'" in one.guarded("Bash", {"command": "git status; rm -rf x"})
        assert one.guarded("skill_bb").startswith("# Skill: bb\n")
        assert one.guarded("Write") == "Write was called"

    def test_what_is_blocked_depends_on_the_arguments(self, plugged: Plugged) -> None:
        called(plugged, "skill_aa")
        assert pre_tool(plugged, {"tool_name": "Read", "arguments": {"file_path": "x"}}) == {}
        assert pre_tool(plugged, {"tool_name": "Bash", "arguments": {"command": "git status"}}) == {}
        assert pre_tool(plugged, {"tool_name": "Bash", "arguments": {"command": "rm -rf x"}})["block"] is True
        called(plugged, "skill_bb")
        assert pre_tool(plugged, {"tool_name": "Bash", "arguments": {"command": "rm -rf x"}}) == {}

    def test_our_own_tools_stay_allowed(self, plugged: Plugged) -> None:
        plugged(CHIBI_TOOL_NAME="skill_aa")
        for tool in (*MANAGING, *LIFECYCLE, "skill_bb"):
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
        def ask() -> Said:
            if form == INPUT:
                return plugged(data.encode(), CHIBI_HOOK="pre_tool")
            return plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA=data)

        assert ask() == (0, "{}\n", "")
        plugged(CHIBI_TOOL_NAME="skill_aa")
        said = ask()
        assert said.code == 0
        assert said.value["block"] is True
        assert "aa" in said.value["message"]

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
                said = plugged(data.encode(), CHIBI_HOOK=hook)
            else:
                said = plugged(CHIBI_HOOK=hook, CHIBI_HOOK_DATA=data)
            assert said.code == 0
            assert said.value.get("block", False) is (hook == "pre_tool")
            if hook == "pre_tool":
                assert "nobody can tell whether it is allowed: " in said.value["message"]
                assert "no JSON" in said.value["message"]

    @pytest.mark.parametrize("arguments", [None, "git status", ["git", "status"], {"command": 7}, {}])
    def test_arguments_that_can_not_be_read_are_none_that_a_pattern_allows(
        self, plugged: Plugged, arguments: object
    ) -> None:
        plugged(CHIBI_TOOL_NAME="skill_aa")
        assert pre_tool(plugged, {"tool_name": "Bash", "arguments": arguments})["block"] is True
        assert pre_tool(plugged, {"tool_name": "Read", "arguments": arguments}) == {}


def pre_tool(plugged: Plugged, data: object, form: str = ENVIRONMENT) -> Any:
    text = json.dumps(data)
    if form == INPUT:
        return plugged(text.encode(), CHIBI_HOOK="pre_tool").value
    return plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA=text).value


class TestFailingClosed:
    """What goes wrong in `pre_tool` must not look like permission."""

    def blocked(self, plugged: Plugged, tool: str = "Write", **named: str) -> str:
        data = json.dumps({"tool_name": tool, "arguments": {}})
        said = plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA=data, **named)
        assert said.code == 0
        assert said.value["block"] is True
        message: str = said.value["message"]
        return message

    def test_a_damaged_record_blocks_until_a_start(self, plugged: Plugged) -> None:
        plugged(CHIBI_TOOL_NAME="skill_aa")
        [record] = Path(os.environ["SKILLBAG_STATE_DIR"]).rglob("*.active")
        record.write_text("{")
        self.blocked(plugged)
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

        monkeypatch.setattr("skillbag.permissions.allowed_tools.why_blocked", fail)
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
            assert time.monotonic() - began < 20


@contextmanager
def one_writer(workspace: Path) -> Iterator[None]:
    """Another process that holds the workspace's writer lock."""
    code = (
        "import sys\nfrom skillbag.transaction.writer import locked\n"
        "with locked(sys.argv[1], 5):\n    print('held', flush=True)\n    sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(workspace)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"held\n"
        yield


class TestSessions:
    def test_two_hosts_at_once_have_an_active_skill_each(self, plugins: Path, workspace: Path) -> None:
        write_call = ("hook", "pre_tool", {"tool_name": "Write", "arguments": {}})
        blocked = {"block": True, "message": BLOCKED}
        with talking(plugins, workspace, ENVIRONMENT) as one, talking(plugins, workspace, INPUT) as other:
            one("call", "skill_aa")
            assert one(*write_call) == blocked
            assert other(*write_call) == {}
            other("call", "skill_aa")
            one("call", "skill_bb")
            assert one(*write_call) == {}
            assert other(*write_call) == blocked

    def test_a_host_may_name_its_sessions(self, host: Hosting) -> None:
        write_call = {"tool_name": "Write", "arguments": {}}
        one, other = host(SKILLBAG_SESSION="one"), host(SKILLBAG_SESSION="other")
        one.call("skill_aa")
        assert one.hook("pre_tool", write_call) == {"block": True, "message": BLOCKED}
        assert other.hook("pre_tool", write_call) == {}
        assert host().hook("pre_tool", write_call) == {}


@contextmanager
def talking(plugins: Path, workspace: Path, form: str) -> Iterator[Callable[..., Any]]:
    """A host in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("plain_host.py")), str(plugins), str(workspace), form]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout

        def ask(*what: object) -> Any:
            assert process.stdin
            assert process.stdout
            process.stdin.write(json.dumps(what) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield ask
        process.stdin.close()


class TestDirectUse:
    @pytest.mark.parametrize(
        "words",
        [("lst",), ("install",), ("install", "a/b", "c/d"), ("remove",), ("search",), ("list", "x"), ("INSTALL", "x")],
        ids=str,
    )
    def test_a_slip_is_bad_usage(self, plugged: Plugged, words: tuple[str, ...]) -> None:
        code, out, err = plugged(words=words)
        assert (code, out) == (2, "")
        assert err.startswith("skillbag: ")

    def test_skills_come_from_the_marketplace_and_go(
        self, host: Hosting, plugged: Plugged, workspace: Path, tmp_path: Path, run: Run
    ) -> None:
        source = make_source(tmp_path / "team", {"tidy-docs": skill_text("tidy-docs")})
        assert run("marketplace", "add", source, "--name", "team").code == 0
        assert run("marketplace", "update").code == 0

        def say(*words: str) -> Any:
            said = plugged(words=words)
            assert said.code == 0, said
            return said.value

        [found] = say("search", "tidy", "folder")
        assert found["skill_ref"] == "team/tidy-docs"
        assert say("list") == [found]
        said = host().run({}, arguments=("install", "team/tidy-docs"))
        assert said.code == 0, said
        assert said.out.startswith("Successfully installed skill 'tidy-docs'.")
        assert "tidy-docs" in {skill["name"] for skill in say("list_installed")}
        assert "skill_tidy-docs" in tools(plugged)
        assert say("remove", "tidy-docs").startswith("Successfully removed skill 'tidy-docs'.")
        assert not (workspace / ".skills/tidy-docs").exists()

    @pytest.mark.parametrize("name", ["..", "x/", "", ".", "/etc", "team/../../x", "a/b/c", "aa\n"])
    def test_removing_what_is_no_skill_removes_nothing(self, plugged: Plugged, workspace: Path, name: str) -> None:
        before = contents(workspace)
        assert plugged(words=("remove", name)).code in (1, 2)
        assert contents(workspace) == before

    def test_help_names_the_actions(self, plugged: Plugged) -> None:
        said = plugged(words=("--help",))
        assert said.code == 0
        assert "agent-skills install owner/name" in said.out


class TestOurHost:
    """The host's side of our own drives our own plugin."""

    def load(self, plugins: Path, workspace: Path) -> Plugins:
        loaded = load_plugins(str(plugins), environment={"SKILLBAG_WORKSPACE": str(workspace)})
        assert loaded.warnings == ()
        return loaded

    def test_every_tool_and_hook_is_reached(self, plugins: Path, workspace: Path) -> None:
        loaded = self.load(plugins, workspace)
        assert [tool.name for tool in loaded.tools] == [*MANAGING, *LIFECYCLE, "skill_aa", "skill_bb"]
        assert dispatch_hook(loaded, "on_start", {}) == [("skill_marketplace", {})]
        assert call_plugin_tool(loaded, "read_skill_file", {"skill": "aa", "path": "references/notes.md"}) == "Notes.\n"
        assert call_guarded(loaded, "skill_aa", {}).startswith("# Skill: aa\n")
        assert guard_call(loaded, "Write", {}).blocked == BLOCKED
        assert guard_call(loaded, "Bash", {"command": "git log"}).blocked is None

    def test_calls_at_once_each_get_their_own_answer(self, plugins: Path, workspace: Path) -> None:
        loaded = self.load(plugins, workspace)

        def read(number: int) -> Any:
            return call_plugin_tool(loaded, "read_skill_file", {"skill": "aa", "path": f"references/{number}.md"})

        write(workspace, {f".skills/aa/references/{number}.md": f"Note {number}." for number in range(8)})
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(read, range(8)))
        assert found == [f"Note {number}.\n" for number in range(8)]
