"""`skillbag check --changed-since` and `--staged`: a check of what changed, and what becomes of its result."""

from __future__ import annotations

from collections.abc import Callable

from skillbag.doors.cli.check_options import CheckOptions
from skillbag.kernel.fs.other_disk import looking_at
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.git_changes import changes_since, past_before, staged_changes, unstaged_changes
from skillbag.lint.cache.earlier import lint_changes
from skillbag.lint.engine.changed import changes_around
from skillbag.lint.engine.checker import Checker, Progress


def check_changes(
    checker: Checker, options: CheckOptions, progress: Progress | None, conclude: Callable[[CheckResult], int]
) -> int:
    """Check what changed and give what `conclude` gives; with `--staged`, both see git's index for the disk.

    Raises as `check`.
    """
    paths, ref = checker.request.paths, options.changed_since
    changes = changes_around(paths, staged_changes if ref is None else lambda folder: changes_since(folder, ref))
    unstaged = changes_around(paths, unstaged_changes) if ref is None else ()
    result = lint_changes(checker, changes, unstaged, progress)
    with looking_at(past_before(unstaged)):
        return conclude(result)
