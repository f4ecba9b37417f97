"""What a case expects, compared with an outcome: a line for each part that differs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

_LONGEST = 200
"""Characters of a value that a line repeats."""


def mismatches(expected: object, got: object, where: str = "") -> Iterator[str]:
    """`path: expected …, got …` for each part of `got` that is not as `expected` says, `where` being its path.

    A mapping of expected parts is a subset, a list and a scalar are equal, and a mapping whose keys are all `MATCHERS`
    is what each of them says. Within lists, mappings are subsets too. What is left out of an outcome counts as null.
    """
    if _is_matcher(expected):
        for name, wanted in expected.items():
            if not MATCHERS[name](wanted, got):
                yield _line(where, _words(name, wanted), got)
    elif isinstance(expected, Mapping) and isinstance(got, Mapping):
        for key, value in expected.items():
            yield from mismatches(value, got.get(key), f"{where}.{key}" if where else key)
    elif not _matches(expected, got):
        yield _line(where, _json(expected), got)


def _is_matcher(expected: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(expected, Mapping) and bool(expected) and expected.keys() <= MATCHERS.keys()


def _matches(expected: object, got: object) -> bool:
    if isinstance(expected, Mapping):
        return (_is_matcher(expected) or isinstance(got, Mapping)) and not any(mismatches(expected, got))
    if isinstance(expected, list):
        return isinstance(got, list) and len(expected) == len(got) and all(map(_matches, expected, got))
    return isinstance(expected, bool) == isinstance(got, bool) and expected == got


def _contains(wanted: object, got: object) -> bool:
    return _holds_items(got) and all(_holds(got, one) for one in _several(wanted))


def _excludes(wanted: object, got: object) -> bool:
    return _holds_items(got) and not any(_holds(got, one) for one in _several(wanted))


def _several(wanted: object) -> list[object]:
    return wanted if isinstance(wanted, list) else [wanted]


def _holds_items(got: object) -> bool:
    return isinstance(got, str | list | Mapping)


def _holds(got: Any, one: object) -> bool:
    """Whether a text holds a part, a list an item, a mapping a key."""
    if isinstance(got, str):
        return isinstance(one, str) and one in got
    return any(_matches(one, item) for item in got)


def _unordered(wanted: object, got: object) -> bool:
    if not isinstance(wanted, list) or not isinstance(got, list) or len(wanted) != len(got):
        return False
    return _pairs_up([[at for at, item in enumerate(got) if _matches(one, item)] for one in wanted])


def _pairs_up(choices: Sequence[Sequence[int]]) -> bool:
    """Whether each can have a choice of its own; who has one moves on to another where that makes room."""
    owner: dict[int, int] = {}

    def place(one: int, tried: set[int]) -> bool:
        for choice in choices[one]:
            if choice not in tried:
                tried.add(choice)
                if choice not in owner or place(owner[choice], tried):
                    owner[choice] = one
                    return True
        return False

    return all(place(one, set()) for one in range(len(choices)))


def _absent(wanted: object, got: object) -> bool:
    return (got is None) is wanted


def _any(wanted: object, got: object) -> bool:
    return (got is not None) is wanted


MATCHERS: Mapping[str, Callable[[object, object], bool]] = {
    "contains": _contains,
    "excludes": _excludes,
    "unordered": _unordered,
    "absent": _absent,
    "any": _any,
}
"""`contains` and `excludes` look at the parts of a text, the items of a list and the keys of a mapping."""


def _words(name: str, wanted: object) -> str:
    if name == "absent":
        return "nothing"
    if name == "any":
        return "something"
    return f"{name} {_json(wanted)}"


def _line(where: str, wanted: str, got: object) -> str:
    said = "nothing" if got is None else _json(got)
    return f"{where or 'outcome'}: expected {wanted}, got {said}"


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
