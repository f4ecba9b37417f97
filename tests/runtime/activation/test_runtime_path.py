"""The way from a call to a skill's process, and from there to a file, is short enough to be read on one screen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from skillbag.runtime.broker.broker import Broker
from skillbag.runtime.host import files
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write
from tests.support import PROJECT, documented_path

CALL, HOST = 7, 9
"""Most named functions from the call to the request, and from the loop that reads the child to what it asked for."""
READER = 'register_tool("reader", "Reads.", lambda input: read_file("a.txt"))\n'


def test_few_calls_lead_to_the_process_and_from_it_to_the_broker_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, stacks = tmp_path / "workspace", list[list[str]]()
    active(root, "reader", READER, permissions='["file:read"]')
    write(root, {"a.txt": "hi"})

    def watch(owner: object, name: str) -> None:
        work = getattr(owner, name)

        def watched(*arguments: Any) -> Any:
            stacks.append([*_callers(), name])
            return work(*arguments)

        monkeypatch.setattr(owner, name, watched)

    watch(Broker, "demand")
    watch(files, "read_beneath")
    with opened(root) as runtime:
        runtime.activate("reader")
        assert runtime.call_tool("reader", {}).output.content == "hi"
    # The file is looked for in the skill's folder, then in the workspace.
    assert [stack[-1] for stack in stacks] == ["demand", "read_beneath", "read_beneath"]
    for stack in stacks:
        out = stack.index("ask") + 1
        assert stack[:out] == documented_path("A call of an active skill")
        assert out <= CALL
        assert len(stack) - out <= HOST, stack


def _callers() -> list[str]:
    """The functions of the product that run, the outermost first."""
    frame, names = sys._getframe(2), list[str]()
    while frame.f_back:
        if frame.f_code.co_filename.startswith(str(PROJECT / "skillbag")):
            names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names[::-1]
