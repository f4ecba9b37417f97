"""Arguments that a Python script declares by `argparse` or `optparse`, read from its tree in the order of its code.

A parser that code elsewhere may add to, or an argument whose name is computed, makes all of it uncertain.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.python_parts import declaring
from skillbag.lint.facts.script_arguments import HELP, Arguments, Positional, ScriptOption
from skillbag.lint.signals.syntax_trees import nodes_of, parsed

_UNREADABLE = ("parse_known_args", "parse_known_intermixed_args", "fromfile_prefix_chars", "prefix_chars")
_FLAGS = frozenset(("store_true", "store_false", "store_const", "append_const", "count", "help", "version", "callback"))
_ADDS = frozenset(
    (
        *("add_argument", "add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser"),
        *("add_option", "add_option_group"),
    )
)
_ADDING = late(rf"\b(?:{'|'.join(sorted(_ADDS))})\b")
_DEEPEST = 3
_OWN_ARGV = late(r"\bsys\.argv\b(?!\[1:\])(?<!len\(sys\.argv)")


class _UncertainError(Exception):
    """The arguments can't be read with certainty."""


def argparse_arguments(source: str) -> Arguments | None:
    """The arguments of the one parser of `argparse` in a script."""
    return _read(source, "ArgumentParser", abbreviates="allow_abbrev=False" not in source)


def optparse_arguments(source: str) -> Arguments | None:
    """The options of the one parser of `optparse`; it leaves all other arguments to the script."""
    found = _read(source, "OptionParser", abbreviates=True)
    return found._replace(exact=False) if found else None


def _read(source: str, maker: str, *, abbreviates: bool) -> Arguments | None:
    if any(word in source for word in _UNREADABLE) or ".parse_" not in source or _OWN_ARGV().search(source):
        return None
    # Of most scripts, the statements that declare arguments are a small part, and the tree of the rest is for nothing.
    tree = parsed(declaring(source, maker)) or parsed(source)
    adds = _ADDING().findall(source)
    try:
        return _Reader(tree, maker).root(len(adds)).arguments(abbreviates) if tree else None
    except (_UncertainError, RecursionError):
        return None


class _Parser:
    """A parser while its code is read; a group adds to the parser that it belongs to."""

    def __init__(self, has_help: bool = True) -> None:
        self.options: list[ScriptOption] = [HELP] if has_help else []
        self.positionals: list[Positional] = []
        self.commands: list[tuple[str, _Parser]] = []
        self.needs_command = False

    def arguments(self, abbreviates: bool) -> Arguments:
        commands = tuple([(name, parser.arguments(abbreviates)) for name, parser in self.commands])
        places = (tuple(self.options), tuple(self.positionals), commands)
        return Arguments(*places, needs_command=self.needs_command, abbreviates=abbreviates)


