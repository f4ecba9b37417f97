"""Forms of JavaScript in its tokens: statements, assignments, functions, and what stands between commas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from skillbag.lint.facts.javascript_tree import ScriptToken


def declared_names(items: Sequence[ScriptToken]) -> frozenset[str]:
    """The names that the body of a function declares, those of functions within it among them."""
    found = set[str]()
    for before, item in pairwise(items):
        if before.text in ("const", "let", "var"):
            found.update(names_of([item]))
    for item in items:
        if item.kind in ("{", "("):
            found |= declared_names(item.inner)
    return frozenset(found)


def is_object(item: ScriptToken) -> bool:
    inner = item.inner
    return len(inner) > 1 and inner[1].text == ":" and inner[0].kind in ("name", "string")


def first_test(body: ScriptToken) -> Sequence[ScriptToken]:
    inner = body.inner
    return inner[1].inner if len(inner) > 1 and inner[0].text == "if" else ()


_SECRET_WORDS = ("key", "token", "secret", "pass", "cred", "auth")


def is_spared(test: Sequence[ScriptToken]) -> bool:
    """Whether a filter of variables takes those of one program alone: by the beginning of their names."""
    found = [*_all_tokens(test)]
    texts = (token.text.lower() for token in found if token.kind == "string")
    named = any(token.text == "startsWith" and token.kind == "name" for token in found)
    return named and not any(word in text for text in texts for word in _SECRET_WORDS)


def _all_tokens(items: Sequence[ScriptToken]) -> Iterator[ScriptToken]:
    left = [*items]
    while left:
        item = left.pop()
        yield item
        left += item.inner


def statements(items: Sequence[ScriptToken]) -> Iterator[Sequence[ScriptToken]]:
    """The statements of a text; `import { … } from` is one."""
    start = 0
    for number, item in enumerate(items):
        if item.begins and number > start and item.text != "from":
            yield items[start:number]
            start = number
    if start < len(items):
        yield items[start:]


def declarators(items: Sequence[ScriptToken]) -> Sequence[Sequence[ScriptToken]]:
    """The declarations of one statement: `a = 1, b = 2`; a comma in a type is none."""
    found: list[Sequence[ScriptToken]] = []
    start = 0
    for number, item in enumerate(items):
        if item.text == "," and item.kind == "sign" and _declares(items[number + 1 : number + 3]):
            found.append(items[start:number])
            start = number + 1
    return [*found, items[start:]]


def _declares(items: Sequence[ScriptToken]) -> bool:
    return len(items) > 1 and items[0].kind in ("name", "{", "[") and items[1].text in ("=", ":", ",")


def assignment(items: Sequence[ScriptToken]) -> int | None:
    """The place of the sign that assigns, at the top of a statement."""
    return next((n for n, item in enumerate(items) if item.kind == "sign" and item.text in ("=", "+=", "??=")), None)


def names_of(targets: Sequence[ScriptToken]) -> Iterator[str]:
    """The names that an assignment gives a value: of a field, the field's and that of what holds it."""
    if not targets:
        return
    if targets[0].kind in ("{", "["):
        yield from (item.text for item in _all_tokens(targets[0].inner) if item.kind == "name")
        return
    annotated = next((n for n, item in enumerate(targets) if item.text == ":"), len(targets))
    names = [item.text for item in targets[:annotated] if item.kind == "name" and item.text != "this"]
    yield from names[:1]
    if len(names) > 1:
        yield names[-1]


def parameters_of(group: ScriptToken | None) -> list[tuple[str, ...]]:
    """The names of each parameter: several if it is taken apart."""
    if group is None:
        return []
    return [
        names if part[0].kind in ("{", "[") else names[:1]
        for part in parts_of(group.inner)
        for names in [(*names_of(part),)]
    ]


def arrow_of(items: Sequence[ScriptToken]) -> tuple[list[tuple[str, ...]], Sequence[ScriptToken]] | None:
    """The parameters and the body of an expression that is a function."""
    items = items[1:] if items and items[0].text == "async" else items
    if len(items) > 2 and items[0].text == "function":
        body = next((n for n, item in enumerate(items) if item.kind == "{"), None)
        parameters = next((item for item in items if item.kind == "("), None)
        return (parameters_of(parameters), items[body : body + 1]) if body else None
    if len(items) > 2 and items[1].text == "=>":
        return (parameters_of(items[0]) if items[0].kind == "(" else [(items[0].text,)], items[2:])
    return None


