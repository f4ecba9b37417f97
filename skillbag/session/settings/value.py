"""A parameter's value: typed as it was written, compared by what it means."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from skillbag.kernel.documents.equality import meaning, spelling
from skillbag.kernel.documents.nodes import MAX_DEPTH, Mapping, Node, Scalar, Sequence, core_value, parse_yaml


class Value(NamedTuple):
    """A plain `value`, typed by YAML 1.2's core schema: text, whole number, finite float, boolean, None, list or dict.

    `written` is its spelling: the number 1.1 may have been written as the version `1.10`. A list is written in flow
    style; `items` are its values, each with its own spelling.
    """

    value: object
    written: str
    items: tuple[Value, ...] = ()

    @property
    def is_blank(self) -> bool:
        """Whether it is text of white space alone: it satisfies no requirement."""
        return isinstance(self.value, str) and not self.value.strip()

    @property
    def short(self) -> str:
        """The spelling for a sentence."""
        return short(self.written)


_SHORT = 80


def short(text: str) -> str:
    """A text for a sentence: one line, shortened, `""` if it is blank."""
    if len(text) > _SHORT or "\n" in text:
        # A shortened secret would no longer be recognised.
        from skillbag.kernel.secrets.detection import mask

        text = mask(text)
    line = " ".join(text.split())
    return f"{line[:_SHORT]}…" if len(line) > _SHORT else line or '""'


def value_of(node: Node) -> Value:
    """The value of a node: a plain scalar typed, a quoted one as text.

    Numbers that JSON does not have (`.inf`, `.nan`, thousands of digits) are text.
    """
    if isinstance(node, Sequence):
        return _list(tuple([value_of(item) for item in node.items]))
    if isinstance(node, Mapping):
        return _mapping({entry.key.value: value_of(entry.value) for entry in node.entries})
    return _scalar(core_value(node), node.value)


def given_value(node: Node) -> Value | None:
    """As `value_of`, but None for `null` and for an empty value, which give none."""
    value = value_of(node)
    return None if value.value is None else value


def typed(value: object, depth: int = 0) -> Value:
    """A plain Python value (of JSON, say) as a value.

    Raises:
        TypeError: it is, or holds, something else than text, numbers, booleans, None, lists and dicts.
        ValueError: it is nested too deep, or holds a whole number of thousands of digits.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"values are nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, str):
        return Value(value, value)
    if isinstance(value, list | tuple):
        return _list(tuple([typed(item, depth + 1) for item in value]))
    if isinstance(value, dict):
        return _mapping({str(key): typed(item, depth + 1) for key, item in value.items()})
    return _scalar(value, json.dumps(value))


_MARKED = {"[": Sequence, "{": Mapping, '"': Scalar, "'": Scalar}


def parse_value(text: str) -> Value:
    """A value from a command line: a flow list or mapping, quoted text, or a plain scalar with its type.

    Everything else is text, so that paths, addresses and sentences need no quotes.
    """
    stripped = text.strip()
    if not stripped:
        return Value(text, text)
    if kind := _MARKED.get(stripped[0]):
        node = parse_yaml(stripped)
        if isinstance(node, Sequence | Mapping | Scalar) and type(node) is kind and node.end == len(stripped):
            return value_of(node)
    plain = value_of(Scalar(stripped, 0, 0, plain=True))
    return Value(text, text) if isinstance(plain.value, str) else plain


def same(first: Value, second: Value) -> bool:
    """Whether two values are equal or spelt alike: `true` and "true" are, `1` and `1.0`, but not `1` and `true`."""
    return not _marks(first).isdisjoint(_marks(second))


def holder(value: Value) -> Callable[[Value], bool]:
    """A function that tells whether `value` is its argument, or a list that contains it."""
    held = _marks(value).union(*map(_marks, _items(value)))
    return lambda item: not held.isdisjoint(_marks(item))


def is_among(value: Value, allowed: Iterable[Value]) -> bool:
    """Whether `value` is one of the `allowed`, or a list of them only."""
    marks = frozenset[Hashable]().union(*map(_marks, allowed))
    if not marks.isdisjoint(_marks(value)):
        return True
    return isinstance(value.value, list) and all(not marks.isdisjoint(_marks(item)) for item in _items(value))


def _list(items: tuple[Value, ...]) -> Value:
    return Value([item.value for item in items], f"[{', '.join(map(_quoted, items))}]", items)


def _mapping(entries: dict[str, Value]) -> Value:
    pairs = [f"{json.dumps(key, ensure_ascii=False)}: {_quoted(value)}" for key, value in entries.items()]
    return Value({key: value.value for key, value in entries.items()}, f"{{{', '.join(pairs)}}}")


def _quoted(value: Value) -> str:
    """The spelling within a list or mapping: text in quotes, unprintable characters escaped."""
    if not isinstance(value.value, str):
        return value.written
    text = json.dumps(value.written, ensure_ascii=False)
    return text if text.isprintable() else "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)


_MAX_BITS = 2_000
"""Of a whole number: by default, Python refuses to write longer ones in decimal."""


def _scalar(value: object, written: str) -> Value:
    if isinstance(value, float):
        is_json = math.isfinite(value)
    else:
        is_json = not isinstance(value, int) or value.bit_length() <= _MAX_BITS
    return Value(value if is_json else written, written)


def _items(value: Value) -> tuple[Value, ...]:
    return value.items or (tuple(map(typed, value.value)) if isinstance(value.value, list) else ())


def _marks(value: Value) -> frozenset[Hashable]:
    """The meaning and the spelling: two values are the same if they share one of them."""
    return frozenset({("means", meaning(value.value)), ("spelt", _spelling(value))})


def _spelling(value: Value) -> Hashable:
    if isinstance(value.value, list):
        return tuple([_spelling(item) for item in _items(value)])
    return spelling(value.written)
