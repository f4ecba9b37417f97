"""Arguments that a Python script declares by `click` or `typer`: decorators and parameters of its functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from skillbag.lint.facts.script_arguments import Arguments, Positional, ScriptOption
from skillbag.lint.signals.syntax_trees import nodes_of, parsed

_UNREADABLE = (
    *("context_settings", "add_command", "add_typer", "ignore_unknown_options", "allow_extra_args", "**{"),
    "cls=",
)
_PLAIN = frozenset(("pass_context", "pass_obj", "command", "group", "callback"))
_HELP = ScriptOption(("--help",), 0, 0)
_VERSION = ScriptOption(("--version",), 0, 0)
_TYPER_OWN = ScriptOption(("--install-completion", "--show-completion"), 0, 1)


class _UncertainError(Exception):
    """The arguments can't be read with certainty."""


def decorated_arguments(source: str) -> Arguments | None:
    """The arguments of the one command, or the one group of commands, of a script."""
    tree = None if any(word in source for word in _UNREADABLE) else parsed(source)
    if tree is None:
        return None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    try:
        return _typer(tree, functions) if "typer" in source else _click(functions)
    except (_UncertainError, RecursionError):
        return None


def _click(functions: Sequence[ast.FunctionDef]) -> Arguments | None:
    groups, commands = [], []
    for function in functions:
        kinds = {_name(decorator) for decorator in function.decorator_list}
        if "group" in kinds:
            groups.append(function)
        elif "command" in kinds:
            commands.append(function)
    if not groups and len(commands) == 1:
        return _click_command(commands[0])
    if len(groups) != 1:
        return None
    inner = tuple([(name, _click_command(one)) for one in commands for name in _command_names(one)])
    return _click_command(groups[0])._replace(commands=inner, needs_command=False)


def _click_command(function: ast.FunctionDef) -> Arguments:
    options, positionals = [_HELP], []
    # Decorators are applied from the last one on, and the arguments come in the order of the code.
    for decorator in function.decorator_list:
        name = _name(decorator)
        if isinstance(decorator, ast.Call) and name in ("option", "argument"):
            names = _texts(decorator.args)
            if any(keyword.arg is None for keyword in decorator.keywords):
                raise _UncertainError
            if name == "option":
                options.append(_click_option(names, decorator))
            else:
                positionals.append(_click_argument(names[0], decorator))
        elif name == "version_option":
            options.append(_VERSION)
        elif name not in _PLAIN:
            raise _UncertainError
    return Arguments(tuple(options), tuple(positionals))


def _click_option(names: Sequence[str], node: ast.Call) -> ScriptOption:
    shown = tuple([part.strip() for name in names if name.startswith("-") for part in name.split("/")])
    is_flag = any("/" in name for name in names) or any(
        _keyword(node, key) for key in ("is_flag", "count", "flag_value")
    )
    number = _keyword(node, "nargs")
    values = 0 if is_flag else number if isinstance(number, int) else 1
    required = _keyword(node, "required") is True and not _has(node, "prompt", "envvar", "default")
    return ScriptOption(shown, values, values, _click_choices(node), required)


def _click_argument(name: str, node: ast.Call) -> Positional:
    number = _keyword(node, "nargs")
    most = number if isinstance(number, int) else 1
    is_optional = _keyword(node, "required") is False or _has(node, "default", "envvar") or most < 0
    is_optional = is_optional and _keyword(node, "required") is not True
    return Positional(name, 0 if is_optional else max(most, 1), most, _click_choices(node))


def _click_choices(node: ast.Call) -> tuple[str, ...]:
    kind = next((keyword.value for keyword in node.keywords if keyword.arg == "type"), None)
    if not isinstance(kind, ast.Call) or _name(kind) != "Choice" or len(kind.args) != 1 or kind.keywords:
        return ()
    given = kind.args[0]
    return tuple(_texts(given.elts)) if isinstance(given, ast.List | ast.Tuple) else ()


