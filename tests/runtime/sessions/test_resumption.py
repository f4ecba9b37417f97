"""A session of many short processes: what one activates, the next goes on with."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.session_records import SessionPlace, SessionRecord, end_session, merged, read_session
from skillbag.runtime.errors import NotFoundError, TimeLimitError
from skillbag.runtime.sessions.resumption import resumed
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

COUNTED = """\
def count(event):
    write_file("log.txt", (read_file("log.txt") if "log.txt" in list_dir(project_root()) else "") + "x")

register_hook("OnActivate", count)
register_hook("OnDeactivate", count)

def say(input):
    return llm_complete("p") if input.get("ask") else "hi"

register_tool("say", "Says.", say)
"""
PERMISSIONS = '["file:read", "file:write", "llm:call"]'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a skill that logs its activation, and has a tool."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(folder, "say", COUNTED, permissions=PERMISSIONS)
    return folder


def place(root: Path) -> SessionPlace:
    return SessionPlace(str(root.parent / "state"), str(root.resolve()), "s1")


def test_an_active_skill_stays_active_in_its_session(root: Path) -> None:
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("say")
    with resumed(runtime := opened(root, session="s1", approved=frozenset())):
        assert runtime.call_tool("say", {}).output.content == "hi"
    with resumed(runtime := opened(root, session="s2")):
        assert runtime.tools() == ()
    assert (root / "log.txt").read_text() == "x"
    with resumed(runtime := opened(root, session="s1")):
        runtime.deactivate("say")
    assert (root / "log.txt").read_text() == "xx"
    assert read_session(place(root)).active == ()


def test_what_was_approved_once_holds_for_the_session_and_no_longer(root: Path) -> None:
    with resumed(runtime := opened(root, session="s1", approved=frozenset(), ask=lambda _: ApprovalScope.ONCE)):
        runtime.activate("say")
    with resumed(runtime := opened(root, session="s1", approved=frozenset(), completer=str.upper)):
        assert runtime.call_tool("say", {"ask": True}).output.content == "P"
        runtime.deactivate("say")
    with resumed(runtime := opened(root, session="s1", approved=frozenset())), pytest.raises(QuestionsError):
        runtime.activate("say")


def test_a_revocation_counts_in_the_next_process(root: Path) -> None:
    with resumed(runtime := opened(root, session="s1", approved=frozenset(), ask=lambda _: ApprovalScope.ALWAYS)):
        runtime.activate("say")
    opened(root).approvals.revoke("say")
    with resumed(runtime := opened(root, session="s1", approved=frozenset())):
        assert runtime.tools() == ()
    assert runtime.remarks == ['skill "say" is not active any more: its permissions were revoked; activate it again']
    assert read_session(place(root)).active == ()


def test_limits_of_a_turn_count_in_all_processes(root: Path) -> None:
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("say")
    contents = []
    for _ in range(11):
        with resumed(runtime := opened(root, session="s1", completer=str.upper)):
            contents.append(runtime.call_tool("say", {"ask": True}).output.content)
    assert contents[:10] == ["P"] * 10
    assert 'rate limit exceeded for "llm:call": 11/10 per turn' in contents[10]
    with resumed(runtime := opened(root, session="s1", completer=str.upper)):
        runtime.begin("next")
        assert runtime.call_tool("say", {"ask": True}).output.content == "P"


def test_an_edited_skill_is_not_active_any_more(root: Path) -> None:
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("say")
    (root / ".skills/say/main.star").write_text(f"{COUNTED}\n# more\n")
    with resumed(runtime := opened(root, session="s1")):
        assert runtime.tools() == ()
        assert runtime.remarks == [
            'skill "say" is not active any more: the files of the skill "say" have changed; activate it again'
        ]


def test_only_skills_with_hooks_for_a_phase_are_loaded(root: Path) -> None:
    active(root, "echo")
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("say")
        runtime.activate("echo")
    with resumed(runtime := opened(root, session="s1"), {Phase.DEACTIVATE}):
        assert [each.found.name for each in runtime.skills] == ["say"]
    assert [each.skill for each in read_session(place(root)).active] == ["echo", "say"]
    end_session(place(root))
    assert read_session(place(root)) == SessionRecord()


def test_what_another_process_wrote_meanwhile_stays() -> None:
    key = ("a", "project:/w", "llm:call")
    before = SessionRecord(turn=1, used={key: 2})  # type: ignore[dict-item]
    stored = before._replace(used={key: 5})  # type: ignore[dict-item]
    after = before._replace(used={key: 3}, started=True)  # type: ignore[dict-item]
    assert merged(stored, before, after) == SessionRecord(True, 1, used={key: 6})  # type: ignore[dict-item]


def test_what_another_process_activated_anew_counts(root: Path) -> None:
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("say")
    with resumed(opened(root, session="s1")):
        (root / ".skills/say/main.star").write_text(f"{COUNTED}\n# more\n")
        with resumed(runtime := opened(root, session="s1")):
            runtime.activate("say")
    with resumed(runtime := opened(root, session="s1")):
        assert runtime.call_tool("say", {}).output.content == "hi"


def test_what_a_loaded_skill_needs_is_loaded_with_it_and_goes_on_as_well(root: Path) -> None:
    hook = 'register_hook("OnAfterResponse", lambda event: {"modified": {"response": "seen"}})\n'
    active(root, "user", hook, dependencies="[{name: say}]")
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("user")
    for _ in range(2):
        with resumed(runtime := opened(root, session="s1", approved=frozenset()), [Phase.AFTER_RESPONSE]):
            assert runtime.respond("x").text == "seen"
            assert [tool.skill for tool in runtime.tools()] == ["say"]
        assert runtime.remarks == []
    with resumed(runtime := opened(root, session="s1", approved=frozenset()), [Phase.ACTIVATE]):
        assert [tool.skill for tool in runtime.tools()] == ["say"]
    with resumed(runtime := opened(root, session="s1", approved=frozenset())):
        assert [active.found.name for active in runtime.skills] == ["say", "user"]
    assert (root / "log.txt").read_text() == "x"


def test_what_happened_before_an_error_is_kept(root: Path) -> None:
    def fail() -> None:
        with resumed(runtime := opened(root, session="s1")):
            runtime.activate("say")
            runtime.activate("nothing")

    with pytest.raises(NotFoundError):
        fail()
    with resumed(runtime := opened(root, session="s1", approved=frozenset())):
        assert runtime.call_tool("say", {}).output.content == "hi"
    assert (root / "log.txt").read_text() == "x"


def test_what_the_user_deactivated_stays_so_while_others_go_on(root: Path) -> None:
    active(root, "echo")
    active(root, "more", COUNTED.replace('"say"', '"more"'), dependencies="[{name: echo, optional: true}]")
    with resumed(runtime := opened(root, session="s1")):
        assert runtime.activate("more") == ("echo", "more")
        runtime.deactivate("echo")
    with resumed(runtime := opened(root, session="s1")):
        assert [each.found.name for each in runtime.skills] == ["more"]


def test_without_what_it_requires_a_skill_is_not_active_any_more(root: Path) -> None:
    active(root, "echo", dependencies="[{name: say}]")
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("echo")
    (root / ".skills/say/main.star").write_text(f"{COUNTED}\n# more\n")
    with resumed(runtime := opened(root, session="s1")):
        assert runtime.tools() == ()
        assert runtime.remarks[1:] == [
            'skill "echo" is not active any more: skill "echo" requires "say", which is not active any more'
        ]
        assert [status.state for status in runtime.statuses()] == ["inactive", "inactive"]


BROKEN = """\
def hook(event):
    return fail("x") if "bad" in str(event["data"]) else None

