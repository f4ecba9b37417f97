"""The host's side of the plugin protocol, driven against plugins that are well-behaved, odd, or hostile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skillbag import (
    NoPluginToolError,
    PluginError,
    Plugins,
    UserError,
    call_guarded,
    call_plugin_tool,
    dispatch_hook,
    guard_call,
    load_plugins,
)
from skillbag.scripts.processes import kill_running

Put = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "plugins"
    made.mkdir()
    return made


@pytest.fixture
def put(folder: Path) -> Put:
    """Write an executable plugin: its schema, and the shell lines that answer everything else."""

    def write(path: str, does: str = "", *, schema: object = None, hooks: tuple[str, ...] = ()) -> Path:
        name = Path(path).name
        said = {"name": name, "description": f"What {name} does", "hooks": hooks} if schema is None else schema
        text = said if isinstance(said, str) else json.dumps(said)
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\nif [ \"$1\" = --schema ]; then cat <<'END'\n{text}\nEND\nexit; fi\n{does}\n")
        file.chmod(0o755)
        return file

    return write


def names(plugins: Plugins) -> list[str]:
    return [tool.name for tool in plugins.tools]


def said_of(plugins: Plugins, word: str) -> str:
    [sentence] = [sentence for sentence in plugins.warnings if f"{word}: " in sentence]
    return sentence


def answered(value: object) -> str:
    """Shell that prints a JSON value."""
    return f"cat <<'END'\n{json.dumps(value)}\nEND"


def is_alive(process: int) -> bool:
    """Whether it still runs: one that nobody has buried does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def ends(process: int, patience: float = 60.0) -> bool:
    latest = time.monotonic() + patience
    while is_alive(process) and time.monotonic() < latest:
        time.sleep(0.02)
    return not is_alive(process)


def process_in(file: Path, patience: float = 60.0) -> int:
    latest = time.monotonic() + patience
    while time.monotonic() < latest:
        if file.exists() and (text := file.read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.02)
    raise AssertionError(f"{file} was never written")


