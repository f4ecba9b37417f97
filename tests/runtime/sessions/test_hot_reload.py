"""Reloading an active skill: the new one beside the old, in its place once it works."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.backends.backend import CallKind
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.questions import PermissionQuestion
from skillbag.runtime.errors import ChildError, NotFoundError, RuntimeFaultError
from skillbag.runtime.sessions.hot_reload import reload
from skillbag.runtime.sessions.runtime import Runtime
from tests.rows import each_row
from tests.runtime.worlds_active import LOGS_PHASES, active, opened
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(os.name != "posix", reason="skills run in process groups")

GUARD = """\
register_hook("OnBeforeToolCall", lambda event: {"cancel": True, "reason": "%s"})
register_tool("say", "Says.", lambda input: "%s")
"""


def edit(root: Path, code: str) -> None:
    write(root / ".skills/one", {"main.star": code})


def said(runtime: Runtime) -> str:
    return str(runtime.calls.tool("say", {}).content)


def test_the_new_one_takes_the_place_of_the_old(tmp_path: Path) -> None:
    active(tmp_path / "w", "one", GUARD % ("old", "old"))
    with opened(tmp_path / "w") as runtime:
        runtime.activate("one")
        edit(tmp_path / "w", GUARD % ("new", "new") + 'register_tool("more", "More.", lambda input: "more")\n')
        old = runtime.skills.get("one")
        reload(runtime, "one")
        assert said(runtime) == "new"
        assert [tool.spec.name for tool in runtime.tools()] == ["say", "more"]
        assert [state.hook.skill for state in runtime.hooks.listed()] == ["one"]
        assert "new" in runtime.call_tool("say", {}).output.content
        assert old
        assert old.backend
        with pytest.raises(ChildError, match="not active"):
            old.backend.call(CallKind.TOOL, "say", {})
        runtime.deactivate("one")
        assert runtime.hooks.listed() == ()


@each_row(
    ("change", "message"),
    [
        ({"main.star": "def (\n"}, "main.star"),
        ({"main.star": 'register_tool("a b", "x", lambda input: 1)\n'}, "a b"),
        ({"SKILL.yaml": "name: one\n"}, "SKILL.yaml:1:1: manifest validation: version is required"),
        ({"SKILL.yaml": "name: two\nversion: 1.0.0\ndescription: D.\ntypes: [prompt]\n"}, "not in"),
    ],
)
def test_the_old_one_stays_after_an_error(tmp_path: Path, change: dict[str, str], message: str) -> None:
    active(tmp_path / "w", "one", GUARD % ("old", "old"))
    with opened(tmp_path / "w") as runtime:
        runtime.activate("one")
        write(tmp_path / "w/.skills/one", change)
        with pytest.raises(RuntimeFaultError, match=message):
            reload(runtime, "one")
        assert said(runtime) == "old"
        assert len(runtime.hooks.listed()) == 1


def test_its_own_hooks_fire_in_order(tmp_path: Path) -> None:
    permissions = '["file:read", "file:write"]'
    active(tmp_path / "w", "one", LOGS_PHASES, permissions=permissions)
    with opened(tmp_path / "w") as runtime:
        runtime.activate("one")
        edit(tmp_path / "w", LOGS_PHASES + "\n# Edited.\n")
        reload(runtime, "one")
    assert (tmp_path / "w/log.txt").read_text().split() == ["OnActivate", "OnDeactivate", "OnActivate", "OnDeactivate"]


def test_changed_files_are_asked_about_again(tmp_path: Path) -> None:
    active(tmp_path / "w", "one", GUARD % ("old", "old"), permissions='["file:read"]')
    requested: list[str] = []

    def ask(question: PermissionQuestion) -> None:
        requested.append(question.skill)

    with opened(tmp_path / "w", approved=frozenset(), ask=ask) as runtime:
        runtime.approvals.grant(runtime.grantee("one"), ApprovalScope.ALWAYS)
        runtime.activate("one")
        edit(tmp_path / "w", GUARD % ("new", "new"))
        with pytest.raises(QuestionsError):
            reload(runtime, "one")
        assert (said(runtime), requested) == ("old", ["one"])


def test_only_an_active_skill_is_reloaded(tmp_path: Path) -> None:
    active(tmp_path / "w", "one")
    with opened(tmp_path / "w") as runtime, pytest.raises(NotFoundError, match="not active"):
        reload(runtime, "one")


def test_new_dependencies_must_be_active(tmp_path: Path) -> None:
    active(tmp_path / "w", "one")
    active(tmp_path / "w", "two", 'register_tool("two", "x", lambda input: 2)\n')
    with opened(tmp_path / "w") as runtime:
        runtime.activate("one")
        active(tmp_path / "w", "one", dependencies="[{name: two}]")
        with pytest.raises(RuntimeFaultError, match='requires "two" now'):
            reload(runtime, "one")
        runtime.activate("two")
        reload(runtime, "one")
        assert set(runtime.deactivate("two")) == {"one", "two"}