register_hook("OnBeforeToolCall", hook)
register_hook("OnAfterResponse", hook)
"""


def test_a_guard_that_fails_to_load_once_stays_in_the_session(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    active(root, "guard", BROKEN)
    with resumed(runtime := opened(root, session="s1")):
        runtime.activate("guard")
    before = read_session(place(root)).active
    with monkeypatch.context() as patched:
        patched.setattr("skillbag.runtime.backends.child.ChildBackend.load", Mock(side_effect=TimeLimitError("late")))
        with resumed(runtime := opened(root, session="s1")):
            assert runtime.skills.lost.guards == ("guard",)
    assert read_session(place(root)).active == before
    with resumed(runtime := opened(root, session="s1")):
        assert runtime.before_tool("Bash", "bad").cancelled_by == "guard"
        runtime.deactivate("guard")
    assert read_session(place(root)).active == ()


def test_failures_of_a_hook_in_a_row_count_in_all_processes(root: Path) -> None:
    active(root, "guard", BROKEN)

    def taken(phase: Phase, word: str) -> bool:
        with resumed(runtime := opened(root, session="s1")):
            runtime.activate("guard")
            if phase is Phase.BEFORE_TOOL_CALL:
                return runtime.before_tool("Bash", word).cancelled_by is None
            return not runtime.respond(word).notes

    words = ["bad", "bad", "good", "bad", "bad", "bad", "bad"]
    after = [taken(Phase.AFTER_RESPONSE, word) for word in words]
    assert after == [False, False, True, False, False, False, True], "it is suspended"
    before = [taken(Phase.BEFORE_TOOL_CALL, word) for word in words]
    assert before == [False, False, True, False, False, False, False], "no guard is"
    with resumed(runtime := opened(root, session="s1")):
        runtime.deactivate("guard")
    assert not taken(Phase.AFTER_RESPONSE, "bad")
    assert [each.failures for each in read_session(place(root)).active] == [((Phase.AFTER_RESPONSE, 0, 1),)]