class TestLoading:
    def test_a_file_and_a_folder_with_a_file_of_its_name_are_plugins_in_order_of_names(
        self, folder: Path, put: Put
    ) -> None:
        put("beta")
        put("alpha/alpha")
        plugins = load_plugins(str(folder))
        assert names(plugins) == ["alpha", "beta"]
        assert plugins.tools[0].path == str(folder / "alpha/alpha")
        assert not plugins.warnings

    def test_one_plugin_may_have_many_tools(self, folder: Path, put: Put) -> None:
        put("many", schema=[{"name": name, "description": "d", "parameters": {"type": "object"}} for name in "ab"])
        assert names(load_plugins(str(folder))) == ["a", "b"]

    @pytest.mark.parametrize("path", ["off.disabled", "off.disabled/off.disabled", "off.disabled/off"])
    def test_what_ends_in_disabled_is_not_run(self, folder: Path, put: Put, path: str) -> None:
        mark = folder.parent / "ran"
        put(path).write_text(f"#!/bin/sh\ntouch {mark}\n")
        assert load_plugins(str(folder)) == Plugins(())
        assert not mark.exists()

    def test_a_link_to_a_disabled_plugin_is_as_disabled_as_it(self, folder: Path, put: Put) -> None:
        put("off.disabled")
        (folder / "on").symlink_to("off.disabled")
        assert load_plugins(str(folder)).tools == ()

    def test_the_folder_of_disabled_plugins_is_never_looked_into(self, folder: Path, put: Put) -> None:
        put("../plugins.disabled/off")
        disabled = folder.parent / "plugins.disabled"
        (folder / "off").symlink_to("../plugins.disabled/off")
        assert load_plugins(str(folder)).tools == ()
        assert load_plugins(str(disabled)).tools == ()

    def test_what_is_not_executable_is_skipped(self, folder: Path, put: Put) -> None:
        put("plain").chmod(0o644)
        plugins = load_plugins(str(folder))
        assert plugins.tools == ()
        assert "not executable" in said_of(plugins, "plain")

    @pytest.mark.parametrize("kind", ["file", "folder", "inner"])
    def test_what_leads_out_of_the_folder_is_refused_and_not_run(self, folder: Path, put: Put, kind: str) -> None:
        mark = folder.parent / "ran"
        put("../outside/out").write_text(f"#!/bin/sh\ntouch {mark}\n")
        if kind == "file":
            (folder / "out").symlink_to("../outside/out")
        elif kind == "folder":
            (folder / "out").symlink_to("../outside")
        else:
            (folder / "out").mkdir()
            (folder / "out/out").symlink_to("../../outside/out")
        plugins = load_plugins(str(folder))
        assert "leads out" in said_of(plugins, "out")
        assert plugins.tools == ()
        assert not mark.exists()

    def test_a_folder_with_a_longer_name_does_not_pass_for_the_folder(self, folder: Path, put: Put) -> None:
        put("../plugins-too/out")
        (folder / "out").symlink_to("../plugins-too/out")
        assert "leads out" in said_of(load_plugins(str(folder)), "out")

    def test_a_link_within_the_folder_is_followed(self, folder: Path, put: Put) -> None:
        put("lib/real")
        (folder / "name").symlink_to("lib/real")
        plugins = load_plugins(str(folder))
        assert names(plugins) == ["real"]
        assert plugins.tools[0].path == str(folder / "lib/real")

    def test_a_folder_without_its_executable_a_pipe_and_a_dangling_link_are_skipped(self, folder: Path) -> None:
        (folder / "empty").mkdir()
        os.mkfifo(folder / "pipe", 0o755)
        (folder / "dangling").symlink_to("nowhere")
        assert [line.split(":")[0] for line in load_plugins(str(folder)).warnings] == [
            str(folder / "dangling"),
            str(folder / "empty/empty"),
            str(folder / "pipe"),
        ]

    def test_where_there_is_no_folder_there_are_no_plugins(self, folder: Path) -> None:
        assert load_plugins(str(folder / "none")) == Plugins(())

    @pytest.mark.parametrize(
        "entry",
        [
            7,
            None,
            [],
            {},
            {"name": "x"},
            {"description": "d"},
            {"name": 7, "description": "d"},
            {"name": "x", "description": None},
            {"name": "", "description": "d"},
            {"name": "a b", "description": "d"},
            {"name": "a\x00b", "description": "d"},
            {"name": "a\n\x1b[31m", "description": "d"},
            {"name": "\ud800", "description": "d"},
            {"name": "x" * 129, "description": "d"},
            {"name": "x", "description": "d", "parameters": ["no"]},
        ],
        ids=str,
    )
    def test_an_invalid_entry_is_warned_about_and_the_others_stay(self, folder: Path, put: Put, entry: object) -> None:
        put("some", schema=[entry, {"name": "good", "description": "d"}])
        plugins = load_plugins(str(folder))
        assert names(plugins) == ["good"]
        assert "entry 1 " in said_of(plugins, "some")

    @pytest.mark.parametrize("schema", ["", "no JSON", "[]", "7", "[{}]", "[" * 100_000, '"text"'], ids=lambda s: s[:9])
    def test_a_plugin_without_a_valid_entry_is_skipped_and_the_others_stay(
        self, folder: Path, put: Put, schema: str
    ) -> None:
        put("bad", schema=schema)
        put("good")
        plugins = load_plugins(str(folder))
        assert names(plugins) == ["good"]
        assert any("the plugin is skipped" in sentence for sentence in plugins.warnings)

    def test_odd_hooks_and_missing_parameters_are_no_fault(self, folder: Path, put: Put) -> None:
        put("a", schema={"name": "a", "description": "d", "hooks": ["pre_tool", 7, "pre_tool", {}]})
        put("b", schema={"name": "b", "description": "d", "hooks": "pre_tool"})
        plugins = load_plugins(str(folder))
        assert [tool.hooks for tool in plugins.tools] == [("pre_tool",), ()]
        assert plugins.tools[0].parameters == {"type": "object", "properties": {}}

    def test_of_two_tools_of_one_name_the_first_counts_and_the_hooks_of_both(self, folder: Path, put: Put) -> None:
        same = {"name": "same", "description": "d", "hooks": ["on_start"]}
        put("one", answered(1), schema=same)
        put("two", answered(2), schema=same)
        plugins = load_plugins(str(folder))
        assert [tool.path for tool in plugins.tools] == [str(folder / "one")]
        assert "already" in said_of(plugins, "two")
        assert [answer.value for answer in dispatch_hook(plugins, "on_start", {})] == [1, 2]

    def test_a_plugin_that_hangs_fails_floods_or_can_not_be_run_is_skipped(self, folder: Path, put: Put) -> None:
        put("hangs").write_text("#!/bin/sh\nsleep 1000\n")
        put("fails").write_text("#!/bin/sh\necho why >&2\nexit 3\n")
        put("floods").write_text("#!/bin/sh\nexec yes\n")
        put("headless").write_bytes(b"\x00\x01 no program")
        plugins = load_plugins(str(folder), limit=0.5)
        assert plugins.tools == ()
        assert "exit code 3: why" in said_of(plugins, "fails")
        assert "within 0.5 s" in said_of(plugins, "hangs")
        assert "more than 4 MiB" in said_of(plugins, "floods")
        assert "can't be run" in said_of(plugins, "headless")

    def test_warnings_are_safe_for_a_terminal(self, folder: Path, put: Put) -> None:
        put("a\x1b[31m", schema="no")
        [warning] = load_plugins(str(folder)).warnings
        assert "\x1b" not in warning


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
        with pytest.raises(PluginError, match="exit code -9: it says nothing"):
            call_plugin_tool(plugins, "dies", {})
        with pytest.raises(PluginError, match=r"Error: \\x1b\[31m"):
            call_plugin_tool(plugins, "colours", {})

    def test_a_text_that_says_it_is_an_error_is_one(self, folder: Path, put: Put) -> None:
        put("says", "printf 'Error: no such file\\nlook \\033[31mhere\\n'")
        put("cites", "echo 'an Error: within'")
        put("json", """echo '"Error: as JSON"'""")
        plugins = load_plugins(str(folder))
        with pytest.raises(PluginError, match=r"^the plugin says: Error: no such file\nlook \\x1b\[31mhere$"):
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
        assert ends(process_in(folder.parent / "grandchild"))

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

    @pytest.mark.parametrize("starts", ["sleep 100 &", "setsid sleep 100 &", "(sleep 100 &)"])
    def test_nobody_waits_for_what_a_plugin_leaves_behind(self, folder: Path, put: Put, starts: str) -> None:
        put("parent", f"{starts}\necho '\"done\"'")
        began = time.monotonic()
        assert call_plugin_tool(load_plugins(str(folder)), "parent", {}) == "done"
        assert time.monotonic() - began < 50

    def test_a_hundred_calls_at_once_each_get_their_own_answer(self, folder: Path, put: Put) -> None:
        put("echo", "cat")
        plugins = load_plugins(str(folder))
        with ThreadPoolExecutor(20) as pool:
            found = list(pool.map(lambda n: call_plugin_tool(plugins, "echo", {"n": n}), range(100)))
        assert found == [{"n": n} for n in range(100)]
        assert open_files() < 100

    def test_no_file_and_no_process_stays_open(self, folder: Path, put: Put) -> None:
        put("echo", "cat")
        plugins = load_plugins(str(folder))
        before = open_files()
        for _ in range(5):
            call_plugin_tool(plugins, "echo", {})
        assert open_files() == before
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_all_that_is_being_called_can_be_killed(self, folder: Path, put: Put) -> None:
        put("hangs", f"sleep 1000 & echo $! > {folder}/../grandchild; wait")
        plugins = load_plugins(str(folder))
        with ThreadPoolExecutor() as pool:
            call = pool.submit(call_plugin_tool, plugins, "hangs", {})
            grandchild = process_in(folder.parent / "grandchild")
            kill_running()
            with pytest.raises(PluginError, match="exit code -9"):
                call.result()
        assert ends(grandchild)

    def test_a_killed_host_leaves_no_orphan(self, folder: Path, put: Put) -> None:
        put("hangs", f"sleep 1000 & echo $! > {folder}/../grandchild; wait")
        code = (
            "import sys; from skillbag import load_plugins, call_plugin_tool\n"
            "call_plugin_tool(load_plugins(sys.argv[1]), 'hangs', {})"
        )
        with subprocess.Popen([sys.executable, "-c", code, str(folder)]) as host:
            grandchild = process_in(folder.parent / "grandchild", 20)
            assert is_alive(grandchild)
            os.kill(host.pid, signal.SIGKILL)
        assert ends(grandchild)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


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
        told: list[str] = []
        plugins = load_plugins(str(folder))._replace(limit=0.5)
        found = dispatch_hook(plugins, "post_system_prompt", {}, told.append)
        assert found == [("e-garbage", "{block"), ("f-good", {"inject": "text"})]
        assert [line.split(":")[0] for line in told] == ["a-fails", "b-hangs", "c-floods"]
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
