"""The host's side of the plugin protocol: calls of tools, and hooks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skillbag import (
    NoPluginToolError,
    PluginError,
    UserError,
    call_guarded,
    call_plugin_tool,
    dispatch_hook,
    guard_call,
    load_plugins,
)
from skillbag.kernel.processes.groups import kill_running
from tests.agents.plugins.plugged import Put, answered
from tests.processes import descriptors, eventually, ids_in, is_alive


class TestCalls:
    def test_the_name_and_the_arguments_come_in_both_forms_at_once(self, folder: Path, put: Put) -> None:
        put("echo", 'printf \'["%s", %s, \' "$CHIBI_TOOL_NAME" "$CHIBI_TOOL_ARGS"; cat; echo "]"')
        arguments = {"text": "ä\x00'\"$(id)", "n": 1}
        assert call_plugin_tool(load_plugins(str(folder)), "echo", arguments) == ["echo", arguments, arguments]

    def test_arguments_too_large_for_the_environment_come_on_standard_input(self, folder: Path, put: Put) -> None:
        put("size", 'printf \'[%s, \' "${#CHIBI_TOOL_ARGS}"; wc -c; echo "]"')
        plugins = load_plugins(str(folder))
        for size in (1, 130_000, 131_050, 131_056, 131_072, 3_000_000):
            arguments = {"t": "x" * size}
            length = len(json.dumps(arguments))
            held, read = call_plugin_tool(plugins, "size", arguments)
            assert (held, read) in ((length, length), (0, length)), size
        assert held == 0

    def test_a_plugin_that_reads_nothing_is_given_much_and_answers(self, folder: Path, put: Put) -> None:
        put("deaf", "exec <&-; echo 1")
        assert call_plugin_tool(load_plugins(str(folder)), "deaf", {"t": "x" * 3_000_000}) == 1

    @pytest.mark.parametrize(
        ("printed", "value"),
        [
            ("", None),
            (" \\n\\t", None),
            ('{"a": [1, null]}', {"a": [1, None]}),
            ("null", None),
            ("  7 ", 7),
            ("plain words\\n", "plain words\n"),
            ("NaN", "NaN"),
            ('{"a": Infinity}', '{"a": Infinity}'),
            ('"\\\\ud800"', '"\\ud800"'),
            ('"\\\\ud83d\\\\ude00"', "😀"),
            ("[" * 5000, "[" * 5000),
            ("9" * 5000, "9" * 5000),
            ("\\377", "\ufffd"),
        ],
    )
    def test_what_is_printed_is_json_where_it_parses_else_text(
        self, folder: Path, put: Put, printed: str, value: object
    ) -> None:
        put("says", f"printf '%b' '{printed}'")
        assert call_plugin_tool(load_plugins(str(folder)), "says", {}) == value

    def test_a_failing_call_is_an_error_with_the_plugins_words(self, folder: Path, put: Put) -> None:
        put("errors", "echo out; echo Error: no >&2; exit 1")
        put("prints", "echo Error: why; exit 2")
        put("dies", "kill -9 $$")
        put("colours", "printf 'Error: \\033[31m' >&2; exit 1")
        plugins = load_plugins(str(folder))
        with pytest.raises(PluginError, match=r"exit code 1: Error: no$"):
            call_plugin_tool(plugins, "errors", {})
        with pytest.raises(PluginError, match=r"exit code 2: Error: why$"):
            call_plugin_tool(plugins, "prints", {})
        with pytest.raises(PluginError, match="exit code -9: it printed no message"):
            call_plugin_tool(plugins, "dies", {})
        with pytest.raises(PluginError, match=r"Error: \\x1b\[31m"):
            call_plugin_tool(plugins, "colours", {})

    def test_a_text_that_says_it_is_an_error_is_one(self, folder: Path, put: Put) -> None:
        put("says", "printf 'Error: no such file\\nlook \\033[31mhere\\n'")
        put("cites", "echo 'an Error: within'")
        put("json", """echo '"Error: as JSON"'""")
        plugins = load_plugins(str(folder))
        with pytest.raises(PluginError, match=r"^the plugin reports: Error: no such file\nlook \\x1b\[31mhere$"):
            call_plugin_tool(plugins, "says", {})
        with pytest.raises(PluginError):
            call_guarded(plugins, "says", {})
        assert call_plugin_tool(plugins, "cites", {}) == "an Error: within\n"
        with pytest.raises(PluginError, match="as JSON"):
            call_plugin_tool(plugins, "json", {})

    def test_a_plugin_that_is_gone_by_now_is_an_error(self, folder: Path, put: Put) -> None:
        path = put("gone")
        plugins = load_plugins(str(folder))
        path.unlink()
        with pytest.raises(PluginError):
            call_plugin_tool(plugins, "gone", {})

    def test_an_unknown_tool_and_arguments_that_are_no_json_are_mistakes_of_the_caller(
        self, folder: Path, put: Put
    ) -> None:
        put("a")
        plugins = load_plugins(str(folder))
        with pytest.raises(NoPluginToolError):
            call_plugin_tool(plugins, "b", {})
        for value in (float("nan"), object(), {1, 2}):
            with pytest.raises(UserError, match="must be JSON"):
                call_plugin_tool(plugins, "a", {"v": value})

    def test_what_an_outer_host_has_set_does_not_reach_the_plugin(
        self, folder: Path, put: Put, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put("hook", 'echo "[\\"$CHIBI_HOOK\\", \\"$CHIBI_HOOK_DATA\\", \\"$MINE\\"]"')
        monkeypatch.setenv("CHIBI_HOOK", "pre_tool")
        monkeypatch.setenv("CHIBI_HOOK_DATA", "old")
        plugins = load_plugins(str(folder), environment={"MINE": "yes"})
        assert call_plugin_tool(plugins, "hook", {}) == ["", "", "yes"]

    def test_a_plugin_that_takes_too_long_is_killed_with_all_it_has_started(self, folder: Path, put: Put) -> None:
        put("hangs", f"sleep 1000 & echo $! > {folder}/../grandchild; wait")
        plugins = load_plugins(str(folder))._replace(limit=0.4)
        with pytest.raises(PluginError, match=r"within 0\.4 s"):
            call_plugin_tool(plugins, "hangs", {})
        assert eventually(lambda: not is_alive(*ids_in(folder.parent / "grandchild")))

    def test_a_plugin_that_closes_its_outputs_and_hangs_is_killed(self, folder: Path, put: Put) -> None:
        put("hangs", "exec >&- 2>&- <&-; sleep 1000")
        with pytest.raises(PluginError, match="no answer"):
            call_plugin_tool(load_plugins(str(folder))._replace(limit=0.2), "hangs", {})

    def test_a_flood_ends_the_plugin_at_once(self, folder: Path, put: Put) -> None:
        put("floods", "exec yes")
        put("complains", "yes >&2 & sleep 0.1; echo 1")
        plugins = load_plugins(str(folder))
        with pytest.raises(PluginError, match="more than 4 MiB"):
            call_plugin_tool(plugins, "floods", {})
        assert call_plugin_tool(plugins, "complains", {}) == 1

    @pytest.mark.parametrize("starts", ["sleep 1000 &", "setsid sleep 1000 &", "(sleep 1000 &)"])
    def test_nobody_waits_for_what_a_plugin_leaves_behind(self, folder: Path, put: Put, starts: str) -> None:
        put("parent", f"{starts}\necho '\"done\"'")
        began = time.monotonic()
        assert call_plugin_tool(load_plugins(str(folder)), "parent", {}) == "done"
        assert time.monotonic() - began < 50

    def test_a_hundred_calls_at_once_each_get_their_own_answer(self, folder: Path, put: Put) -> None:
        put("echo", "cat")
        plugins, before = load_plugins(str(folder)), descriptors()
        with ThreadPoolExecutor(20) as pool:
            found = list(pool.map(lambda n: call_plugin_tool(plugins, "echo", {"n": n}), range(100)))
        assert found == [{"n": n} for n in range(100)]
        assert not descriptors() - before

    def test_no_file_and_no_process_stays_open(self, folder: Path, put: Put) -> None:
        put("echo", "cat")
        # A process of its own: in this one, other tests may have started processes that stay.
        code = (
            "import os, sys; from skillbag import load_plugins, call_plugin_tool\n"
            "plugins = load_plugins(sys.argv[1])\n"
            "before = len(os.listdir('/proc/self/fd'))\n"
            "for _ in range(5): call_plugin_tool(plugins, 'echo', {})\n"
            "assert len(os.listdir('/proc/self/fd')) == before\n"
            "os.waitpid(-1, os.WNOHANG)"
        )
        host = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
        assert host.stderr.splitlines()[-1].startswith("ChildProcessError")

    def test_all_that_is_being_called_can_be_killed(self, folder: Path, put: Put) -> None:
        put("hangs", f"sleep 1000 & echo $! > {folder}/../grandchild; wait")
        plugins = load_plugins(str(folder))
        with ThreadPoolExecutor() as pool:
            call = pool.submit(call_plugin_tool, plugins, "hangs", {})
            [grandchild] = ids_in(folder.parent / "grandchild")
            # It may have written its number before the thread that started it knows of it.
            while not call.done():
                kill_running()
                time.sleep(0.01)
            with pytest.raises(PluginError, match="exit code -9"):
                call.result()
        assert eventually(lambda: not is_alive(grandchild))

    def test_a_killed_host_leaves_no_orphan(self, folder: Path, put: Put) -> None:
        # What it reads comes once its group is watched.
        put("hangs", f"cat >/dev/null; sleep 1000 & echo $! > {folder}/../grandchild; wait")
        code = (
            "import sys; from skillbag import load_plugins, call_plugin_tool\n"
            "call_plugin_tool(load_plugins(sys.argv[1]), 'hangs', {})"
        )
        with subprocess.Popen([sys.executable, "-c", code, str(folder)]) as host:
            [grandchild] = ids_in(folder.parent / "grandchild")
            assert is_alive(grandchild)
            os.kill(host.pid, signal.SIGKILL)
        assert eventually(lambda: not is_alive(grandchild))


class TestHooks:
    def test_each_plugin_that_asked_is_asked_once_with_the_data_in_both_forms(self, folder: Path, put: Put) -> None:
        says = 'printf \'["%s", %s, \' "$CHIBI_HOOK" "$CHIBI_HOOK_DATA"; cat; echo "]"'
        entries = [{"name": name, "description": "d", "hooks": ["on_start"]} for name in "ab"]
        put("one", says, schema=entries)
        put("two", says, hooks=("on_start", "pre_tool"))
        put("three", says, hooks=("pre_tool",))
        found = dispatch_hook(load_plugins(str(folder)), "on_start", {"k": 1})
        assert found == [("a", ["on_start", {"k": 1}, {"k": 1}]), ("two", ["on_start", {"k": 1}, {"k": 1}])]

    def test_one_that_fails_hangs_floods_or_says_nothing_is_left_out_and_the_others_go_on(
        self, folder: Path, put: Put
    ) -> None:
        for name, does in {
            "a-fails": "echo '{\"block\": true}'; exit 1",
            "b-hangs": "sleep 1000",
            "c-floods": "exec yes",
            "d-silent": "",
            "e-garbage": "echo '{block'",
            "f-good": answered({"inject": "text"}),
        }.items():
            put(name, does, hooks=("post_system_prompt", "pre_tool"))
        message: list[str] = []
        plugins = load_plugins(str(folder))._replace(limit=0.5)
        found = dispatch_hook(plugins, "post_system_prompt", {}, message.append)
        assert found == [("e-garbage", "{block"), ("f-good", {"inject": "text"})]
        assert [line.split(":")[0] for line in message] == ["a-fails", "b-hangs", "c-floods"]
        assert guard_call(plugins, "Write", {"a": 1}) == ({"a": 1}, None)

    def test_the_first_block_wins_and_the_tool_is_not_called(self, folder: Path, put: Put) -> None:
        mark = folder.parent / "ran"
        put("tool", f"touch {mark}")
        put("one", answered({"arguments": {"x": 1}}), hooks=("pre_tool",))
        put("p-two", answered({"block": True, "message": "No, not now"}), hooks=("pre_tool",))
        put("q-three", f"touch {mark}\n{answered({'block': True, 'message': 'other'})}", hooks=("pre_tool",))
        assert call_guarded(load_plugins(str(folder)), "tool", {}) == "No, not now"
        assert not mark.exists()

    @pytest.mark.parametrize("more", [{}, {"message": 7}, {"message": None}])
    def test_a_block_without_a_message_has_the_documented_one(
        self, folder: Path, put: Put, more: Mapping[str, object]
    ) -> None:
        put("one", answered({"block": True, **more}), hooks=("pre_tool",))
        assert guard_call(load_plugins(str(folder)), "Write", {}).blocked == "Tool call blocked by hook"

    @pytest.mark.parametrize("answer", [{"block": "true"}, {"block": 1}, {"block": False}, [], "block", 7, None])
    def test_what_is_no_block_does_not_block(self, folder: Path, put: Put, answer: object) -> None:
        put("one", answered(answer), hooks=("pre_tool",))
        assert guard_call(load_plugins(str(folder)), "Write", {"a": 1}) == ({"a": 1}, None)

    def test_the_last_arguments_win_and_are_what_the_tool_is_called_with(self, folder: Path, put: Put) -> None:
        put("tool", "cat")
        put("p", answered({"arguments": {"by": "p"}}), hooks=("pre_tool",))
        put("q", f"cat > {folder}/../seen\n{answered({'arguments': {'by': 'q'}})}", hooks=("pre_tool",))
        put("r", answered({"arguments": "none"}), hooks=("pre_tool",))
        assert call_guarded(load_plugins(str(folder)), "tool", {"by": "me"}) == {"by": "q"}
        seen = json.loads((folder.parent / "seen").read_text())
        assert seen == {"tool_name": "tool", "arguments": {"by": "me"}}
