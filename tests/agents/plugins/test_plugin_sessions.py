"""How a host passes arguments to our plugin, its sessions, its direct use, and our own host."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from skillbag import Plugins, call_guarded, call_plugin_tool, dispatch_hook, guard_call, load_plugins
from skillbag.agents.plugins.host import TIME_LIMIT
from skillbag.doors.cli.stdin import PATIENCE
from tests.agents.plugins.plain_host import ENVIRONMENT, FORMS, INPUT, PlainHost
from tests.agents.plugins.plugged import BLOCKED, Hosting, Plugged, tools
from tests.agents.tools.calls import BUILT_IN
from tests.supply.install.worlds import contents, make_source, skill_text
from tests.support import Run


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

    def test_a_host_may_name_its_sessions(self, inner: Hosting) -> None:
        write_call = {"tool_name": "Write", "arguments": {}}
        one, other = inner(SKILLBAG_SESSION="one"), inner(SKILLBAG_SESSION="other")
        one.call("skill_aa")
        assert one.hook("pre_tool", write_call) == {"block": True, "message": BLOCKED}
        assert other.hook("pre_tool", write_call) == {}
        assert inner().hook("pre_tool", write_call) == {}


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
        ("words", "says"),
        [
            (("lst",), "there is no action 'lst'; the actions are install, "),
            (("install",), "install takes one skill, such as owner/name"),
            (("install", "a/b", "c/d"), "install takes one skill, such as owner/name"),
            (("remove",), "remove takes one skill, such as owner/name"),
            (("search",), "search takes one query"),
            (("list", "x"), "list takes no argument"),
            (("INSTALL", "x"), "there is no action 'INSTALL'; the actions are install, "),
        ],
        ids=str,
    )
    def test_a_slip_is_bad_usage(self, plugged: Plugged, words: tuple[str, ...], says: str) -> None:
        code, out, err = plugged(words=words)
        assert (code, out) == (2, "")
        assert err.startswith(f"error: {says}")

    def test_skills_come_from_the_marketplace_and_go(
        self, plugged: Plugged, workspace: Path, tmp_path: Path, run: Run
    ) -> None:
        source = make_source(tmp_path / "team", {"tidy-docs": skill_text("tidy-docs")})
        assert run("marketplace", "add", source, "--name", "team").code == 0
        assert run("marketplace", "update").code == 0

        def say(*words: str) -> Any:
            result = plugged(words=words)
            assert result.code == 0, result
            return result.value

        [found] = say("search", "tidy", "folder")
        assert found["skill_ref"] == "team/tidy-docs"
        assert say("list") == [found]
        assert say("install", "team/tidy-docs").startswith("Successfully installed skill 'tidy-docs'.")
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
        result = plugged(words=("--help",))
        assert result.code == 0
        assert "agent-skills install owner/name" in result.out


class TestOurHost:
    """The host's side of our own drives our own plugin."""

    def load(self, plugins: Path, workspace: Path) -> Plugins:
        loaded = load_plugins(str(plugins), environment={"SKILLBAG_WORKSPACE": str(workspace)})
        assert loaded.warnings == ()
        return loaded

    def test_every_tool_and_hook_is_reached(self, plugins: Path, workspace: Path) -> None:
        loaded = self.load(plugins, workspace)
        assert [tool.name for tool in loaded.tools] == [*BUILT_IN, "skill_aa", "skill_bb"]
        assert dispatch_hook(loaded, "on_start", {}) == [("skill_marketplace", {})]
        assert call_plugin_tool(loaded, "read_skill_file", {"skill": "aa", "path": "references/notes.md"}) == "Notes.\n"
        assert call_guarded(loaded, "skill_aa", {}).startswith("# Skill: aa\n")
        assert guard_call(loaded, "Write", {}).blocked == BLOCKED
        assert guard_call(loaded, "Bash", {"command": "git log"}).blocked is None


