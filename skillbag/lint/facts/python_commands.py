"""The command lines that calls of Python start, and the names of variables that are secrets."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from shlex import quote

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.python_values import UNKNOWN, AssignedValues, named

_EXECUTES = late(r"(?:^|\.)os\.(?:posix_)?(?:exec|spawn)(?P<list>[lv])\w*$")


def command_of(name: str, node: ast.Call) -> ast.expr | None:
    """The argument that is the command line: `os.execvp` and the like have the program before its words."""
    if not node.args:
        return next((each.value for each in node.keywords if each.arg in ("args", "cmd")), None)
    if name.endswith(".create_subprocess_exec"):
        return ast.List(node.args, ast.Load())
    if isinstance(node.args[0], ast.Call) and isinstance(split := node.args[0].func, ast.Attribute):
        return split.value if split.attr == "split" and not node.args[0].args else node.args[0]
    match = _EXECUTES().search(name)
    skipped = 1 + ("spawn" in name)
    if match is None or len(node.args) <= skipped:
        return node.args[0]
    return node.args[skipped] if match["list"] == "v" else ast.List(node.args[skipped:], ast.Load())


def lists_of(node: ast.expr | None, values: AssignedValues, depth: int = 0) -> list[list[ast.expr]]:
    """The words of a command that is a list, in the call or in a variable of one or more; none for other commands."""
    match node:
        case ast.List() | ast.Tuple():
            return [node.elts]
        case ast.BinOp(op=ast.Add()):
            return lists_of(node.left, values, depth)
        case ast.Call(func=ast.Name(id="list"), args=[inner]):
            return lists_of(inner, values, depth)
        case ast.Name() | ast.Attribute() if depth < _DEPTH:
            assigned = values.assigned.get(named(node) or "", ())
            return [words for each in assigned for words in lists_of(each, values, depth + 1)][:_LISTS]
    return []


_DEPTH = 3
_LISTS = 8
PART = "\1"
"""A part of a word that is known at run time only; of a list, what such a word gets is no code and no command."""


def quoted(text: str) -> str:
    """A text as one word of a shell; `UNKNOWN` is one whose value counts."""
    return f'"{UNKNOWN}"' if text == UNKNOWN else quote(text.replace(UNKNOWN, PART))


_SECRET_NAME = late(r"(?i)key|token|secret|passw|credential")
_SEVERAL = 3


def are_secrets(names: Iterable[str]) -> bool:
    """Whether a variable may be one of the secrets of several services, by the first words of their names."""
    return len({name.partition("_")[0] for name in names if _SECRET_NAME().search(name)}) >= _SEVERAL