def _command_names(function: ast.FunctionDef) -> Iterator[str]:
    """The name of a command; click has left out some endings of functions since 8.2."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and _name(decorator) == "command" and decorator.args:
            yield from _texts(decorator.args[:1])
            return
        if isinstance(decorator, ast.Call) and isinstance(named := _keyword(decorator, "name"), str):
            yield named
            return
    name = function.name.lower().replace("_", "-")
    yield name
    for ending in ("-command", "-cmd", "-group", "-grp"):
        if name.endswith(ending):
            yield name.removesuffix(ending)


def _typer(tree: ast.Module, functions: Sequence[ast.FunctionDef]) -> Arguments | None:
    commands = [one for one in functions if "command" in map(_name, one.decorator_list)]
    callbacks = [one for one in functions if "callback" in map(_name, one.decorator_list)]
    runs = [
        node.args[0]
        for node in nodes_of(tree)
        if isinstance(node, ast.Call) and _name(node) == "run" and ast.unparse(node.func) == "typer.run" and node.args
    ]
    if runs and not commands:
        commands = [one for one in functions if isinstance(runs[0], ast.Name) and one.name == runs[0].id]
    if len(commands) == 1 and not callbacks:
        found = _typer_command(commands[0])
        return found._replace(options=(*found.options, _TYPER_OWN))
    if not commands or len(callbacks) > 1:
        return None
    outer = _typer_command(callbacks[0]) if callbacks else Arguments((_HELP,))
    inner = tuple([(name, _typer_command(one)) for one in commands for name in _command_names(one)])
    return outer._replace(options=(*outer.options, _TYPER_OWN), commands=inner)


def _typer_command(function: ast.FunctionDef) -> Arguments:
    options, positionals = [_HELP], []
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise _UncertainError
    pairs: list[tuple[ast.arg, ast.expr | None]] = [*zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    without = len(arguments.args) - len(arguments.defaults)
    pairs = [*zip(arguments.args, [*[None] * without, *arguments.defaults], strict=True), *pairs]
    for argument, default in pairs:
        kind = ast.unparse(argument.annotation) if argument.annotation else "str"
        if "Context" in kind:
            continue
        node, default = _declared(argument, default)
        is_list = "list[" in kind.lower()
        is_flag = kind.startswith(("bool", "Annotated[bool", "typing.Annotated[bool", "Optional[bool"))
        has_default = default is not None and ast.unparse(default) != "..."
        declared = _name(node) if node is not None else ""
        if declared == "Option" or (declared == "" and has_default):
            options.append(
                _typer_option(argument.arg, node, is_flag, required=declared == "Option" and not has_default)
            )
        elif declared in ("Argument", ""):
            positionals.append(Positional(argument.arg, 0 if has_default else 1, -1 if is_list else 1))
        else:
            raise _UncertainError
    return Arguments(tuple(options), tuple(positionals))


def _declared(argument: ast.arg, default: ast.expr | None) -> tuple[ast.Call | None, ast.expr | None]:
    """The `typer.ScriptOption(...)` or `typer.Argument(...)` of a parameter, and its default."""
    if isinstance(default, ast.Call) and _name(default) in ("Option", "Argument"):
        given = default.args[0] if default.args else None
        named = next((keyword.value for keyword in default.keywords if keyword.arg == "default"), given)
        return ast.Call(default.func, default.args[1:], default.keywords), named
    if isinstance(annotation := argument.annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        for node in annotation.slice.elts[1:]:
            if isinstance(node, ast.Call) and _name(node) in ("Option", "Argument"):
                return node, default
    return None, default


def _typer_option(name: str, node: ast.Call | None, is_flag: bool, *, required: bool) -> ScriptOption:
    if node is not None and any(keyword.arg is None for keyword in node.keywords):
        raise _UncertainError
    names = [part for text in _texts(node.args if node else ()) for part in text.split("/")]
    plain = f"--{name.replace('_', '-')}"
    own = names or ([plain, f"--no-{plain[2:]}"] if is_flag else [plain])
    if node is not None and _has(node, "prompt", "envvar"):
        required = False
    values = 0 if is_flag or (node is not None and _has(node, "count")) else 1
    return ScriptOption(tuple(own), values, values, required=required)


def _name(node: ast.expr) -> str:
    """The last name of a call or of what is called."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _texts(nodes: Sequence[ast.expr]) -> list[str]:
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    if len(texts) != len(nodes):
        raise _UncertainError
    return texts


def _keyword(node: ast.Call, name: str) -> object:
    value = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
    return value.value if isinstance(value, ast.Constant) else (value.operand.value * -1 if _is_minus(value) else None)  # type: ignore[union-attr]


def _is_minus(node: ast.expr | None) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)


def _has(node: ast.Call, *names: str) -> bool:
    return any(keyword.arg in names for keyword in node.keywords)