class _Reader:
    """Follows the statements of a script; names of parsers count in the function that they are in."""

    def __init__(self, tree: ast.Module, maker: str) -> None:
        self.tree, self.maker = tree, maker
        self.constants = dict(_constants(tree))
        self.functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.parsers: dict[str, _Parser] = {}
        self.made: list[_Parser] = []
        self.parents: list[_Parser] = []
        self.seen: set[ast.Attribute] = set()
        self.depth = 0

    def root(self, adds: int) -> _Parser:
        """The one parser that is no parent of others, once all `adds` that the text has were understood."""
        self._block(self.tree.body, optional=False)
        roots = [parser for parser in self.made if parser not in self.parents]
        if len(roots) != 1 or (len(self.seen) < adds and self.seen != _adding(self.tree)):
            raise _UncertainError
        return roots[0]

    def _block(self, body: list[ast.stmt], *, optional: bool) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._function(node, {})
            elif isinstance(node, ast.For | ast.While | ast.AsyncFor):
                # What a loop adds is not known, and stays unseen.
                continue
            else:
                is_choice = isinstance(node, ast.If) and _dotted(getattr(node.test, "left", node.test)) != "__name__"
                for inner in ("body", "orelse", "finalbody"):
                    self._block(getattr(node, inner, []), optional=optional or is_choice)
                self._statement(node, optional)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, given: dict[str, _Parser]) -> None:
        outer = self.parsers
        names = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
        self.parsers = {**{name: parser for name, parser in outer.items() if name not in names}, **given}
        self._block(node.body, optional=False)
        self.parsers = outer

    def _statement(self, node: ast.stmt, optional: bool) -> None:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = _dotted(node.targets[0])
            if target.endswith(".required") and target[:-9] in self.parsers:
                self.parsers[target[:-9]].needs_command = True
            parser = self._value(node.value, optional)
            if parser is not None and target:
                self.parsers[target] = parser
        elif isinstance(node, ast.Expr | ast.Return) and node.value is not None:
            self._value(node.value, optional)

    def _value(self, node: ast.expr, optional: bool) -> _Parser | None:
        """The parser that an expression makes or adds to, if it does."""
        if not isinstance(node, ast.Call):
            return self.parsers.get(_dotted(node))
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == self.maker:
            self.made.append(_Parser(has_help=_keyword(node, "add_help") is not False))
            self._inherit(self.made[-1], node)
            return self.made[-1]
        owner = self._value(node.func.value, optional) if isinstance(node.func, ast.Attribute) else None
        if owner is None or name not in _ADDS:
            self._handed(node, name)
            return None
        self.seen.add(node.func)  # type: ignore[arg-type]
        if name in ("add_argument", "add_option"):
            self._add(owner, node, optional)
        elif name == "add_subparsers":
            owner.needs_command = _keyword(node, "required") is True
        elif name == "add_parser":
            return self._command(owner, node)
        return owner

    def _handed(self, node: ast.Call, name: str) -> None:
        """A function of the script adds to a parser that it is given; one from elsewhere may add anything."""
        given = [self.parsers.get(_dotted(argument)) for argument in node.args]
        if not any(given) or name == "autocomplete":
            return
        function = self.functions.get(name)
        if function is None or self.depth > _DEEPEST:
            raise _UncertainError
        names = [argument.arg for argument in function.args.args]
        self.depth += 1
        self._function(function, {name: parser for name, parser in zip(names, given, strict=False) if parser})
        self.depth -= 1

    def _inherit(self, parser: _Parser, node: ast.Call) -> None:
        given = _given(node, "parents")
        if any(keyword.arg is None for keyword in node.keywords):
            raise _UncertainError
        if given is None:
            return
        for item in given.elts if isinstance(given, ast.List | ast.Tuple) else [given]:
            parent = self.parsers.get(item.id) if isinstance(item, ast.Name) else None
            if parent is None:
                raise _UncertainError
            self.parents.append(parent)
            parser.options += [option for option in parent.options if option is not HELP]
            parser.positionals += parent.positionals

    def _command(self, owner: _Parser, node: ast.Call) -> _Parser:
        name = self._text(node.args[0]) if node.args else None
        aliases = self._texts(_given(node, "aliases"))
        if name is None or aliases is None:
            raise _UncertainError
        parser = _Parser(has_help=_keyword(node, "add_help") is not False)
        self._inherit(parser, node)
        owner.commands += [(known, parser) for known in (name, *aliases)]
        return parser

    def _add(self, owner: _Parser, node: ast.Call, optional: bool) -> None:
        names = [self._text(argument) for argument in node.args]
        if any(keyword.arg is None for keyword in node.keywords) or not names or None in names:
            raise _UncertainError
        known = tuple([name for name in names if name])
        action = _keyword(node, "action")
        choices = self._choices(node)
        least, most = self._count(node, action)
        if known[0].startswith("-"):
            if action == "BooleanOptionalAction":
                known += tuple([f"--no-{name[2:]}" for name in known if name.startswith("--")])
            required = _keyword(node, "required") is True and not optional
            owner.options.append(ScriptOption(known, least, most, choices, required))
        else:
            owner.positionals.append(Positional(known[0], 0 if optional else least, most, choices))

    def _count(self, node: ast.Call, action: object) -> tuple[int, int]:
        if action in _FLAGS or action == "BooleanOptionalAction":
            return 0, 0
        nargs = _keyword(node, "nargs")
        if nargs is None:
            # A class of its own may take any number.
            return (1, 1) if action in (None, "store", "append", "extend") else (0, -1)
        if isinstance(nargs, int) and not isinstance(nargs, bool):
            return nargs, nargs
        if nargs == "...":
            raise _UncertainError
        return {"?": (0, 1), "*": (0, -1), "+": (1, -1)}.get(str(nargs), (0, -1))

    def _choices(self, node: ast.Call) -> tuple[str, ...]:
        given, kind = _given(node, "choices"), _given(node, "type")
        # `type` may change what is given before it is compared.
        plain = isinstance(kind, ast.Constant | None) or (isinstance(kind, ast.Name) and kind.id in ("str", "int"))
        return (self._texts(given) or ()) if plain else ()

    def _texts(self, node: ast.expr | None, depth: int = 0) -> tuple[str, ...] | None:
        """The texts of a list; None where they are not known."""
        if node is None:
            return ()
        if isinstance(node, ast.Name) and depth < _DEEPEST and node.id in self.constants:
            return self._texts(self.constants[node.id], depth + 1)
        if isinstance(node, ast.Call) and depth < _DEEPEST:
            named = node.func.id if isinstance(node.func, ast.Name) else ""
            if named in ("list", "sorted", "tuple", "set") and len(node.args) == 1:
                return self._texts(node.args[0], depth + 1)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "keys" and not node.args:
                return self._texts(node.func.value, depth + 1)
            return None
        items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [None])
        texts = [self._text(item) if item else None for item in items]
        return None if None in texts else tuple([text for text in texts if text is not None])

    def _text(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name) and isinstance(given := self.constants.get(node.id), ast.Constant):
            node = given
        is_plain = isinstance(node, ast.Constant) and isinstance(node.value, str | int)
        return str(node.value) if is_plain and isinstance(node, ast.Constant) else None


def _adding(tree: ast.Module) -> set[ast.Attribute]:
    return {node for node in nodes_of(tree) if isinstance(node, ast.Attribute) and node.attr in _ADDS}


def _dotted(node: ast.expr) -> str:
    """A name with dots; empty for all else."""
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return node.id if isinstance(node, ast.Name) else ""


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def _given(node: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), None)


def _keyword(node: ast.Call, name: str) -> object:
    """The literal value of a keyword, or the name of what it is; None without it."""
    value = _given(node, name)
    if isinstance(value, ast.Constant):
        return value.value
    if isinstance(value, ast.Attribute):
        return {"REMAINDER": "...", "OPTIONAL": "?", "ZERO_OR_MORE": "*", "ONE_OR_MORE": "+"}.get(
            value.attr, value.attr
        )
    return None if value is None else ast.unparse(value)
