"""Python that runs a text which it fetches: `exec(requests.get(…).text)`, in one call or over a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.capabilities.python_values import AssignedValues, dotted, named

_FETCHES = late(r"(?:^|\.)(?:(?:requests|httpx|session|client|http)(?:\.\(\))?\.(?:get|post)|urlopen)$")
_RUNS = frozenset(["exec", "eval", "builtins.exec", "builtins.eval"])
_DEPTH = 3
"""Names that are followed from the call back to the request."""


def fetched_address(node: ast.Call, name: str, values: AssignedValues) -> ast.expr | None:
    """The address of the text that the call `name` runs; None where it runs something else."""
    return next(_addresses(node.args[0], values, 0), None) if name in _RUNS and node.args else None


def _addresses(given: ast.expr, values: AssignedValues, depth: int) -> Iterator[ast.expr]:
    for node in ast.walk(given):
        if isinstance(node, ast.Call) and node.args and _FETCHES().search(dotted(node.func)):
            yield node.args[0]
        elif isinstance(node, ast.Name) and depth < _DEPTH:
            for value in values.assigned.get(named(node) or "", ()):
                yield from _addresses(value, values, depth + 1)
