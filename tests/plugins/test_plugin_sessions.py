"""Sessions of our plugin, its direct use, and our own host."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from skillbag import Plugins, call_guarded, call_plugin_tool, dispatch_hook, guard_call, load_plugins
from tests.agent.calls import BUILT_IN
from tests.install.worlds import contents, make_source, skill_text, write
from tests.plugins.plain_host import ENVIRONMENT, INPUT
from tests.plugins.plugged import BLOCKED, Hosting, Plugged, tools
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
        assert [tool.name for tool in loaded.tools] == [*BUILT_IN, "skill_aa", "skill_bb"]
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
