"""What code of Python leaves out: filters over variables, fields of a text, names of a function."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from skillbag.lint.facts.python_calls import Callee
from skillbag.lint.facts.python_values import UNKNOWN, AssignedValues
from skillbag.lint.signals.variables import ORDINARY

_SECRET_WORDS = ("key", "token", "secret", "pass", "cred", "auth")
_VENDORS = ("aws", "github", "gh_", "openai", "anthropic", "azure", "google", "gcp", "stripe", "slack", "npm", "hf_")
"""Beginnings of names of variables that hold keys of many people."""


def picks(callee: Callee, node: ast.Call) -> bool:
    """Whether a call takes one field of a text: what stands behind a sign or matches an expression."""
    if callee.method in ("split", "partition", "rpartition", "rsplit"):
        return any(isinstance(each, ast.Constant) and each.value in ("=", ":") for each in node.args)
    return callee.name in ("re.search", "re.match", "re.findall", "re.fullmatch")


def starts_with(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "startswith" for node in ast.walk(test))


class StoredNames:
    """The names that a file assigns, and those that it declares global, with their lines."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self._stored: list[tuple[int, str]] = []
        self._others: list[tuple[int, str]] = []
        for node in nodes:
            match node:
                case ast.Name(ctx=ast.Store()):
                    self._stored.append((node.lineno, node.id))
                case ast.Global() | ast.Nonlocal():
                    self._others += [(node.lineno, name) for name in node.names]
        self._stored.sort()
        self._others.sort()

    def within(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
        """The names that the lines of a function assign, but for those that it declares global."""
        first, last = (function.lineno, ""), ((function.end_lineno or function.lineno) + 1, "")
        stored, others = (
            {name for _, name in some[bisect_left(some, first) : bisect_left(some, last)]}
            for some in (self._stored, self._others)
        )
        return frozenset(stored - others)


def first_test(body: list[ast.stmt]) -> ast.expr | None:
    return body[0].test if body and isinstance(body[0], ast.If) else None


def spares_secrets(test: ast.expr, values: AssignedValues) -> bool:
    """Whether a filter of variables leaves secrets out, or takes those of one program alone."""
    texts = [text.lower() for text in _words_of(test, values)]
    tells = any(word in text for text in texts for word in (*_SECRET_WORDS, *_VENDORS))
    if any(isinstance(node, ast.Not | ast.NotIn) for node in ast.walk(test)):
        return tells or not texts
    return not tells and (starts_with(test) or (bool(texts) and all(text.upper() in ORDINARY for text in texts)))


def _words_of(test: ast.expr, values: AssignedValues) -> Iterator[str]:
    """The texts that a filter compares with, those of lists that it names among them."""
    for node in ast.walk(test):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Name | ast.Attribute):
            for item in values.items(node):
                yield from (text for text in values.texts(item) if text != UNKNOWN)
