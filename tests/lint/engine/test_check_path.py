"""The way from the command line to a rule is short enough to be read on one screen."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from skillbag.lint.checks.lazy_predicate import all_predicates
from tests.support import Run, Tree, documented_path

FRAMES = {("--config=cache=false",): 7, (): 9}
"""Named frames from `main` to the first predicate, both counted, by the options; the cache is the default."""
STEPS = {
    ("--config=cache=false",): "A check without the cache",
    (): "A check",
}


def named_frames(frame: FrameType | None) -> list[str]:
    """The functions on the stack from `main` on, without comprehensions and generator expressions."""
    names: list[str] = []
    while frame is not None and names[-1:] != ["main"]:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return [name for name in reversed(names) if name not in ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")]


@pytest.mark.parametrize("options", FRAMES)
def test_few_calls_lead_from_the_command_line_to_the_first_predicate(
    tree: Tree, run: Run, options: tuple[str, ...]
) -> None:
    root = tree({"skills/a/SKILL.md": "---\nname: b\ndescription: Tidies up.\n---\n"})
    predicates = {predicate.check.__code__ for predicate in all_predicates().values()}
    stacks: list[list[str]] = []

    def watch(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code in predicates and not stacks:
            stacks.append(named_frames(frame))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        assert run("check", *options, cwd=root).code == 1
    finally:
        sys.setprofile(before)
    assert stacks[0][:-1] == documented_path(STEPS[options])[:-1]
    assert len(stacks[0]) <= FRAMES[options], stacks[0]
