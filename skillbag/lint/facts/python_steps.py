"""The steps of Python code, read from its syntax tree: nothing is run.

Names of a function stand apart from those of others (`function.name`); an attribute has one name in the whole file
(`.name`), and so has a method. What a call does follows from its dotted name, with imports and aliases resolved.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from skillbag.lint.facts.carried import Carried
from skillbag.lint.facts.python_calls import runs_input
from skillbag.lint.facts.python_expressions import PythonExpressions
from skillbag.lint.facts.skill_files import FilesBeside
from skillbag.lint.facts.values import Act, ActKind, Step

_ARCHIVES = frozenset(["zipfile.ZipFile", "ZipFile", "tarfile.open", "tarfile.TarFile", "gzip.open"])


def python_steps(tree: ast.Module, offset_of: Callable[[int, int], int], files: FilesBeside) -> list[Step]:
    """The steps of a file or block, at offsets that `offset_of(line, column)` gives; `files` are beside it."""
    reader = _Reader(tree, offset_of, files)
    reader.body(tree.body, "")
    return reader.found


class _Reader(PythonExpressions):
    def body(self, statements: Iterable[ast.stmt], scope: str) -> None:
        """Read statements in order, and those within them."""
        for statement in statements:
            self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: str) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.body(node.body, node.name)
                return
            case ast.ClassDef():
                self.body(node.body, scope)
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value) if name in self.functions:
                self._add((f"{name}()",), self._read(value.body, name))
            case ast.Assign(targets=targets, value=value):
                self._held_open(targets, value, scope)
                self._assign(targets, self._read(value, scope), scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                self._assign([target], self._read(value, scope), scope)
            case ast.Return(value=ast.expr() as value) if scope:
                self._add((f"{scope}()",), self._read(value, scope))
            case ast.For() | ast.AsyncFor():
                self._assign([node.target], self._loop(node, scope), scope)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    held = self._read(item.context_expr, scope)
                    self._held_open([item.optional_vars], item.context_expr, scope)
                    self._assign([item.optional_vars] if item.optional_vars else [], held, scope)
            case ast.Expr(value=ast.Yield(value=ast.expr() as value) | ast.YieldFrom(value=value)) if scope:
                self._add((f"{scope}()",), self._read(value, scope))
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._add((), self._read(child, scope))
        for part in ("body", "orelse", "finalbody"):
            self.body(getattr(node, part, ()), scope)
        for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            self.body(inner.body, scope)

    def _held_open(self, targets: Sequence[ast.expr | None], value: ast.expr, scope: str) -> None:
        """A file that is open for writing has what is written to its name, and an interpreter runs its input."""
        if not isinstance(value, ast.Call):
            return
        callee = self._callee(value)
        names = [name for target in targets if target is not None for name in self._targets(target, scope)]
        kept = next((each.value for each in value.keywords if each.arg == "fileobj"), None)
        if kept is None and value.args and (callee.name in _ARCHIVES or _is_for_writing(value)):
            kept = value.args[0]
        if isinstance(kept, ast.Attribute):
            # `temporary.name` is the file that `temporary` is.
            kept = kept.value
        if names and isinstance(kept, ast.Name):
            self._add([self._key(kept.id, scope)], Carried(frozenset(names)))
        if names and callee.writes:
            self._add([f"file:{path}" for path in callee.writes], Carried(frozenset(names)))
        if names and runs_input(callee):
            runs = Act(ActKind.RUNS, "", callee.name, *self._place(value))
            self._add((), Carried(frozenset([*names, ".stdin"])), (runs,))


def _is_for_writing(call: ast.Call) -> bool:
    """Whether a call opens a file to write into it: `open(path, "w")`."""
    is_open = isinstance(call.func, ast.Name) and call.func.id == "open"
    modes = [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "mode")]
    return is_open and any(isinstance(mode, ast.Constant) and str(mode.value)[:1] in "wax" for mode in modes)
