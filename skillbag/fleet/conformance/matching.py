"""What a case expects, compared with an outcome: a line for each part that differs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

JsonObject: TypeAlias = Mapping[str, Any]
"""An object of JSON or YAML whose keys are the case's or the driver's own."""

EMPTY: JsonObject = {}


def mismatches(expected: object, got: object, where: str = "") -> Iterator[str]:
    """`path: expected …, got …` for each part of `got` that is not as `expected` says, `where` being its path.

    A mapping of expected parts is a subset, a list and a scalar are equal, and a mapping whose keys are all `MATCHERS`
    is what each of them says. Within lists, mappings are subsets too. What is left out of an outcome counts as null.
    """
    if _is_matcher(expected):
        for name, wanted in expected.items():
            if not MATCHERS[name](wanted, got):
                yield _line(where, _PHRASES.get(name) or f"{name} {short_json(wanted)}", got)
    elif isinstance(expected, Mapping) and isinstance(got, Mapping):
        for key, value in expected.items():
            yield from mismatches(value, got.get(key), f"{where}.{key}" if where else key)
    elif not _matches(expected, got):
        yield _line(where, short_json(expected), got)


def _is_matcher(expected: object) -> TypeGuard[JsonObject]:
    return isinstance(expected, Mapping) and bool(expected) and expected.keys() <= MATCHERS.keys()


def _matches(expected: object, got: object) -> bool:
    if isinstance(expected, Mapping):
        return (_is_matcher(expected) or isinstance(got, Mapping)) and not any(mismatches(expected, got))
    if isinstance(expected, list):
        return isinstance(got, list) and len(expected) == len(got) and all(map(_matches, expected, got))
    return isinstance(expected, bool) == isinstance(got, bool) and expected == got


def _contains(wanted: object, got: object) -> bool:
    return isinstance(got, _CONTAINERS) and all(_found(wanted, got))


def _excludes(wanted: object, got: object) -> bool:
    return isinstance(got, _CONTAINERS) and not any(_found(wanted, got))


def _found(wanted: object, got: Any) -> Iterator[bool]:
    """Whether each wanted item is part of a text, an item of a list or a key of a mapping."""
    for item in wanted if isinstance(wanted, list) else [wanted]:
        if isinstance(got, str):
            yield isinstance(item, str) and item in got
        else:
            yield any(_matches(item, part) for part in got)


def _unordered(wanted: object, got: object) -> bool:
    if not isinstance(wanted, list) or not isinstance(got, list) or len(wanted) != len(got):
        return False
    return _pairs_up([[at for at, item in enumerate(got) if _matches(expected, item)] for expected in wanted])


def _pairs_up(choices: Sequence[Sequence[int]]) -> bool:
    """Whether each index can have a choice of its own (bipartite matching by augmenting paths)."""
    owner: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        for choice in choices[index]:
            if choice not in tried:
                tried.add(choice)
                if choice not in owner or place(owner[choice], tried):
                    owner[choice] = index
                    return True
        return False

    return all(place(index, set()) for index in range(len(choices)))


MATCHERS: Mapping[str, Callable[[object, object], bool]] = {
    "contains": _contains,
    "excludes": _excludes,
    "unordered": _unordered,
    "absent": lambda wanted, got: (got is None) is wanted,
    "any": lambda wanted, got: (got is not None) is wanted,
}
"""`contains` and `excludes` look at the parts of a text, the items of a list and the keys of a mapping."""


_PHRASES = {"absent": "nothing", "any": "something"}
_CONTAINERS = (str, list, Mapping)


def _line(where: str, wanted: str, got: object) -> str:
    return f"{where or 'outcome'}: expected {wanted}, got {'nothing' if got is None else short_json(got)}"


def short_json(value: object, most: int = 200) -> str:
    """A value as JSON in a message, cut to so many characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else text[: most - 1] + "…"
