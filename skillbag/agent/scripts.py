"""`run_skill_script`: a script within a skill's folder, run with a list of arguments, a limit of time and of output."""

from __future__ import annotations

from collections.abc import Sequence

TIME_LIMIT = 120.0
"""Seconds that a script may take, where nobody says otherwise."""


def run_skill_script(
    directory: str, script: str, arguments: Sequence[str] = (), stdin: str | None = None, limit: float = TIME_LIMIT
) -> str:
    """What the script at `script` (relative to the skill in the absolute `directory`, with `/`) printed.

    Standard output, then `[stderr]` and standard error, then `[exit code: N]` if it is not 0; `(no output)` if there is
    nothing. The working directory is the skill's.

    Raises:
        UserError: the path leaves the skill, names no file, nothing says how to run it, or it took too long:
            `Script execution timed out (120s limit)`; its whole process group is dead then.
    """
    raise NotImplementedError
