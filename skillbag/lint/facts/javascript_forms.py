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
        yield from (item.text for item in targets[0].inner if item.kind == "name")
        return
    annotated = next((n for n, item in enumerate(targets) if item.text == ":"), len(targets))
    names = [item.text for item in targets[:annotated] if item.kind == "name" and item.text != "this"]
    yield from names[:1]
    if len(names) > 1:
        yield names[-1]


def parameters_of(group: ScriptToken | None) -> list[str]:
    if group is None:
        return []
    return [name for part in parts_of(group.inner) for name in [*names_of(part)][:1]]


def arrow_of(items: Sequence[ScriptToken]) -> tuple[list[str], Sequence[ScriptToken]] | None:
    """The parameters and the body of an expression that is a function."""
    items = items[1:] if items and items[0].text == "async" else items
    if len(items) > 2 and items[0].text == "function":
        body = next((n for n, item in enumerate(items) if item.kind == "{"), None)
        parameters = next((item for item in items if item.kind == "("), None)
        return (parameters_of(parameters), items[body : body + 1]) if body else None
    if len(items) > 2 and items[1].text == "=>":
        return (parameters_of(items[0]) if items[0].kind == "(" else [items[0].text], items[2:])
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


def takes_environment(targets: Sequence[ScriptToken], items: Sequence[ScriptToken]) -> bool:
    """Whether an assignment takes `env` from the process: `const { env } = process`."""
    if not targets or targets[0].kind != "{" or not any(item.text == "env" for item in targets[0].inner):
        return False
    required = items[0].text == "require" and any("process" in each.text for each in items[-1].inner)
    return [item.text for item in items] == ["process"] or required


def imported_environment(items: Sequence[ScriptToken]) -> str:
    """The name that `import { env } from "node:process"` gives the environment."""
    if len(items) < 4 or items[0].text != "import" or items[-1].text not in ("process", "node:process"):
        return ""
    inner = [item.text for item in items[1].inner]
    return (inner[inner.index("env") + 2] if "as" in inner else "env") if "env" in inner else ""


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


def ends_with_run(group: ScriptToken) -> bool:
    """Whether parentheses end with `eval`: `(0, eval)(code)`."""
    return group.kind == "(" and bool(group.inner) and group.inner[-1].text in ("eval", "Function")


def is_options(item: ScriptToken) -> bool:
    names = {inner.text for inner in item.inner if inner.kind == "name"}
    return bool(names & {"stdio", "cwd", "shell", "encoding", "detached", "timeout", "windowsHide"}) or len(names) < 3