class TestArgumentPassing:
    @pytest.mark.parametrize("text", ["{", "{'a': 1}", "[" * 100_000, "\x01", '{"a": 1} x'], ids=lambda text: text[:9])
    @pytest.mark.parametrize("form", FORMS)
    def test_what_is_no_json_is_reported_as_an_error(self, plugged: Plugged, form: str, text: str) -> None:
        named = {"CHIBI_TOOL_NAME": "read_skill_file"}
        result = plugged(text.encode(), **named) if form == INPUT else plugged(**named, CHIBI_TOOL_ARGS=text)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("Error: ")
        assert "not valid JSON" in result.out

    def test_bytes_that_are_no_text_are_reported_as_an_error(self, plugged: Plugged) -> None:
        result = plugged(b'{"arguments": "\xff\xfe"}', CHIBI_TOOL_NAME="skill_bb")
        assert result.code == 0
        assert "not valid JSON" in result.out

    def test_the_environment_counts_before_standard_input(self, plugged: Plugged) -> None:
        named = {"CHIBI_TOOL_NAME": "skill_bb", "CHIBI_TOOL_ARGS": '{"arguments": "of the variable"}'}
        result = plugged(b'{"arguments": "of the pipe"}', **named)
        assert "of the variable" in result.out
        assert "of the pipe" not in result.out

    @pytest.mark.parametrize("empty", ["", " ", "null", "{}"])
    def test_no_arguments_at_all_are_as_good_as_none(self, plugged: Plugged, empty: str) -> None:
        assert plugged(CHIBI_TOOL_NAME="skill_bb", CHIBI_TOOL_ARGS=empty).code == 0
        assert plugged(empty.encode(), CHIBI_TOOL_NAME="skill_bb").code == 0

    def test_large_arguments_come_through_the_pipe_and_too_large_ones_are_refused(self, host: Hosting) -> None:
        one = host(INPUT)
        assert "x" * 500_000 in one.call("skill_bb", {"arguments": "x" * 500_000}).out
        result = one.call("skill_bb", {"arguments": "x" * 9_000_000})
        assert result.code == 0
        assert result.out.startswith("Error: ")
        assert "8 MiB" in result.out

    def test_nobody_waits_for_a_pipe_while_the_environment_has_it(self, host: Hosting) -> None:
        with held_open() as pipe:
            began = time.monotonic()
            done = start(host(), pipe, CHIBI_TOOL_NAME="skill_bb", CHIBI_TOOL_ARGS="{}")
            assert done.returncode == 0
            hook = start(host(), pipe, CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA='{"tool_name": "Write"}')
            assert hook.stdout == b"{}\n"
        assert time.monotonic() - began < 50

    def test_a_pipe_without_data_is_not_waited_for_forever(self, workspace: Path) -> None:
        assert PATIENCE < TIME_LIMIT / 2
        code = "import sys; from skillbag.doors.cli import main, stdin; stdin.piped_input.__defaults__ = (0.2,); main()"
        environment = {**os.environ, "CHIBI_TOOL_NAME": "skill_bb"}
        command = [sys.executable, "-c", code, "agent", "plugin", "serve"]
        with held_open() as pipe:
            message = subprocess.check_output(command, cwd=workspace, env=environment, stdin=pipe, timeout=300)
        assert message.startswith(b"# Skill: bb\n")

    def test_a_terminal_is_not_waited_for(self, host: Hosting) -> None:
        ours, theirs = pty.openpty()
        try:
            assert start(host(), theirs, CHIBI_TOOL_NAME="skill_bb").returncode == 0
            assert start(host(), theirs).returncode == 2
        finally:
            os.close(ours)
            os.close(theirs)

    def test_the_command_itself_speaks_the_protocol_too(self, workspace: Path, run: Run) -> None:
        assert json.loads(run("agent", "plugin", "--schema", cwd=workspace).out)[0]["name"] == "skill_marketplace"
        requested = b'{"skill": "aa", "path": "references/notes.md"}'
        assert run("agent", "plugin", cwd=workspace, stdin=requested).out == "Notes.\n"


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
        [host.plugin], cwd=host.folder, env=environment, stdin=stdin, capture_output=True, timeout=30, check=False
    )
