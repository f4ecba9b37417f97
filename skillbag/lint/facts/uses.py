"""What code uses, whatever gets to it: hosts, programs, variables, files. The inventory of a skill shows it."""

from __future__ import annotations

from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.signals.programs import ProgramRun

UNKNOWN = "\0"


class UseKind(StrEnum):
    """What is done with a thing. VARIABLE: one of the environment is read; ALL_VARIABLES: it is gone through."""

    CONTACTS = "contacts"
    STARTS = "starts"
    VARIABLE = "variable"
    ALL_VARIABLES = "all-variables"
    WRITES = "writes"


class Use(NamedTuple):
    """A place where code uses a thing, at an offset of its unit.

    `texts` are what it may be: an address, a command line, a name or a path, with `UNKNOWN` for each part that is known
    at run time only. `shown` is how the code has an address that may be unknown. `marks` say more: `sends`, `shell`,
    `removed`, `set` for a variable that gets a value. `run`: the program that a command of a shell starts.
    """

    kind: UseKind
    texts: tuple[str, ...]
    start: int
    marks: tuple[str, ...] = ()
    shown: str = ""
    run: ProgramRun | None = None
