"""The steps of Python code, read from its syntax tree: nothing is run.

Names of a function stand apart from those of others (`function.name`); an attribute has one name in the whole file
(`.name`), and so has a method. What a call does follows from its dotted name, with imports and aliases resolved.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from skillbag.lint.facts.carried import NOTHING, Carried, field_of, merged, without
from skillbag.lint.facts.python_calls import Callee, act_of, is_inert, source_of
from skillbag.lint.facts.python_filters import first_test, picks, spares_secrets, starts_with, stored_names
from skillbag.lint.facts.python_values import UNKNOWN, AssignedValues, dotted, named
from skillbag.lint.facts.shell_steps import given_steps
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind, Step

_DEPTH = 120
"""Expressions within each other that are read; deeper ones count by their names alone."""
_ENVIRONMENT = frozenset(["os.environ", "os.environb"])
_FIELD_METHODS = frozenset(["get", "pop", "setdefault", "getenv"])


def python_steps(tree: ast.Module, offset_of: Callable[[int, int], int], module: str = "") -> list[Step]:
    """The steps of a file or block; `offset_of(line, column)` gives offsets of its text, `module` is its own name."""
    reader = _Reader(tree, offset_of, module)
    reader.body(tree.body, "")
    return reader.found


class _Reader:
    def __init__(self, tree: ast.Module, offset_of: Callable[[int, int], int], module: str) -> None:
        nodes = [*ast.walk(tree)]
        self.offset_of, self.module = offset_of, module
        self.values = AssignedValues(nodes)
        self.found: list[Step] = []
        self.functions: dict[str, list[str]] = {}
        self.aliases: dict[str, str] = {}
        self.own: dict[str, frozenset[str]] = {"": frozenset()}
        for node in nodes:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    parameters = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                    self.functions[node.name] = [name for name in parameters if name not in ("self", "cls")]
                    self.own[node.name] = frozenset(parameters) | stored_names(node)
                case ast.Import():
                    self.aliases.update((each.asname, each.name) for each in node.names if each.asname)
                case ast.ImportFrom():
                    self.aliases.update(
                        (each.asname or each.name, f"{node.module or ''}.{each.name}") for each in node.names
                    )
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute()):
                    self.aliases.setdefault(name, dotted(node.value))

    def _place(self, node: ast.expr) -> tuple[int, int]:
        start = self.offset_of(node.lineno, node.col_offset)
        return start, self.offset_of(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def _add(self, defines: Iterable[str], value: Carried, acts: tuple[Act, ...] = ()) -> None:
        if value.uses or value.sources or value.picks:
            self.found.append(Step(tuple(defines), value.uses, value.sources, acts, value.picks))

    def _key(self, name: str, scope: str) -> str:
        return f"{scope}.{name}" if name in self.own[scope] else name

    # Statements.

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
            case ast.Assign(targets=targets, value=value):
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

    def _assign(self, targets: Iterable[ast.expr], value: Carried, scope: str) -> None:
        self._add([name for target in targets for name in self._targets(target, scope)], value)

    def _targets(self, target: ast.expr, scope: str) -> Iterator[str]:
        """The names that an assignment gives a value; of an item, the name of what holds it."""
        match target:
            case ast.Name():
                yield self._key(target.id, scope)
            case ast.Attribute():
                yield f".{target.attr}"
            case ast.Subscript() | ast.Starred():
                yield from self._targets(target.value, scope)
            case ast.Tuple() | ast.List():
                for element in target.elts:
                    yield from self._targets(element, scope)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.comprehension, scope: str) -> Carried:
        """What a loop gets from what it goes through: nothing of the environment if it leaves secrets out."""
        value = self._read(node.iter, scope)
        tests = node.ifs if isinstance(node, ast.comprehension) else [first_test(node.body)]
        known = [test for test in tests if test is not None]
        if any(spares_secrets(test, self.values) for test in known):
            return field_of(value)
        return without(value, OriginKind.LOGIN_FILE) if any(map(starts_with, known)) else value

    # Expressions.

    def _read(self, node: ast.expr | None, scope: str, depth: int = 0) -> Carried:
        if node is None or isinstance(node, ast.Constant | ast.Compare):
            return NOTHING if not isinstance(node, ast.Compare) else self._inert(node, scope, depth)
        if depth > _DEPTH:
            return Carried(
                frozenset(self._key(each.id, scope) for each in ast.walk(node) if isinstance(each, ast.Name))
            )
        match node:
            case ast.Name():
                if self._is_environment(node):
                    return self._environment(node)
                return Carried(frozenset([self._key(node.id, scope)]))
            case ast.Attribute():
                if self._is_environment(node):
                    return self._environment(node)
                inner = self._read(node.value, scope, depth + 1)
                return inner._replace(uses=inner.uses | {f".{node.attr}"})
            case ast.Subscript():
                return self._subscript(node, scope, depth)
            case ast.Call():
                return self._call(node, scope, depth)
            case ast.Lambda():
                return self._read(node.body, scope, depth + 1)
            case ast.NamedExpr():
                value = self._read(node.value, scope, depth + 1)
                self._assign([node.target], value, scope)
                return value
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, scope, depth)
            case ast.IfExp():
                self._add((), self._read(node.test, scope, depth + 1))
                return self._all((node.body, node.orelse), scope, depth)
        return self._all([child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)], scope, depth)

    def _all(self, nodes: Iterable[ast.expr], scope: str, depth: int) -> Carried:
        values = [self._read(node, scope, depth + 1) for node in nodes]
        return merged(values)

    def _inert(self, node: ast.expr, scope: str, depth: int) -> Carried:
        """Read an expression whose value tells nothing, for the calls within it."""
        self._add((), self._all([x for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr)], scope, depth))
        return NOTHING

    def _is_environment(self, node: ast.expr) -> bool:
        name = dotted(node)
        return (name in _ENVIRONMENT or self.aliases.get(name) in _ENVIRONMENT) if name else False

    def _environment(self, node: ast.expr) -> Carried:
        return Carried(sources=(Origin(OriginKind.ENVIRONMENT, "os.environ", *self._place(node)),))

    def _subscript(self, node: ast.Subscript, scope: str, depth: int) -> Carried:
        value = self._read(node.value, scope, depth + 1)
        if isinstance(node.slice, ast.Slice):
            return value
        if isinstance(node.slice, ast.Constant):
            return field_of(value)
        index = self._read(node.slice, scope, depth + 1)
        return merged([field_of(value), index])

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: str, depth: int
    ) -> Carried:
        passed: list[Carried] = []
        for generator in node.generators:
            value = self._loop(generator, scope)
            self._assign([generator.target], value, scope)
            passed.append(value)
            self._add((), self._all(generator.ifs, scope, depth))
        elements = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        return self._all(elements, scope, depth)

    def _call(self, node: ast.Call, scope: str, depth: int) -> Carried:
        callee = self._callee(node)
        arguments = [(None, each) for each in node.args] + [(each.arg, each.value) for each in node.keywords]
        values = [(name, self._read(each, scope, depth + 1)) for name, each in arguments]
        holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        held = self._read(holder, scope, depth + 1) if holder is not None else NOTHING
        if callee.method in self.functions and not callee.known:
            return self._own_call(callee.method, values)
        if is_inert(callee):
            return NOTHING
        given = merged([value for name, value in values if name not in ("env", "timeout", "cwd")])
        if callee.method in _FIELD_METHODS and node.args and not callee.known:
            constant = isinstance(node.args[0], ast.Constant)
            return field_of(held) if constant else merged([field_of(held), values[0][1]])
        if picks(callee, node):
            held = field_of(held)
            given = field_of(given)
        act = act_of(callee, *self._place(node))
        files = [f"file:{path}" for path in callee.reads]
        taken = source_of(callee, *self._place(node))
        passed = merged([held, given, Carried(frozenset(files))])
        if act is not None:
            self._add((), passed, (act,))
            if act.kind is ActKind.STARTS:
                self._add((), Carried(frozenset(files)), (act._replace(kind=ActKind.RUNS, nested=True),))
                if callee.texts == (UNKNOWN,) and not isinstance(node.args[0] if node.args else None, ast.List):
                    self._add((), values[0][1] if values else NOTHING, (act._replace(kind=ActKind.RUNS),))
                for line in callee.lines:
                    self.found += given_steps(line, Step((), passed.uses, passed.sources), act.start, act.end)
        whole = merged([passed, Carried(sources=taken)])
        if callee.writes:
            self._add([f"file:{path}" for path in callee.writes], whole)
        if isinstance(holder, ast.Name | ast.Attribute) and given != NOTHING:
            # `found.append(value)`, `request.add(value)`: what holds the method may keep it.
            self._assign([holder], given, scope)
        return whole

    def _own_call(self, name: str, values: list[tuple[str | None, Carried]]) -> Carried:
        """A call of a function of this file: its parameters get the arguments."""
        parameters = self.functions[name]
        for number, (keyword, value) in enumerate(values):
            parameter = keyword or (parameters[number] if number < len(parameters) else None)
            if parameter in parameters:
                self._add((f"{name}.{parameter}",), value)
        return Carried(frozenset([f"{name}()"]))

    def _callee(self, node: ast.Call) -> Callee:
        name = self._name(node.func)
        return Callee.of(name, node, self.values)

    def _name(self, func: ast.expr) -> str:
        """The dotted name of what is called, with aliases and `getattr` resolved."""
        match func:
            case ast.Call(func=ast.Name(id="getattr"), args=[holder, key, *_]):
                return f"{self._name(holder)}.{self.values.texts(key)[0]}"
            case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"), args=[key, *_]):
                return self.values.texts(key)[0]
            case ast.Attribute(value=ast.Call() as inner):
                return f"{self._name(inner) or '()'}.{func.attr}"
            case ast.Call(func=inner):
                return f"{self._name(inner)}.()"
        name = dotted(func) or (named(func) or "")
        first, dot, rest = name.partition(".")
        return f"{self.aliases[first]}{dot}{rest}" if first in self.aliases else name
