"""How a host passes arguments to our plugin."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skillbag.cli.stdin import PATIENCE
from skillbag.plugins.host import TIME_LIMIT
from tests.plugins.plain_host import FORMS, INPUT, PlainHost
from tests.plugins.plugged import Hosting, Plugged
from tests.support import Run


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
            said = subprocess.check_output(command, cwd=workspace, env=environment, stdin=pipe, timeout=20)
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
        [host.plugin], cwd=host.folder, env=environment, stdin=stdin, capture_output=True, timeout=30, check=False
    )
