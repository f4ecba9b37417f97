"""Whether a person is at this command, and what only a person may say on the command line.

An agent may run each command of this program, so options that approve something count on a terminal alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from skillbag.kernel.base.errors import NeedsPersonError
from skillbag.kernel.base.name_lists import split_list

CODE_VARIABLE = "SKILLBAG_ALLOW_CODE"


def is_present() -> bool:
    """Whether somebody types: standard input is a terminal, and what is said is shown on one."""
    # While progress is shown, `sys.stderr` is replaced by an object that may not know its terminal.
    return _is_terminal(sys.stdin) and any(map(_is_terminal, (sys.stdout, sys.__stderr__)))


def check_person(what: str) -> None:
    """Raises NeedsPersonError without a person; `what` is refused then."""
    if not is_present():
        raise NeedsPersonError(what)


def check_code(what: str) -> None:
    """Raises NeedsPersonError without a person, and without the variable by which a job lets foreign code run with the
    user's rights; `what` runs some."""
    if not os.environ.get(CODE_VARIABLE):
        check_person(what)


def approved_names(given: Iterable[str]) -> tuple[str, ...]:
    """The names in the values of `--approve-skills`, each of which may have several with commas.

    Raises:
        NeedsPersonError: there are some, and no person is here.
    """
    if names := split_list(given):
        check_person("--approve-skills counts on a terminal only")
    return names


def _is_terminal(stream: object) -> bool:
    return bool(stream is not None and getattr(stream, "isatty", bool)())
