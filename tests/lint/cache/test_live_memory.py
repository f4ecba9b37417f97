"""What a check that watches remembers, and which paths make it look again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.cache.live import Extent, LiveMemory
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.lint.cache.edited_worlds import init_repository
from tests.support import skill


def live(top: Path) -> LiveMemory:
    """What a check that watches knows after its first look."""
    memory = LiveMemory(None)
    CachedChecker(CheckRequest((str(top),)), memory=memory).check()
    return memory


@pytest.mark.parametrize("suspects", [None, [".skills/one/SKILL.md"]])
def test_what_has_no_shape_is_judged_again_by_a_check_that_watches(top: Path, suspects: list[str] | None) -> None:
    memory = live(top)
    memory._kept = memory._kept._replace(targets=["not a target"])
    if suspects:
        (top / suspects[0]).write_text("no front matter\n")
        assert memory.suspect([str(top / name) for name in suspects])
    request = CheckRequest((str(top),))
    assert CachedChecker(request, memory=memory).check() == Checker(request).check()


def test_only_folders_that_are_there_are_watched(top: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # git looks for settings where none are, and a link leads where nothing is.
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    init_repository(top, monkeypatch)
    (top / ".skills/one/SKILL.md").write_text(skill("one") + "[gone](nowhere/to/be/found.md)\n")
    folders = live(top).folders()
    assert str(tmp_path) in folders
    assert [folder for folder in folders if not os.path.isdir(folder)] == []


def test_something_that_comes_in_the_place_of_nothing_is_suspect(top: Path) -> None:
    (top / ".skills/one/SKILL.md").write_text(skill("one") + "[gone](nowhere/to/be/found.md)\n")
    memory = live(top)
    place = top / ".skills/one/nowhere"
    assert str(place.parent) in memory.folders()
    assert memory.suspect([str(place)])
    (top / "other.txt").write_text("Nobody asks.\n")
    assert not memory.suspect([str(top / ".skills/one/other/thing")])


def test_a_key_in_a_document_matters_to_those_who_read_it_alone(top: Path) -> None:
    memory = live(top)
    place = top / ".skills/one/SKILL.md"
    assert memory.suspect([str(place)], Extent.CONTENT)
    # What a folder holds depends on what is there, and not on what it says.
    assert memory.suspect([str(place.parent)])
    assert not memory.suspect([str(place.parent)], Extent.CONTENT)


def test_a_suppression_ends_while_a_check_watches(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comment = "<!-- skillbag: ignore[link-broken] reason=ours until=2026-01-05 -->"
    (top / ".skills/one/SKILL.md").write_text(skill("one") + f"[gone](gone.md) {comment}\n")
    checker, found = CachedChecker(CheckRequest((str(top),)), memory=LiveMemory(None)), []
    for day in ("2026-01-05", "2026-01-06"):
        monkeypatch.setattr("skillbag.lint.engine.checker.time.strftime", lambda _, day=day: day)
        found.append({finding.rule for finding in checker.check().findings})
    assert ["link-broken" in rules for rules in found] == [False, True]
