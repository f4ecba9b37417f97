"""Syntax trees of Python and Starlark files of skills, which are parsed and not run."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache

from skillbag.kernel.documents.source import Document, Position


# The rules about a script ask for its tree in a row.
@lru_cache(maxsize=4)
def parsed(source: str) -> ast.Module | None:
    """The syntax tree; Starlark is read as the Python that it is a part of. None where the text is neither."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """The nodes of a tree in the order of `ast.walk`, which takes longer; operators and contexts are left out."""
    found = [tree]
    for node in found:
        for name in _PARTS[node.__class__]:
            value = getattr(node, name, None)
            if value.__class__ is list:
                found += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return tuple(found)


def import_lines(source: str) -> frozenset[int]:
    """The numbers of the lines that imports stand in."""
    tree = parsed(source)
    return frozenset(
        line
        for node in (nodes_of(tree) if tree else ())
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


_PLAIN_WORDS = "id attr arg name names module ctx op ops level is_async simple conversion kind type_comment"
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Fields with names, signs and numbers."""


class _Parts(dict[type, tuple[str, ...]]):
    """The fields of a class of nodes that hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _PLAIN)
        return self[kind]


_PARTS = _Parts()


def unclosed(source: str) -> tuple[int, int, str] | None:
    """The line and column of a bracket that nothing closes, and a sentence; None where that is not the fault."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as error:
        if "was never closed" in error.msg:
            return error.lineno or 1, error.offset or 1, error.msg
    except (ValueError, RecursionError, MemoryError):
        pass
    return None


def position(node: ast.expr, document: Document) -> Position:
    """The place of a node, whose column Python counts in bytes."""
    line = document.line(node.lineno).encode("utf-8")[: node.col_offset]
    return Position(node.lineno, len(line.decode("utf-8", "replace")) + 1)


def bound_names(node: ast.AST) -> list[str]:
    """The names that a node of Starlark gives a meaning of their own."""
    match node:
        case ast.Name(ctx=ast.Store()):
            return [node.id]
        case ast.FunctionDef():
            return [node.name]
        case ast.arg():
            return [node.arg]
        case ast.Call(func=ast.Name(id="load")):
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            return [*texts, *(keyword.arg for keyword in node.keywords if keyword.arg)]
    return []
