"""Which skill comes first: one of a source that the user trusts more, whatever the scores are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillbag.runtime.sessions.preview import activate_triggered, forecast, plan_triggered
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.triggers.settings import RuntimeSettings
from tests.runtime.worlds_active import manifest, request
from tests.supply.install.worlds import write

GUARD = """\
register_tool("check", "Checks.", lambda input: "mine")
register_hook("OnBeforeToolCall", lambda event: {"cancel": True, "reason": "no"})
"""
TAKER = 'register_tool("check", "Checks.", lambda input: "theirs")\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a skill that wants the name of a tool which a guard of the user's has, too."""
    folder = tmp_path / "workspace"
    taker = manifest("a-taker", triggers="{keywords: [look, for, it]}", priority="9")
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    write(folder / ".skills/a-taker", {"SKILL.yaml": taker, "main.star": TAKER})
    guard = manifest("my-guard", triggers="{keywords: [look]}")
    write(tmp_path / "own/my-guard", {"SKILL.yaml": guard, "main.star": GUARD})
    return folder


def opened(root: Path, settings: RuntimeSettings = RuntimeSettings(), **fields: Any) -> Runtime:  # noqa: B008
    requested = request(root, approved=frozenset({"a-taker", "my-guard"}), settings=settings, **fields)
    return Runtime(requested._replace(personal=str(root.parent / "own")))


def test_a_project_can_t_keep_a_guard_of_the_user_s_from_its_tool(root: Path) -> None:
    with opened(root) as runtime:
        turn = runtime.begin("look for it")
        assert turn.activated == ("my-guard",)
        assert turn.failed.keys() == {"a-taker"}
        assert '"check"' in turn.failed["a-taker"]
        assert runtime.before_tool("Bash", {}).cancelled_by == "my-guard"


def test_a_preview_has_the_order_of_activation_and_the_prompt_that_of_scores(root: Path) -> None:
    write(root / ".skills/a-taker", {"main.star": ""})
    with opened(root) as runtime:
        seen = forecast(runtime, "look for it", "")
        assert [item.skill.name for item in seen.scored] == ["a-taker", "my-guard"]
        assert seen.activation == ("my-guard", "a-taker") == runtime.begin("look for it").activated


def test_named_skills_are_in_this_order_as_well(root: Path) -> None:
    with opened(root, skills=("a-taker", "my-guard")) as runtime:
        assert [skill.name for skill in runtime.found.named] == ["my-guard", "a-taker"]
        assert runtime.trigger().activated == ("my-guard",)


def test_commands_that_activate_what_is_triggered_have_this_order(root: Path) -> None:
    with opened(root) as runtime:
        assert [step.found.name for step in plan_triggered(runtime, "look for it")] == ["my-guard", "a-taker"]
        failed = activate_triggered(runtime, lambda found: True, "look for it")
        assert [each.found.name for each in runtime.skills] == ["my-guard"]
        assert failed.keys() == {"a-taker"}
    with opened(root, RuntimeSettings(project_threshold=1000)) as runtime:
        assert activate_triggered(runtime, lambda found: True, "look for it") == {}
        assert [each.found.name for each in runtime.skills] == ["my-guard"]


def test_a_workspace_does_not_switch_off_skills_of_the_user_s(root: Path) -> None:
    settings = RuntimeSettings(project_denied=frozenset({"my-guard", "a-taker"}), project_threshold=1000)
    with opened(root, settings) as runtime:
        turn = runtime.begin("look for it")
        assert (turn.activated, turn.failed) == (("my-guard",), {})
        (remark,) = runtime.remarks
        assert remark.startswith('the skill "my-guard" is not the project\'s (user)')
        assert "`runtime.denied_skills` of your own settings" in remark


def test_what_the_user_denies_needs_no_such_remark(root: Path) -> None:
    named = frozenset({"my-guard"})
    settings = RuntimeSettings(denied_skills=named, project_denied=named)
    with opened(root, settings) as runtime:
        assert "my-guard" in runtime.begin("look").failed
        assert runtime.remarks == []
