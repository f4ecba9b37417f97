"""The literals that the rules of this tree search for, read without importing the program."""

from __future__ import annotations

import os
import runpy
from functools import cache

_INDEX = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "skillbag", "lint", "rules", "index.py"
)
_LITERALS = 3
"""The place of the literals among the facts of a predicate."""


@cache
def literals() -> tuple[bytes, ...]:
    """All of them, once each, sorted."""
    predicates = runpy.run_path(_INDEX)["PREDICATES"]
    return tuple(sorted({literal for facts in predicates.values() for literal in facts[_LITERALS] or ()}))


def write_literals(path: str) -> None:
    """Write them for a process that has no access to the tree, with a NUL between them."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as handle:
        handle.write(b"\0".join(literals()))
