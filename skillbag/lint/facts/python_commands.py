"""The command lines that calls of Python start, and the names of variables that are secrets."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.python_values import AssignedValues

_EXECUTES = late(r"(?:^|\.)os\.(?:posix_)?(?:exec|spawn)(?P<list>[lv])\w*$")


def command_of(name: str, node: ast.Call) -> ast.expr:
    """The argument that is the command line: `os.execvp` and the like have the program before its words."""
    match = _EXECUTES().search(name)
    skipped = 1 + ("spawn" in name)
    if match is None or len(node.args) <= skipped:
        return node.args[0]
    return node.args[skipped] if match["list"] == "v" else ast.List(node.args[skipped:], ast.Load())


def words_of(node: ast.expr | None, values: AssignedValues) -> list[ast.expr] | None:
    """The words of a command that is a list, in the call or in a variable; None for other commands."""
    match node:
        case ast.List() | ast.Tuple():
            return node.elts
        case ast.BinOp(op=ast.Add()):
            return words_of(node.left, values)
        case ast.Name():
            lists = (each for each in values.assigned.get(node.id, ()) if isinstance(each, ast.List | ast.Tuple))
            return next((each.elts for each in lists), None)
    return None


_SECRET_NAME = late(r"(?i)key|token|secret|passw|credential")
_SEVERAL = 3


def are_secrets(names: Iterable[str]) -> bool:
    """Whether a variable may be one of the secrets of several services, by the first words of their names."""
    return len({name.partition("_")[0] for name in names if _SECRET_NAME().search(name)}) >= _SEVERAL
