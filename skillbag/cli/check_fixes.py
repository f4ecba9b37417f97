"""`skillbag check --fix`: check and fix until nothing more can be fixed."""

from __future__ import annotations

import os

from skillbag.cli.messages import note
from skillbag.engine.checker import Checker
from skillbag.engine.fixes import apply_changes, may_write, plan_whole
from skillbag.model.result import Result
from skillbag.report.options import shown_path
from skillbag.report.summary import counted

_MOST_PASSES = 10


def fixed_result(checker: Checker) -> Result:
    """The result after the fixes: all at once, then what only a renaming has uncovered. It says what was done."""
    fixed: list[str] = []
    for _ in range(_MOST_PASSES):
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
