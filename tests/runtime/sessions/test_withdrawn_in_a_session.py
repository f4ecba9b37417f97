"""A skill that the user denies or revokes while it is active, in one process or between two."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.session_records import SessionPlace, read_session
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.sessions.resumption import resumed
from skillbag.runtime.states import SkillState
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

GUARD = """\
register_hook("OnBeforeToolCall", lambda event: {"cancel": "private" in event["data"]["input"]})
register_hook("OnDeactivate", lambda event: write_file("log.txt", "x"))
register_tool("look", "Looks.", lambda input: "seen")
"""
PERMISSIONS = '["file:read", "file:write"]'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a guard that needs permissions, and one that requires it."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(folder, "guard", GUARD, permissions=PERMISSIONS, tools="[{name: look, description: Looks.}]")
    active(
        folder,
        "user",
        GUARD.replace('"look"', '"use"').replace('write_file("log.txt", "x")', "None"),
        dependencies="[{name: guard}]",
    )
    return folder


def withdraw(root: Path, scope: ApprovalScope | None) -> None:
    """As another process: deny, or revoke for None."""
    with opened(root) as other:
        if scope is None:
            other.approvals.revoke("guard")
        else:
            other.approvals.grant(other.grantee("guard"), scope)


@pytest.mark.parametrize("scope", [None, ApprovalScope.DENY])
def test_it_takes_no_part_in_the_next_step(root: Path, scope: ApprovalScope | None) -> None:
    with opened(root, session="s1") as runtime:
        runtime.activate("user")
        assert runtime.before_tool("Bash", "private").cancelled_by == "guard"
        withdraw(root, scope)
        assert runtime.before_tool("Bash", "private").cancelled_by is None
        assert runtime.tools() == ()
        assert [status.state for status in runtime.statuses()] == [SkillState.INACTIVE] * 2
        assert len(runtime.remarks) == 2
        assert "user" in runtime.remarks[0]
        assert runtime.skills.withdrawn == {"guard", "user"}
        with pytest.raises(NotFoundError, match='"guard" has it once it is activated'):
            runtime.call_tool("look", {})
    assert not (root / "log.txt").exists()


def test_another_skill_is_not_concerned(root: Path) -> None:
    active(root, "echo", permissions='["file:read"]')
    with opened(root) as runtime:
        runtime.activate("echo")
        withdraw(root, None)
        assert runtime.call_tool("echo", {"text": "x"}).output.content == "x"


@pytest.mark.parametrize("scope", [None, ApprovalScope.DENY])
def test_a_guard_that_the_user_ended_is_not_kept(root: Path, scope: ApprovalScope | None) -> None:
    place = SessionPlace(str(root.parent / "state"), str(root.resolve()), "s1")
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("user")
    withdraw(root, scope)
    with resumed(runtime := opened(root, session="s1"), [Phase.BEFORE_TOOL_CALL]):
        assert runtime.before_tool("Bash", "private").cancelled_by is None
        assert (runtime.skills.withdrawn, runtime.skills.lost) == ({"guard", "user"}, {})
    assert read_session(place).active == ()


def test_a_guard_whose_approval_is_lost_is_kept(root: Path) -> None:
    place = SessionPlace(str(root.parent / "state"), str(root.resolve()), "s1")
    with resumed(runtime := opened(root, session="s1", approved=frozenset(), ask=lambda _: ApprovalScope.ONCE)):
        runtime.activate("guard")
    for part in (root.parent / "state").glob("runtime.db*"):
        part.unlink()
    opened(root).audit.write("other", "", "granted")  # type: ignore[arg-type]
    with resumed(runtime := opened(root, session="s1")):
        assert runtime.skills.get("guard") is None
        assert runtime.skills.lost == {"guard": True}
        assert "is not in the database any more" in runtime.remarks[0]
    assert [each.skill for each in read_session(place).active] == ["guard"]


def test_a_failed_activation_takes_down_what_it_brought(root: Path) -> None:
    active(root, "fine", permissions='["file:read"]')
    active(root, "other", 'register_tool("o", "O.", lambda input: "o")\n')
    active(root, "broken", 'fail("no")\n', dependencies="[{name: guard}, {name: fine}, {name: other}]")
    with opened(root) as runtime:
        runtime.activate("other")
        with pytest.raises(RuntimeFaultError):
            runtime.activate("broken")
        assert [each.found.name for each in runtime.skills] == ["other"]
        assert runtime.skills.status("broken").state is SkillState.ERROR
    assert (root / "log.txt").read_text() == "x"


@pytest.mark.parametrize("scope", [ApprovalScope.ONCE, ApprovalScope.SESSION, ApprovalScope.ALWAYS])
def test_an_approval_of_an_edited_guard_is_no_withdrawal(root: Path, scope: ApprovalScope) -> None:
    with resumed(runtime := opened(root, session="s1", approved=frozenset(), ask=lambda _: ApprovalScope.ALWAYS)):
        runtime.activate("guard")
    write(root / ".skills/guard", {"main.star": f"{GUARD}# edited\n"})
    with opened(root, session="s1") as other:
        other.approvals.grant(other.grantee("guard"), scope, "s1" if scope is ApprovalScope.SESSION else None)
    with resumed(runtime := opened(root, session="s1", approved=frozenset())):
        assert runtime.before_tool("Bash", "private").refusal == "Active skills that guard calls can't be asked: guard"
        assert "the files of the skill" in runtime.remarks[0]
        runtime.activate("guard")
        assert runtime.before_tool("Bash", "private").cancelled_by == "guard"
    write(root / ".skills/guard", {"main.star": GUARD})
    with resumed(runtime := opened(root, session="s1", approved=frozenset())):
        assert runtime.before_tool("Bash", "open").unasked == ("guard",)