def parts_of(items: Sequence[ScriptToken]) -> Iterator[Sequence[ScriptToken]]:
    """What stands between commas."""
    start = 0
    for number, item in enumerate(items):
        if item.text == "," and item.kind == "sign":
            yield items[start:number]
            start = number + 1
    if start < len(items):
        yield items[start:]


def fields_of(group: ScriptToken) -> Iterator[tuple[str, str]]:
    """The fields that `{ a, b: c }` takes, with the names that they get; `import` says `b as c`."""
    for part in parts_of(group.inner):
        if part[0].text == "..." and len(part) > 1:
            yield "", part[1].text
        if len(part) > 2 and part[2].kind == "{":
            yield from ((f"{part[0].text}.{field}".rstrip("."), local) for field, local in fields_of(part[2]))
            continue
        names = [item.text for item in part[:3] if item.kind == "name" and item.text not in ("as", "type")]
        if names and part[0].kind == "name":
            yield names[0], names[-1] if len(part) > 1 and part[1].text in (":", "as") else names[0]


def imported(items: Sequence[ScriptToken]) -> Iterator[tuple[str, str]]:
    """The names that an `import` declares, with what of a module each stands for."""
    module = module_of(items[-1].text) if items[-1].kind == "string" else ""
    if not module:
        return
    for item in items[1:-1]:
        if item.kind == "{":
            yield from (
                (name, module if field == "default" else f"{module}.{field}") for field, name in fields_of(item)
            )
        elif item.kind == "name" and item.text not in ("as", "from", "type"):
            yield item.text, module


_STANDS_FOR = {
    **dict.fromkeys(("node-fetch", "cross-fetch", "isomorphic-fetch", "node-fetch-native", "undici.fetch"), "fetch"),
    **dict.fromkeys(("request-promise", "request-promise-native"), "request"),
    **dict.fromkeys(("ws", "isomorphic-ws", "websocket"), "WebSocket"),
}


def module_of(name: str) -> str:
    """What a module is called in tables; nothing for a file of the skill."""
    name = name.removeprefix("node:")
    return "" if name.startswith((".", "/", "http:", "https:", "data:")) else _STANDS_FOR.get(name, name)


def after_types(items: Sequence[ScriptToken], number: int) -> int:
    """The place of a call behind its types: `get<string>(address)`."""
    if items[number].text == "<" and items[number].kind == "sign":
        for at in range(number + 2, min(number + 8, len(items) - 1)):
            if items[at].text == ">" and items[at + 1].kind == "(":
                return at + 1
    return number


def is_command_tag(name: str) -> bool:
    """Whether a template behind a name is a command line: of zx, execa or Bun."""
    return name.rpartition(".")[2] in ("$", "$$", "execaCommand", "$()")


def has_field(group: ScriptToken, name: str) -> bool:
    """Whether one of the arguments is an object with a field."""
    return any(item.kind == "{" and any(inner.text == name for inner in item.inner) for item in group.inner)


def are_numbers(items: Sequence[ScriptToken]) -> bool:
    """Whether an expression is a list of three numbers or more."""
    return bool(items) and items[0].kind == "[" and [item.kind for item in items[0].inner[0:5:2]] == ["number"] * 3


def constant_of(index: ScriptToken) -> str:
    """The text of an index that is one, put together or not: `['ex' + 'ec']`."""
    texts = [item for item in index.inner if item.kind == "string" and not item.inner]
    plain = index.inner and all(item in texts or item.text == "+" for item in index.inner)
    return "".join(item.text for item in texts) if plain else ""


def is_dot(items: Sequence[ScriptToken], number: int) -> bool:
    """Whether a field is named at a place: `.name`."""
    item = items[number]
    return (
        item.kind == "sign"
        and item.text in (".", "?.")
        and number + 1 < len(items)
        and items[number + 1].kind == "name"
    )


def field_at(items: Sequence[ScriptToken], number: int) -> tuple[str, int]:
    """The field that `.name` or `['name']` takes, and the place after it."""
    if items[number].kind == "[":
        return constant_of(items[number]), number + 1
    return items[number + 1].text, number + 2


def is_options(item: ScriptToken) -> bool:
    names = {inner.text for inner in item.inner if inner.kind == "name"}
    return bool(names & {"stdio", "cwd", "shell", "encoding", "detached", "timeout", "windowsHide"}) or len(names) < 3
