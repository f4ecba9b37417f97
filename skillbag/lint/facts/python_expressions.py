"""Expressions of Python while its code is read: names, calls, comprehensions.

Names of a function stand apart from those of others (`function.name`); an attribute has one name in the whole file
(`.name`), and so has a method. What a call does follows from its dotted name, with imports and aliases resolved.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from skillbag.lint.facts.carried import NOTHING, Carried, field_of, merged, without
from skillbag.lint.facts.python_calls import Callee, act_of, is_inert, program_of, runs_input, source_of
from skillbag.lint.facts.python_commands import PART, are_secrets, lists_of
from skillbag.lint.facts.python_filters import StoredNames, first_test, picks, spares_secrets, starts_with
from skillbag.lint.facts.python_links import PythonLinks
from skillbag.lint.facts.python_names import CalledNames
from skillbag.lint.facts.python_values import UNKNOWN, AssignedValues, dotted
from skillbag.lint.facts.shell_steps import GIVEN, given_steps
from skillbag.lint.facts.skill_files import FilesBeside, member
from skillbag.lint.facts.values import LOGIN, Act, ActKind, Origin, OriginKind, Step
from skillbag.lint.signals.syntax_trees import nodes_of

_DEPTH = 120
"""Expressions within each other that are read; deeper ones count by their names alone."""
_ENVIRONMENT = frozenset(["os.environ", "os.environb"])
_LOGINS = frozenset(["auth", "headers"])
_ASIDE = _LOGINS | {"env", "timeout", "cwd"}
_CONTAINER_METHODS = frozenset(["items", "keys", "values", "get", "read", "write", "append", "update", "copy", "join"])
_WRITERS = frozenset(["dump", "copyfileobj"])
"""Functions that write what they get into the file that they get."""
_INPUT_NAMES = frozenset(["argv", "stdin", "buffer"])
_VARIABLES = frozenset(["os.getenv", "os.environ.get"])
_FIELD_METHODS = frozenset(["get", "pop", "setdefault", "getenv"])


class PythonExpressions:
    """What expressions are made of; statements are for a subclass."""

    def __init__(self, tree: ast.Module, offset_of: Callable[[int, int], int], files: FilesBeside) -> None:
        everything = nodes_of(tree)
        # Most nodes are names and constants, which tell nothing by themselves.
        nodes = [node for node in everything if not isinstance(node, ast.Name | ast.Constant | ast.Attribute)]
        stored = StoredNames(everything)
        self.offset_of, self.files = offset_of, files
        self.links = PythonLinks(nodes, files)
        self.values = AssignedValues(nodes, self.links.constants)
        self.names = CalledNames(nodes, self.values, self.links)
        self.found: list[Step] = []
        self.functions: dict[str, list[str]] = {}
        self.own: dict[str, frozenset[str]] = {"": frozenset()}
        for node in nodes:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    parameters = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                    self.functions[node.name] = [name for name in parameters if name not in ("self", "cls")]
                    self.own[node.name] = frozenset(parameters) | stored.within(node)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=args)):
                    self.functions[name] = [each.arg for each in args.args]
                    self.own[name] = frozenset(self.functions[name])
        self.found += self.links.steps(tree, nodes, self.functions)

    def _place(self, node: ast.expr) -> tuple[int, int]:
        start = self.offset_of(node.lineno, node.col_offset)
        return start, self.offset_of(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def _add(self, defines: Iterable[str], value: Carried, acts: tuple[Act, ...] = ()) -> None:
        if value.uses or value.sources or value.picks:
            self.found.append(Step(tuple(defines), value.uses, value.sources, acts, value.picks))

    def _key(self, name: str, scope: str) -> str:
        return f"{scope}.{name}" if name in self.own[scope] else name

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
                return Carried(frozenset([self._key(node.id, scope)]) | self._shared(node, node.id))
            case ast.Attribute():
                if self._is_environment(node):
                    return self._environment(node)
                inner = self._read(node.value, scope, depth + 1)
                return inner._replace(uses=inner.uses | self._shared(node, node.attr) | {f".{node.attr}"})
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
        return merged([self._read(node, scope, depth + 1) for node in nodes])

    def _inert(self, node: ast.expr, scope: str, depth: int) -> Carried:
        """Read an expression whose value tells nothing, for the calls within it."""
        self._add((), self._all([x for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr)], scope, depth))
        return NOTHING

    def _shared(self, node: ast.expr, last: str) -> frozenset[str]:
        """What a name has in common with another file, or gets of what starts the program."""
        if self.links.modules or last in _INPUT_NAMES:
            return self.links.taken(self.names.of(node))
        return frozenset()

    def _is_environment(self, node: ast.expr) -> bool:
        name = dotted(node)
        return (name in _ENVIRONMENT or self.names.aliases.get(name) in _ENVIRONMENT) if name else False

    def _environment(self, node: ast.expr) -> Carried:
        return Carried(sources=(Origin(OriginKind.ENVIRONMENT, "os.environ", *self._place(node)),))

    def _subscript(self, node: ast.Subscript, scope: str, depth: int) -> Carried:
        value = self._read(node.value, scope, depth + 1)
        if isinstance(node.slice, ast.Slice):
            return value
        if isinstance(node.slice, ast.Constant):
            return self.links.item(self.names.of(node.value), node.slice.value) or field_of(value)
        index = self._read(node.slice, scope, depth + 1)
        return merged([value if are_secrets(self.values.texts(node.slice)) else field_of(value), index])

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: str, depth: int
    ) -> Carried:
        for generator in node.generators:
            self._assign([generator.target], self._loop(generator, scope), scope)
            self._add((), self._all(generator.ifs, scope, depth))
        elements = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        return self._all(elements, scope, depth)

    def _call(self, node: ast.Call, scope: str, depth: int) -> Carried:
        callee = self._callee(node)
        arguments = [(None, each) for each in node.args] + [(each.arg, each.value) for each in node.keywords]
        values = [(name, self._read(each, scope, depth + 1)) for name, each in arguments]
        holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        held = self._read(holder, scope, depth + 1) if holder is not None else NOTHING
        if callee.method in self.functions and not callee.known and self._is_own(node.func):
            return self._own_call(callee.method, values)
        if callee.name in ("print", "sys.stdout.write") and self.files.own:
            self._add((self.files.member("stdout"),), merged([value for _, value in values]))
        if is_inert(callee):
            return NOTHING
        shared = self.links.shared(callee.name)
        for number, (keyword, value) in enumerate(values) if shared else ():
            self._add((f"{shared}.{keyword}" if keyword else f"{shared}#{number}",), value)
        given = merged([value for name, value in values if name not in _ASIDE])
        if callee.method in _FIELD_METHODS and node.args and not callee.known:
            return self._field(callee, node, held, values[0][1])
        if picks(callee, node):
            held = field_of(held)
            given = field_of(given)
        act = act_of(callee, *self._place(node))
        files = [f"file:{path}" for path in callee.reads]
        taken = source_of(callee, *self._place(node))
        if callee.takes_paths:
            given = merged([given, Carried(sources=taken)])
        passed = merged([held, given, Carried(frozenset([*files, *([f"{shared}()"] if shared else [])]))])
        if callee.name == "input":
            passed = Carried(self.links.taken("input"))
        if act is not None:
            self._add((), passed, (act,))
            logins = merged([value for name, value in values if name in _LOGINS])
            self._add((), logins, (act._replace(means=f"{act.means}{LOGIN}"),))
            if act.kind is ActKind.STARTS:
                self._add((), Carried(frozenset(files)), (act._replace(kind=ActKind.RUNS, nested=True),))
                is_fed = any(name in ("input", "stdin") for name, _ in values)
                passed = self._commands(callee, act, passed, f'echo "${GIVEN}" | ' if is_fed else "")
                for value in self._code(callee, node, values, scope):
                    self._add((), value, (act._replace(kind=ActKind.RUNS),))
                self._started(callee, node, values, scope)
        whole = merged([passed, Carried(sources=taken)])
        if callee.writes:
            self._add([f"file:{path}" for path in callee.writes], whole)
        if callee.folder:
            self._add([f"dir:{callee.folder}"], whole)
        if isinstance(holder, ast.Call) and callee.method in ("write", "writelines"):
            self._add([f"file:{path}" for path in self._callee(holder).writes], given)
        self._kept(callee, node, given, scope)
        is_module = isinstance(holder, ast.Name) and holder.id in self.names.modules
        if isinstance(holder, ast.Name | ast.Attribute) and given != NOTHING and not is_module:
            # `found.append(value)`, `request.add(value)`: what holds the method may keep it.
            self._assign([holder], given, scope)
        return whole

    def _field(self, callee: Callee, node: ast.Call, held: Carried, key: Carried) -> Carried:
        """What `get` takes of a mapping; of the environment all, where the key may be one of several secrets."""
        if isinstance(node.args[0], ast.Constant):
            item = self.links.item("os.environ", callee.texts[0])
            return item if item and callee.name in _VARIABLES else field_of(held)
        several = are_secrets(self.values.texts(node.args[0]))
        if several and callee.name == "os.getenv":
            held = self._environment(node)
        return merged([held if several else field_of(held), key])

    def _code(
        self, callee: Callee, node: ast.Call, values: Sequence[tuple[str | None, Carried]], scope: str
    ) -> Iterator[Carried]:
        """What a call that starts a program runs as such: the program or its file, and an interpreter's input."""
        words = next(iter(lists_of(node.args[0] if node.args else None, self.values)), None)
        if callee.texts == (UNKNOWN,) and words is None and values:
            yield values[0][1]
        program = program_of(callee, words) if words else None
        if program is not None:
            yield self._read(program, scope)
        if runs_input(callee):
            yield from (value for name, value in values if name in ("input", "stdin"))

    def _kept(self, callee: Callee, node: ast.Call, given: Carried, scope: str) -> None:
        """A file that is open for writing, and is given to a call that writes into it, gets the rest."""
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            if isinstance(argument, ast.Call) and (writes := self._callee(argument).writes):
                self._add([f"file:{path}" for path in writes], given)
        if callee.method in _WRITERS and len(node.args) > 1:
            self._assign(node.args[1:2], given, scope)

    def _started(self, callee: Callee, node: ast.Call, values: list[tuple[str | None, Carried]], scope: str) -> None:
        """Another program of the skill gets its input and its environment."""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        for path in filter(None, map(self.files.path, callee.reads)):
            self._add((member(path, "stdin"),), merged([value for name, value in values if name in ("input", "stdin")]))
            variables = given.get("env")
            pairs = zip(variables.keys, variables.values, strict=True) if isinstance(variables, ast.Dict) else ()
            for key, value in pairs:
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    self._add((member(path, f"env:{key.value}"),), self._read(value, scope))

    def _commands(self, callee: Callee, act: Act, given: Carried, feed: str) -> Carried:
        """Read the command lines of a call, with what feeds them before; what they print is its result."""
        printed = set[str]()
        for line in callee.lines:
            known = feed + line.replace(UNKNOWN, f"${GIVEN}").replace(PART, "")
            steps = given_steps(known, Step((), given.uses, given.sources), act.start, act.end, self.files)
            printed.update(name for step in steps for name in step.defines if name.startswith("("))
            self.found += steps
        return given._replace(uses=given.uses | printed)

    def _is_own(self, func: ast.expr) -> bool:
        """Whether a function of this file is called, and not a method that all containers have."""
        match func:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                return True
            case ast.Attribute(attr=name):
                return name not in _CONTAINER_METHODS
        return True

    def _own_call(self, name: str, values: list[tuple[str | None, Carried]]) -> Carried:
        """A call of a function of this file: its parameters get the arguments."""
        parameters = self.functions[name]
        for number, (keyword, value) in enumerate(values):
            parameter = keyword or (parameters[number] if number < len(parameters) else None)
            if parameter in parameters:
                self._add((f"{name}.{parameter}",), value)
        return Carried(frozenset([f"{name}()"]))

    def _callee(self, node: ast.Call) -> Callee:
        name = self.names.of(node.func)
        return Callee.of(name, node, self.values)
