"""Any context file: declaring and removing a dependency changes nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from skillbag.install.declare import declare, undeclare
from skillbag.workspace.model import Workspace
from skillbag.workspace.target import Kind, installed
from tests.install.declarations import NAMES, REPO, apply, blocks, declared, workspace

unhurried = settings(deadline=None)


@st.composite
def contexts(draw: st.DrawFn) -> bytes:
    """A whole `CONTEXT.md`."""
    lines = ["# Project", "", "Prose with `code`.", ""]
    for block in draw(st.lists(blocks(), max_size=3)):
        lines += [*block, *draw(st.sampled_from([[], ["## Notes", ""], ["More prose.", ""]]))]
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = newline.join(lines)
    if draw(st.booleans()):
        text = text.rstrip()
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def declaring_blocks(root: str) -> int:
    context = Workspace(installed(Kind.WORKSPACE, root)).context
    found = getattr(context, "blocks", ())
    return sum(block.value.entry("dependencies") is not None for block in found)


@unhurried
@given(contexts())
def test_declaring_adds_one_and_taking_it_out_gives_back_every_byte(context: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder), context)
        before, had_block = declared(root), declaring_blocks(root) > 0
        changed = apply(root, declare(root, "new", REPO, "v2.0"))
        assert sorted(declared(root), key=str) == sorted([*before, ("new", REPO, "v2.0")], key=str)
        assert declare(root, "new", REPO, "v2.0").after == changed
        undone = apply(root, undeclare(root, "new"))
        assert declared(root) == before
        assert undone == context if had_block else undone.startswith(context)


@unhurried
@given(contexts(), st.sampled_from(NAMES[:3]))
def test_taking_out_leaves_the_others_and_all_lines_of_theirs(context: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder), context)
        before = declared(root)
        change = undeclare(root, name)
        if name not in [one for one, _, _ in before]:
            assert change is None
            return
        left = apply(root, change).splitlines()
        assert declared(root) == [one for one in before if one[0] != name]
        lines = iter(context.splitlines())
        # What is left is what was there, in order; only of flow lists a part of a line may be gone.
        assert all(any(line == old or (b"[" in old or b"{" in old) for old in lines) for line in left)


@unhurried
@given(contexts(), st.sampled_from(NAMES[:3]))
def test_bringing_up_to_date_changes_that_skill_alone(context: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder), context)
        before = declared(root)
        apply(root, declare(root, name, "../other", "v9.9"))
        expected = [(name, "../other", "v9.9") if one[0] == name else one for one in before]
        if expected == before:
            expected.append((name, "../other", "v9.9"))
        assert sorted(declared(root), key=str) == sorted(expected, key=str)
