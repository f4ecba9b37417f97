"""A check as a pre-commit hook, which passes before a repository has its first skill."""

from __future__ import annotations

import os

from skillbag.doors.cli.check_options import CheckOptions
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.discovery import NothingToCheckError
from skillbag.kernel.workspace.git import ask


def is_before_the_first_skill(error: UserError, options: CheckOptions) -> bool:
    """Whether a pre-commit hook finds nothing to check since the repository has no skill: that refuses no commit."""
    if os.environ.get("PRE_COMMIT") != "1" or options.paths != CheckOptions().paths:
        return False
    return (
        isinstance(error, NothingToCheckError)
        and ask(os.curdir, ["ls-files", "--", ":(top,icase,glob)**/skill.md"]) == b""
    )
