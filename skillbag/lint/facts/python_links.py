"""What a Python file shares with other files of its skill: what it imports and gives, and what starts it with what."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.facts.carried import Carried
from skillbag.lint.facts.literals import SECRETS
from skillbag.lint.facts.skill_files import FilesBeside, member
from skillbag.lint.facts.values import Step
from skillbag.lint.signals.syntax_trees import parsed

_SECRETS = tuple(map(bytes.decode, SECRETS))
_INPUTS = {"sys.argv": "argv", "sys.stdin": "stdin", "sys.stdin.buffer": "stdin", "input": "stdin"}


class PythonLinks:
    """The names of one file that other files have, too."""

    def __init__(self, nodes: Sequence[ast.AST], files: FilesBeside) -> None:
        self.files = files
        self.constants: dict[str, ast.expr] = {}
        self.modules: dict[str, str] = {}
        self.stars: list[str] = []
        for node in nodes if files.skill is not None else ():
            match node:
                case ast.Import():
                    for each in node.names:
                        self._module(each.name)
                case ast.ImportFrom(module=module, names=names):
                    is_file = self._module(module or "")
                    for each in names if not is_file else ():
                        self._module(f"{module or ''}.{each.name}")
                    if is_file and names[0].name == "*":
                        self.stars.append(self.modules[module or ""])
                    if is_file:
                        self._constants(self.modules[module or ""], {each.name: each.asname for each in names})

    def _module(self, name: str) -> bool:
        path = self.files.python(name)
        if path and path != self.files.own:
            self.modules[name] = path
            self._constants(path, {})
        return path != ""

    def _constants(self, path: str, renamed: Mapping[str, str | None]) -> None:
        """The values that another file assigns to names count where this one assigns none."""
        for name, value in module_values(self.files.skill, path).items():
            self.constants[renamed.get(name) or name] = value

    def shared(self, name: str) -> str:
        """The shared name of what a dotted name means in another file; empty for a name of this one."""
        for module, path in self.modules.items():
            if name.startswith(f"{module}."):
                return member(path, name.rpartition(".")[2])
        return member(self.stars[0], name) if self.stars and name.isidentifier() else ""

    def taken(self, name: str) -> frozenset[str]:
        """The shared name of what a file gets through a dotted name: from another file, or from what starts it."""
        shared = self.files.member(_INPUTS[name]) if name in _INPUTS else self.shared(name)
        return frozenset([shared]) if shared else frozenset()

    def item(self, name: str, key: object) -> Carried | None:
        """An argument of the program or a variable of its environment; None for an item of something else."""
        if name == "os.environ":
            return Carried(frozenset([self.files.member(f"env:{key}") or f"env:{key}"]))
        is_argument = name == "sys.argv" and self.files.own
        return Carried(frozenset([self.files.member(f"argv#{key}")])) if is_argument else None

    def steps(self, tree: ast.Module, nodes: Sequence[ast.AST], functions: Mapping[str, list[str]]) -> Iterator[Step]:
        """What others get of this file, and what its functions and options get of others."""
        if not self.files.own:
            return
        for name, parameters in functions.items():
            yield self._link(f"{name}()", f"{name}()", is_out=True)
            for number, parameter in enumerate(parameters):
                yield self._link(f"{name}.{parameter}", f"{name}#{number}", f"{name}.{parameter}")
        for statement in tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    yield self._link(name, name, is_out=True)
                case ast.ClassDef(name=name) if "__init__" in functions:
                    for number, parameter in enumerate(functions["__init__"]):
                        yield self._link(f"__init__.{parameter}", f"{name}#{number}", f"{name}.{parameter}")
        yield from self._options(nodes)

    def _link(self, own: str, *shared: str, is_out: bool = False) -> Step:
        names = tuple(self.files.member(each) for each in shared)
        return Step(names, frozenset([own])) if is_out else Step((own,), frozenset(names))

    def _options(self, nodes: Sequence[ast.AST]) -> Iterator[Step]:
        """What the options of a command line get: fields of its arguments, parameters of a function of click."""
        number = 0
        for node in nodes:
            match node:
                case ast.Call(func=ast.Attribute(attr="add_argument")):
                    names = _texts(node)
                    number += bool(names) and not names[0].startswith("-")
                    if names:
                        yield self._link(f".{_field(node, names)}", *_given(names, number))
                case ast.FunctionDef(name=function, decorator_list=decorators):
                    place = 0
                    # They are written from the last to the first.
                    for call in decorators:
                        match call:
                            case ast.Call(func=ast.Attribute(attr="option" | "argument") as func) if names := _texts(
                                call
                            ):
                                place += func.attr == "argument"
                                yield self._link(f"{function}.{_field(call, names)}", *_given(names, place))


def _texts(call: ast.Call) -> list[str]:
    return [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def _given(names: Sequence[str], number: int) -> list[str]:
    return [name if name.startswith("-") else f"place#{number}" for name in names]


def _field(call: ast.Call, names: Sequence[str]) -> str:
    """The field that an option fills."""
    for keyword in call.keywords:
        if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    long = next((name for name in names if name.startswith("--")), names[0])
    return long.lstrip("-").replace("-", "_")


@lru_cache(maxsize=128)
def _values_of(text: str) -> Mapping[str, ast.expr]:
    tree = parsed(text)
    found: dict[str, ast.expr] = {}
    for statement in tree.body if tree is not None else ():
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = value
    return found


def module_values(skill: Skill | None, path: str) -> Mapping[str, ast.expr]:
    """What a file of a skill assigns to names outside of functions, if it names a secret file."""
    text = FilesBeside(skill).text(path)
    return _values_of(text) if any(word in text for word in _SECRETS) else {}
