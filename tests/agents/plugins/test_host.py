"""The host's side of the plugin protocol, driven against plugins that are well-behaved, odd, or hostile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag import Plugins, dispatch_hook, load_plugins
from tests.agents.plugins.plugged import Put, answered


def names(plugins: Plugins) -> list[str]:
    return [tool.name for tool in plugins.tools]


def said_of(plugins: Plugins, word: str) -> str:
    [sentence] = [sentence for sentence in plugins.warnings if f"{word}: " in sentence]
    return sentence


INVALID: list[object] = [
    *(7, None, [], {}),
    {"name": "x"},
    {"description": "d"},
    {"name": 7, "description": "d"},
    {"name": "x", "description": None},
    {"name": "x", "description": "d", "parameters": ["no"]},
    *({"name": name, "description": "d"} for name in ("", "a b", "a\x00b", "a\n\x1b[31m", "\ud800", "x" * 129)),
]
"""Entries of a schema that can't be used."""


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
        assert "outside of the plugins folder" in said_of(plugins, "out")
        assert plugins.tools == ()
        assert not mark.exists()

    def test_a_folder_with_a_longer_name_does_not_pass_for_the_folder(self, folder: Path, put: Put) -> None:
        put("../plugins-too/out")
        (folder / "out").symlink_to("../plugins-too/out")
        assert "outside of the plugins folder" in said_of(load_plugins(str(folder)), "out")

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

    def test_invalid_entries_are_warned_about_and_the_others_stay(self, folder: Path, put: Put) -> None:
        put("some", schema=[*INVALID, {"name": "good", "description": "d"}])
        plugins = load_plugins(str(folder))
        assert names(plugins) == ["good"]
        for number, warning in enumerate(plugins.warnings, 1):
            assert f"some: entry {number} " in warning
        assert len(plugins.warnings) == len(INVALID)

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
