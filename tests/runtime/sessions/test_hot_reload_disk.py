"""A runtime follows its skills on the disk: edited ones are swapped where that is safe, and end where it is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.sessions.hot_reload import HotReload
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(os.name != "posix", reason="skills run in process groups")

SAYS = 'register_tool("say", "Says.", lambda input: "%s")\n'
GUARD = SAYS % "old" + 'register_hook("OnBeforeToolCall", lambda event: None)\n'
READS = '["file:read"]'
BROKEN = "x = ]\n"


def test_what_requires_an_edited_skill_is_not_touched(tmp_path: Path) -> None:
    folder = active(tmp_path, "one", SAYS % "old")
    active(tmp_path, "user", dependencies="[{name: one}]")
    with opened(tmp_path) as runtime:
        runtime.activate("user")
        before, kept, watch = runtime.skills.get("one"), runtime.skills.get("user"), HotReload(runtime)
        assert watch.reload() is None
        write(folder, {"main.star": SAYS % "new"})
        assert watch.reload() is not None
        assert runtime.call_tool("say", {}).output.content == "new"
        assert runtime.skills.get("one") is not before
        assert runtime.skills.get("user") is kept
        assert watch.reload() is None


@pytest.mark.parametrize(
    ("permissions", "approved"), [("[]", frozenset[str]()), (READS, frozenset({"one"}))], ids=["none", "by name"]
)
def test_the_old_one_goes_on_where_its_approval_is_not_for_a_content(
    tmp_path: Path, permissions: str, approved: frozenset[str]
) -> None:
    folder = active(tmp_path, "one", SAYS % "old", permissions=permissions)
    with opened(tmp_path, approved=approved) as runtime:
        runtime.activate("one")
        watch = HotReload(runtime)
        write(folder, {"main.star": BROKEN})
        turn = watch.reload()
        assert turn
        assert not turn.failed
        assert "goes on as it was before it was edited: main.star" in " ".join(runtime.remarks)
        assert runtime.call_tool("say", {}).output.content == "old"
        assert watch.reload() is None
        write(folder, {"main.star": SAYS % "mended"})
        watch.reload()
        assert runtime.call_tool("say", {}).output.content == "mended"


@pytest.mark.parametrize("edited", [READS, "[]"], ids=["approved", "needs nothing"])
def test_one_that_was_approved_ends_with_its_content(tmp_path: Path, edited: str) -> None:
    active(tmp_path, "one", SAYS % "old", permissions=READS)
    with opened(tmp_path, approved=frozenset()) as runtime:
        runtime.approvals.grant(runtime.grantee("one"), ApprovalScope.ALWAYS)
        runtime.activate("one")
        active(tmp_path, "one", BROKEN, permissions=edited)
        if edited == READS:
            runtime.approvals.grant(runtime.grantee("one"), ApprovalScope.ALWAYS)
        turn = HotReload(runtime).reload()
        assert turn
        assert list(turn.failed) == ["one"]
        assert runtime.skills.get("one") is None


def test_a_guard_that_can_t_be_loaded_is_lost(tmp_path: Path) -> None:
    folder = active(tmp_path, "one", GUARD)
    with opened(tmp_path) as runtime:
        runtime.activate("one")
        write(folder, {"main.star": BROKEN})
        turn = HotReload(runtime).reload()
        assert turn
        assert list(turn.failed) == ["one"]
        assert runtime.skills.lost.guards == ("one",)


def test_one_that_was_approved_is_asked_about_after_it_has_ended(tmp_path: Path) -> None:
    folder = active(tmp_path, "one", SAYS % "old", permissions=READS)
    with opened(tmp_path, approved=frozenset()) as runtime:
        runtime.approvals.grant(runtime.grantee("one"), ApprovalScope.ALWAYS)
        runtime.activate("one")
        still: list[object] = []
        runtime.request = runtime.request._replace(ask=lambda _: still.append(runtime.skills.get("one")))
        write(folder, {"main.star": SAYS % "new" + "x = 1\n"})
        turn = HotReload(runtime).reload()
        assert turn
        assert [question.skill for question in turn.questions] == ["one"]
        assert still == [None]


def test_a_version_that_does_not_fit_ends_what_requires_the_other(tmp_path: Path) -> None:
    folder = active(tmp_path, "one", SAYS % "old")
    active(tmp_path, "user", dependencies='[{name: one, version: "^1.0"}]')
    with opened(tmp_path) as runtime:
        runtime.activate("user")
        manifest = (folder / "SKILL.yaml").read_text().replace("version: 1.0.0", "version: 2.0.0")
        write(folder, {"SKILL.yaml": manifest})
        turn = HotReload(runtime).reload()
        assert turn
        assert list(turn.failed) == ["user"]
        assert [each.found.name for each in runtime.skills] == ["one"]


def test_what_an_edited_skill_newly_requires_is_activated(tmp_path: Path) -> None:
    active(tmp_path, "one", SAYS % "old")
    active(tmp_path, "two")
    with opened(tmp_path) as runtime:
        runtime.activate("one")
        active(tmp_path, "one", SAYS % "new", dependencies="[{name: two}]")
        turn = HotReload(runtime).reload()
        assert turn
        assert turn.activated == ("two", "one")
        assert runtime.call_tool("say", {}).output.content == "new"
