"""What code uses, whatever gets to it: hosts, programs, variables, files. The inventory of a skill shows it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.readers import tree_of
from skillbag.lint.facts.units import Unit

LARGEST = 400_000
"""Most characters of a unit whose uses are read: all of it is read once, and no flow is followed."""


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
    `removed`.
    """

    kind: UseKind
    texts: tuple[str, ...]
    start: int
    marks: tuple[str, ...] = ()
    shown: str = ""


def uses_of(unit: Unit) -> list[Use]:
    """What code uses; nothing of code that does not parse or nests too deep."""
    if len(unit.text) > LARGEST:
        return []
    try:
        return [*_uses(unit)]
    except RecursionError:
        return []


def _uses(unit: Unit) -> Iterable[Use]:
    if unit.language == "python":
        from skillbag.lint.facts.python_uses import python_uses

        tree, offset_of = tree_of(unit.text)
        return python_uses(tree, offset_of) if tree is not None else ()
    if unit.language == "javascript":
        from skillbag.lint.facts.javascript_uses import javascript_uses

        return javascript_uses(unit.text)
    return ()
