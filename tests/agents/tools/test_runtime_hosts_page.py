"""`docs/runtime-hosts.md` says what the code does."""

from __future__ import annotations

import re

from skillbag.agents.hosts.claude import EVENTS
from skillbag.agents.hosts.protocol import _ACTIONS
from skillbag.agents.hosts.telling import LIMITS
from skillbag.agents.plugins.active_hooks import HOOKS
from skillbag.kernel.manifest.names import Phase
from tests.support import PROJECT

PAGE = (PROJECT / "docs" / "runtime-hosts.md").read_text("utf-8")


def part(name: str) -> str:
    return PAGE.split(f"<!-- {name} -->")[1].split(f"<!-- end of {name} -->")[0].strip()


def test_the_limits_name_phases() -> None:
    assert {phase for limits in LIMITS.values() for phase in limits} <= set(Phase)


def test_all_requests_events_and_hooks_are_described() -> None:
    assert re.findall(r"^\| `(\w+)`", part("requests"), re.MULTILINE) == [
        "do",
        *("start", "message", "build_prompt", "before_tool", "after_tool", "call_tool", "run_workflow", "respond"),
        *("activate", "deactivate", "tools", "skills", "close"),
    ]
    assert set(re.findall(r"^\| `(\w+)`", part("requests"), re.MULTILINE)) == {*_ACTIONS, "do", "close"}
    assert all(f"`{event}`" in PAGE for event in (*EVENTS, *HOOKS))
