"""What expressions of a Python file may be as texts: constants, and names that are assigned once or more in the file.

Flow does not count: a name has every value that the file assigns to it, up to `_MAX`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from skillbag.kernel.base.lazy_regex import late

_MAX = 8
_DEPTH = 6
_LARGEST = 100
_PERCENT = late(r"%(?:\(\w+\))?[-+ 0-9.]{0,8}[sdrxi]")
_BRACES = late(r"\{[\w.]{0,40}(?:![rs])?(?::[^{}]{0,20})?\}")
UNKNOWN = "\0"
"""A part of a text that is decided at run time."""

_PASSED_ON_WORDS = "rstrip lstrip strip lower format expanduser abspath Path str join urljoin resolve quote"
_PASSED_ON = frozenset(_PASSED_ON_WORDS.split())


class AssignedValues:
    """The assignments among the nodes of one tree, by name: of variables, attributes, parameters and loops.

    `imported` are values of other files, which count for names that are not assigned.
    """

    def __init__(self, nodes: Iterable[ast.AST], imported: Mapping[str, ast.expr]) -> None:
        self.assigned: dict[str, list[ast.expr]] = {}
        # What is in the tree stays there, so that its nodes are known by their ids.
        self._known: dict[tuple[int, int], list[str]] = {}
        functions: dict[str, list[str]] = {}
        calls: list[ast.Call] = []
        loops: list[tuple[ast.expr, ast.expr]] = []
        for node in nodes:
            match node:
                case ast.Assign():
                    for target in node.targets:
                        self._assign(target, node.value)
                case ast.AnnAssign(value=ast.expr()):
                    if node.value is not None:
                        self._assign(node.target, node.value)
                case ast.For() | ast.AsyncFor() | ast.comprehension():
                    loops.append((node.target, node.iter))
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    functions[node.name] = self._parameters(node.args)
                case ast.Call():
                    calls.append(node)
        for name, value in imported.items():
            self.assigned.setdefault(name, [value])
        for target, iterated in loops:
            for item in self.items(iterated):
                self._assign(target, item)
        for call in calls:
            self._arguments(call, functions)

    def items(self, node: ast.expr, depth: int = 0) -> Iterator[ast.expr]:
        """What a loop goes through, where that is written down: the items of a list, the keys of a mapping."""
        match node:
            case ast.List() | ast.Tuple() | ast.Set():
                yield from node.elts
            case ast.Dict():
                yield from (key for key in node.keys if key is not None)
            case ast.Call(func=ast.Attribute(value=ast.expr() as holder, attr="items" | "keys" | "values")):
                yield from self.items(holder, depth)
            case ast.Call(func=ast.Name(id="list" | "sorted" | "set" | "tuple" | "enumerate"), args=[inner, *_]):
                yield from self.items(inner, depth)
            case ast.Call(
                func=ast.Attribute(attr="glob" | "rglob" | "iglob" | "iterdir" | "listdir" | "walk" | "scandir")
            ):
                yield node
            case ast.BinOp(op=ast.Add()):
                yield from (*self.items(node.left, depth + 1), *self.items(node.right, depth + 1))
            case ast.Name() | ast.Attribute() if depth < _DEPTH:
                for value in self.assigned.get(named(node) or "", ()):
                    yield from self.items(value, depth + 1)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        name = named(target)
        if name and len(self.assigned.setdefault(name, [])) < _MAX:
            self.assigned[name].append(value)

    def _parameters(self, args: ast.arguments) -> list[str]:
        names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        for name, value in zip(reversed(names), reversed(args.defaults), strict=False):
            self._assign(ast.Name(name), value)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if default is not None:
                self._assign(ast.Name(arg.arg), default)
        return [name for name in names if name not in ("self", "cls")]

    def _arguments(self, call: ast.Call, functions: dict[str, list[str]]) -> None:
        """What calls of the file's own functions give for their parameters."""
        names = functions.get(named(call.func) or "")
        if names is None:
            return
        for name, value in zip(names, call.args, strict=False):
            if named(value) != name:
                self._assign(ast.Name(name), value)
        for keyword in call.keywords:
            if keyword.arg in names and named(keyword.value) != keyword.arg:
                self._assign(ast.Name(keyword.arg or ""), keyword.value)

    def texts(self, node: ast.expr | None, depth: int = 0) -> list[str]:
        """The texts that an expression may be; `UNKNOWN` stands for each part that is not known."""
        if node is None or depth >= _DEPTH:
            return [UNKNOWN]
        key = id(node), depth
        if key not in self._known:
            found = dict.fromkeys(islice(self._texts(node, depth), _LARGEST))
            self._known[key] = [*found][:_MAX] or [UNKNOWN]
        return self._known[key]

    def _texts(self, node: ast.expr, depth: int) -> Iterator[str]:
        match node:
            case ast.Constant(value=str() as text):
                yield text
            case ast.JoinedStr():
                yield from self._joined([*node.values], depth)
            case ast.FormattedValue():
                yield from self.texts(node.value, depth + 1)
            case ast.BinOp(op=ast.Add()):
                yield from self._joined([node.left, node.right], depth)
            case ast.BinOp(op=ast.Div()):
                for left in self.texts(node.left, depth + 1):
                    yield from (f"{left}/{right}" for right in self.texts(node.right, depth + 1))
            case ast.BinOp(op=ast.Mod()):
                given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
                yield from self._filled(node.left, _PERCENT(), given, depth)
            case ast.Name() | ast.Attribute():
                for value in self.assigned.get(named(node) or "", ()):
                    yield from self.texts(value, depth + 1)
            case ast.Subscript(value=text, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
                yield from (each[::-1] for each in self.texts(text, depth + 1))
            case ast.IfExp():
                yield from (*self.texts(node.body, depth + 1), *self.texts(node.orelse, depth + 1))
            case ast.BoolOp():
                for value in node.values:
                    yield from self.texts(value, depth + 1)
            case ast.Call():
                yield from self._call(node, depth)

    def _joined(self, parts: list[ast.expr], depth: int) -> Iterator[str]:
        found = [""]
        for part in parts:
            texts = self.texts(part, depth + 1)
            found = [before + text for before in found for text in texts][:_MAX]
        yield from found

    def _filled(self, text: ast.expr, places: re.Pattern[str], given: list[ast.expr], depth: int) -> Iterator[str]:
        """Texts with what `%` or `format` puts in at their places, in order."""
        values = [self.texts(each, depth + 1)[0] for each in given]
        for each in self.texts(text, depth + 1):
            rest = iter(values)
            yield places.sub(lambda _, rest=rest: next(rest, UNKNOWN), each)  # type: ignore[misc]

    def _call(self, node: ast.Call, depth: int) -> Iterator[str]:
        name = named(node.func)
        if name == "home" and isinstance(node.func, ast.Attribute):
            yield "~"
        elif name in ("getenv", "get") and len(node.args) == 2:
            yield from self.texts(node.args[1], depth + 1)
        elif name == "format" and isinstance(node.func, ast.Attribute) and node.args:
            yield from self._filled(node.func.value, _BRACES(), node.args, depth)
        elif name == "join" and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
            between = self.texts(node.func.value, depth + 1)[0]
            items = [*self.items(node.args[0])]
            yield between.join(self.texts(item, depth + 1)[0] for item in items) if items else UNKNOWN
        elif name == "join" and len(node.args) > 1:
            for first in self.texts(node.args[0], depth + 1):
                rest = [self.texts(arg, depth + 1)[0] for arg in node.args[1:]]
                yield "/".join((first, *rest))
        elif name in ("joinpath", "glob", "rglob") and isinstance(node.func, ast.Attribute) and node.args:
            for first in self.texts(node.func.value, depth + 1):
                rest = [self.texts(arg, depth + 1)[0] for arg in node.args]
                yield "/".join((*([] if first in (UNKNOWN, "glob") else [first]), *rest))
        elif name in ("iglob", "listdir", "walk", "scandir") and node.args:
            yield from self.texts(node.args[0], depth + 1)
        elif name == "iterdir" and isinstance(node.func, ast.Attribute):
            yield from self.texts(node.func.value, depth + 1)
        elif node.args and (
            name in ("expanduser", "Path", "str", "urljoin", "abspath", "quote", "Request")
            or dotted(node.func) == "shlex.split"
        ):
            yield from self.texts(node.args[0], depth + 1)
        elif name in _PASSED_ON and isinstance(node.func, ast.Attribute):
            yield from self.texts(node.func.value, depth + 1)


def named(node: ast.expr) -> str | None:
    """The last part of a name: `url` of `url`, `self.url` and `config.url`."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def dotted(node: ast.expr) -> str:
    """A name with its dots; calls within it as `()`; empty for other expressions."""
    parts: list[str] = []
    for _ in range(_MAX):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
            parts.append("()")
        else:
            break
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""
