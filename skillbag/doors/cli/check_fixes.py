"""`skillbag check --fix`, which checks and fixes until nothing more can be fixed, and `--format diff`."""

from __future__ import annotations

import os

from skillbag.doors.cli.messages import note
from skillbag.kernel.model.result import CheckResult
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.fixes import apply_changes, may_write, plan_whole
from skillbag.report.options import shown_path
from skillbag.report.summary import counted

_MAX_PASSES = 10


def diff_of_fixes(checker: Checker, *, selected: bool, color: bool) -> tuple[str, CheckResult]:
    """What the fixes would change, as a diff, and the result before them; a note says if that is nothing.

    `selected`: only some rules were asked for.
    """
    from skillbag.report.diff import render_diff

    result, changes = plan_whole(checker.check)
    before = {change.path: change.old for change in changes}
    after = {change.path: change.new for change in changes}
    moved = {change.path: change for change in changes if change.renamed or change.mode is not None}
    if not changes:
        none = ": the selected rules find nothing" if selected else ": there are no findings"
        left = "; correct what skillbag check reports by hand" if result.findings else none
        note(f"--fix would change nothing{left}")
    return "".join(render_diff(before, after, moved, os.getcwd(), color)), result


def fixed_result(checker: Checker) -> CheckResult:
    """The result after the fixes: all at once, then what only a renaming has uncovered. It says what was done."""
    fixed: list[str] = []
    for _ in range(_MAX_PASSES):
        result, changes = plan_whole(checker.check)
        if not changes:
            break
        apply_changes(changes, checker.request.paths)
        fixed += [change.renamed or change.path for change in changes]
    for path in dict.fromkeys(fixed):
        note(f"fixed {shown_path(path, os.getcwd())}")
    if changes:
        result = checker.check()
    roots = {edit.path: found.root for found in result.findings for edit in found.edits}
    for path in roots:
        if not may_write(roots[path], path):
            shown = shown_path(path, os.getcwd())
            note(f"left alone: {shown}: no fix writes to a path with a colon or a backslash; rename the folder")
    if result.installed:
        left = counted(result.installed, "finding")
        note(f"left alone: {left} in installed skills; report them to the authors of their sources")
    return result
