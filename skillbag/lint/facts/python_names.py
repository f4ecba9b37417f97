"""The dotted names of what Python code calls, with imports, aliases and tables of functions resolved."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from skillbag.lint.facts.python_calls import is_client
from skillbag.lint.facts.python_links import PythonLinks
from skillbag.lint.facts.python_values import AssignedValues, dotted, named

_BUILTINS = frozenset(["globals.()", "__builtins__", "builtins", "locals.()", "vars.()"])


class CalledNames:
    """The names of one file: what it imports, and what it assigns a function or a connection to."""

    def __init__(self, nodes: Sequence[ast.AST], values: AssignedValues, links: PythonLinks) -> None:
        self.links = links
        self.aliases: dict[str, str] = {}
        self.values = values
        self.modules = set[str]()
        self._tables = set[str]()
        for node in nodes:
            match node:
                case ast.Import():
                    self.aliases.update((each.asname, each.name) for each in node.names if each.asname)
                    self.modules.update((each.asname or each.name).partition(".")[0] for each in node.names)
                case ast.ImportFrom():
                    self.aliases.update(
                        (each.asname or each.name, f"{node.module or ''}.{each.name}") for each in node.names
                    )
        for node in nodes:
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.withitem(context_expr=value, optional_vars=ast.Name(id=name))
                ):
                    self._alias(name, value)

    def _alias(self, name: str, value: ast.expr) -> None:
        """A name for a function, or for a connection that a call gives."""
        value = value.value if isinstance(value, ast.Await) else value
        match value:
            case ast.Name() | ast.Attribute() | ast.Subscript():
                self.aliases.setdefault(name, self.of(value))
            case ast.Dict(values=[ast.Name() | ast.Attribute() as first, *_]):
                self.aliases.setdefault(name, self.of(first))
                self._tables.add(name)
            case ast.Call(func=ast.Name(id="getattr")):
                self.aliases.setdefault(name, self.of(value))
            case ast.Call(func=func, args=args):
                made = self.of(func)
                if made.rpartition(".")[2] == "partial" and args:
                    self.aliases.setdefault(name, self.of(args[0]))
                elif is_client(made) or (made.rpartition(".")[2][:1].isupper() and self.links.shared(made)):
                    self.aliases.setdefault(name, made)

    def of(self, func: ast.expr) -> str:
        """The dotted name of what is called, with aliases and `getattr` resolved."""
        match func:
            case ast.Call(func=ast.Name(id="getattr"), args=[holder, key, *_]):
                return f"{self.of(holder)}.{self.values.texts(key)[0]}"
            case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"), args=[key, *_]):
                return self.values.texts(key)[0]
            case ast.Subscript(value=ast.Attribute(attr="__dict__", value=held), slice=key):
                return self.of(ast.Subscript(held, key))
            case ast.Subscript(value=held, slice=ast.Constant(value=str()) | ast.BinOp() as key):
                if isinstance(held, ast.Name) and held.id in self._tables:
                    return self.of(held)
                before, text = self.of(held).removeprefix("sys.modules."), self.values.texts(key)[0]
                return text if before in _BUILTINS else f"{before}.{text}"
            case ast.Subscript(value=held):
                return self.of(held)
            case ast.Attribute(value=ast.Call() as inner):
                return f"{self.of(inner) or '()'}.{func.attr}"
            case ast.Call(func=inner):
                return f"{self.of(inner)}.()"
        name = (dotted(func) or (named(func) or "")).removeprefix("__builtins__.")
        first, dot, rest = name.partition(".")
        return f"{self.aliases[first]}{dot}{rest}" if first in self.aliases else name
