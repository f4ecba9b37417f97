"""What becomes of a check that has nothing to check: at one of several paths, or as a hook before the first skill."""

from __future__ import annotations

import os

from skillbag.doors.cli.check_options import CheckOptions
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.discovery import NothingToCheckError
from skillbag.kernel.workspace.git import ask


def other_paths(error: UserError, options: CheckOptions) -> tuple[str, ...]:
    """The paths beside the one that has nothing to check; none for a run that writes, which a typo refuses."""
    writes = options.fix or options.diff or options.watch or options.write_baseline
    if not isinstance(error, NothingToCheckError) or writes:
        return ()
    rest = tuple([path for path in options.paths if os.path.abspath(path) != error.path])
    return rest if len(rest) < len(options.paths) else ()


def is_before_the_first_skill(error: UserError, options: CheckOptions) -> bool:
    """Whether a pre-commit hook finds nothing to check since the repository has no skill: that refuses no commit."""
    if os.environ.get("PRE_COMMIT") != "1" or options.paths != CheckOptions().paths:
        return False
    return (
        isinstance(error, NothingToCheckError)
        and ask(os.curdir, ["ls-files", "--", ":(top,icase,glob)**/skill.md"]) == b""
    )
