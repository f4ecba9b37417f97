"""The way from a call to a skill's process, and from there to the broker, is short enough to be read on one screen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from skillbag.runtime.broker.broker import Broker
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write
from tests.support import PROJECT, documented_path

MAX = 8
"""Named functions on each of the two ways, both ends counted."""
READER = 'register_tool("reader", "Reads.", lambda input: read_file("a.txt"))\n'


def test_few_calls_lead_to_the_process_and_from_it_to_the_broker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, stacks = tmp_path / "workspace", list[list[str]]()
    active(root, "reader", READER, permissions='["file:read"]')
    write(root, {"a.txt": "hi"})
    demand = Broker.demand

    def watched(broker: Broker, *arguments: Any) -> None:
        frame, names = sys._getframe(1), list[str]()
        while frame.f_back:
            if frame.f_code.co_filename.startswith(str(PROJECT / "skillbag")):
                names.append(frame.f_code.co_name)
            frame = frame.f_back
        stacks.append(names[::-1])
        demand(broker, *arguments)

    monkeypatch.setattr(Broker, "demand", watched)
    with opened(root) as runtime:
        runtime.activate("reader")
        assert runtime.call_tool("reader", {}).content == "hi"
    (stack,) = stacks
    out = stack.index("ask") + 1
    assert stack[:out] == documented_path("A call of an active skill")
    assert out <= MAX
    assert len(stack) - out <= MAX
