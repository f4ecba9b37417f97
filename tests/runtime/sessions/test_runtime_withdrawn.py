"""Permissions that are withdrawn while a skill's process runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.errors import NotFoundError
from skillbag.runtime.states import SkillState
from tests.processes import eventually, is_alive
from tests.runtime.children import CHILD
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

PROCESS = """
starts()
while True:
    answer(read(), output(os.getpid()))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a skill whose process may read it and use the network."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    fields = {"implementation": "{backend: process, entrypoint: child}", "permissions": '["file:read", "net:fetch"]'}
    program = active(folder, "bad", **fields) / "child"
    program.write_text(CHILD % sys.executable + PROCESS)
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize("scope", [ApprovalScope.ONCE, ApprovalScope.ALWAYS])
def test_a_process_ends_before_its_next_call(root: Path, scope: ApprovalScope) -> None:
    with opened(root, approved=frozenset(), ask=lambda _: scope) as runtime:
        runtime.activate("bad")
        process = int(runtime.call_tool("t", {}).output.content)
        assert is_alive(process)
        opened(root).approvals.revoke("bad")
        why = "its permissions were revoked; activate it again"
        with pytest.raises(NotFoundError, match=f"is not active any more .{why}"):
            runtime.call_tool("t", {})
        assert eventually(lambda: not is_alive(process))
        assert runtime.skills.status("bad")[1:] == (SkillState.INACTIVE, why)
        assert runtime.remarks == [f'skill "bad" is not active any more: {why}']
        runtime.activate("bad")
        assert int(runtime.call_tool("t", {}).output.content) != process


HOOKS = """
register_tool("t", "T", lambda input: "done")
register_hook("OnBeforeToolCall", lambda event: {})
register_hook("OnAfterToolResult", lambda event: {})
"""


@pytest.mark.parametrize(
    ("last", "events"), [("hook", ["hook"]), ("call", ["hook", "call"])], ids=["in-a-hook", "in-the-call"]
)
def test_a_call_goes_no_further_once_it_is_withdrawn(tmp_path: Path, last: str, events: list[str]) -> None:
    active(tmp_path, "hooked", HOOKS, permissions='["file:read"]')
    reported: list[object] = []

    def trace(event: Mapping[str, object]) -> None:
        if event["event"] in {"hook", "call"}:
            reported.append(event["event"])
            if event["event"] == last:
                opened(tmp_path).approvals.revoke("hooked")

    with opened(tmp_path, approved=frozenset(), ask=lambda _: ApprovalScope.ALWAYS, trace=trace) as runtime:
        runtime.activate("hooked")
        try:
            runtime.call_tool("t", {})
        except NotFoundError as error:
            assert "revoked" in str(error)  # noqa: PT017 - it has ended in either way
        assert runtime.skills.status("hooked").state is SkillState.INACTIVE
    assert reported == events
