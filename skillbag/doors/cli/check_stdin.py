"""`skillbag check -`: standard input stands in for a file, as editors and hooks have it."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from skillbag.doors.cli.check_options import STDIN, CheckOptions, WrongUsageError
from skillbag.doors.cli.stdin import whole_input
from skillbag.kernel.fs.read import overlay
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.target import SKILL_FILE, SKILL_ROOT
from skillbag.lint.engine.checker import Checker, only_paths


def named_file(options: CheckOptions) -> str:
    """The absolute path of the file that standard input stands in for."""
    filename = options.stdin_filename
    if options.fix or options.diff or options.write_baseline:
        raise WrongUsageError("standard input can't be fixed or made a baseline; name the file instead.")
    if options.paths != (STDIN,):
        raise WrongUsageError("the path - comes first, and one path follows: the file that it stands for.")
    if not filename:
        raise WrongUsageError("which file does standard input stand for? skillbag check - PATH")
    path = os.path.abspath(filename)
    if os.path.isdir(path):
        raise WrongUsageError(f"{filename} is a folder: name the file that the input stands for.")
    return path


def standing_in(path: str) -> AbstractContextManager[None]:
    """Within the block, standard input stands in for the file."""
    return overlay({path: whole_input()})


def result_for(checker: Checker, path: str, filename: str | None) -> CheckResult:
    """The findings in the file, which the user calls `filename`."""
    result = only_paths(checker.check(), [path])
    folder, name = os.path.split(path)
    if name == SKILL_FILE and os.path.basename(os.path.dirname(folder)) == SKILL_ROOT and not os.path.isdir(folder):
        # The skills of a workspace are the folders on the disk: the input was not one of them.
        raise WrongUsageError(f"{filename}: make its folder first, so that it is one of the skills.")
    return result
