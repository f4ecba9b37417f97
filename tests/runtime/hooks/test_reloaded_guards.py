"""No call passes a guard while it is taken over with new content, nor after it failed to be."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.hooks.hook_dispatch import Hook
from skillbag.runtime.sessions.hot_reload import HotReload
from skillbag.runtime.skill import Json, SkillSource
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

GUARD = 'register_hook("OnBeforeToolCall", lambda event: {"cancel": True, "reason": "no"})\n'
LOST = "Active skills that guard calls can't be asked: guard"


@pytest.fixture
def guarded(tmp_path: Path) -> Path:
    """The folder of a workspace with a guard."""
    active(tmp_path / "workspace", "guard", GUARD)
    return tmp_path / "workspace"


def edited(root: Path, code: str = GUARD) -> None:
    write(root / ".skills/guard", {"main.star": f"{code}# edited\n"})


def test_a_call_during_the_reload_is_refused(guarded: Path) -> None:
    seen: list[str] = []

    def trace(event: Mapping[str, Json]) -> None:
        seen.extend([runtime.before_tool("Bash", {}).refusal] if reloading else [])

    reloading = None
    with opened(guarded, trace=trace) as runtime:
        runtime.activate("guard")
        reloading = HotReload(runtime)
        edited(guarded)
        assert reloading.reload()
        assert set(seen) == {LOST}
        assert runtime.before_tool("Bash", {}).reason == "no"
        reloading = None


def test_a_call_that_began_before_the_reload_is_refused(guarded: Path) -> None:
    with opened(guarded) as runtime:
        runtime.activate("guard")
        reloading = HotReload(runtime)

        def slow(data: dict[str, Json], timeout: float) -> Json:
            reloading.reload()
            return None

        runtime.hooks.register(Hook("slow", SkillSource.BUILTIN, 0, Phase.BEFORE_TOOL_CALL, 0, slow))
        edited(guarded)
        assert runtime.before_tool("Bash", {}).refusal == LOST
        assert runtime.before_tool("Bash", {}).reason == "no"


def test_a_reload_that_fails_loses_no_guard(guarded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(guarded) as runtime:
        runtime.activate("guard")
        reloading = HotReload(runtime)
        edited(guarded)
        monkeypatch.setattr(runtime, "activate_all", fail)
        with pytest.raises(OSError, match="disk"):
            reloading.reload()
        assert runtime.before_tool("Bash", {}).refusal == LOST
        runtime.activate("guard")
        assert runtime.before_tool("Bash", {}).reason == "no"


def fail(names: object) -> None:
    raise OSError("the disk fails")


def test_an_edited_guard_without_its_hook_is_not_one(guarded: Path) -> None:
    with opened(guarded) as runtime:
        runtime.activate("guard")
        reloading = HotReload(runtime)
        edited(guarded, "x = 1\n")
        assert reloading.reload()
        assert runtime.before_tool("Bash", {}).refusal == LOST
        runtime.activate("guard")
        assert runtime.before_tool("Bash", {}).cancelled_by is None
