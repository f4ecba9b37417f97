"""A parameter's value: typed as it was written, compared by what it means."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from skillbag.documents.equality import meaning, spelling
from skillbag.documents.nodes import (
    MAX_DEPTH,
    Mapping,
    Node,
    Scalar,
    Sequence,
    core_value,
    parse_yaml,
)


class Value(NamedTuple):
    """A value and its spelling.

    `value` is plain: text, whole number, finite float, boolean, None, or lists and dicts of these, as YAML 1.2's core
    schema types them. `written` is how it was spelt: the version `1.10` is the number 1.1, and still `1.10` to whoever
    wrote it; that of a list is in flow style. `items` are those of a list, each with its own spelling.
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
    """A text for a sentence: on one line, not too long, and quotes where there is nothing to see."""
    if len(text) > _SHORT or "\n" in text:
        # A shortened secret would not be recognised any more.
        from skillbag.secrets.detection import mask

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
    """What was typed on a command line: a flow list or mapping, quoted text, else plain text with its type.

    What is no such YAML is text as it stands, so that paths, addresses and sentences need no quotes; nothing at all is
    empty text.
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


def same(one: Value, other: Value) -> bool:
    """Whether two values are equal or spelt alike: `true` and "true" are, `1` and `1.0`, but not `1` and `true`."""
    return not _marks(one).isdisjoint(_marks(other))


def holds(value: Value, item: Value) -> bool:
    """Whether `value` is `item`, or a list with it."""
    return holder(value)(item)


def holder(value: Value) -> Callable[[Value], bool]:
    """As `holds`, for many items of the same value."""
    held = _marks(value).union(*map(_marks, _items(value)))
    return lambda item: not held.isdisjoint(_marks(item))


def is_among(value: Value, allowed: Iterable[Value]) -> bool:
    """Whether `value` is one of the `allowed`, or a list of nothing but such."""
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
    """The spelling within a list or mapping: text in quotes, with escapes for what can't be seen."""
    if not isinstance(value.value, str):
        return value.written
    text = json.dumps(value.written, ensure_ascii=False)
    return text if text.isprintable() else "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)


_MOST_BITS = 2_000
"""Of a whole number: Python writes no longer ones in decimal unless configured to."""


def _scalar(value: object, written: str) -> Value:
    if isinstance(value, float):
        sound = math.isfinite(value)
    else:
        sound = not isinstance(value, int) or value.bit_length() <= _MOST_BITS
    return Value(value if sound else written, written)


def _items(value: Value) -> tuple[Value, ...]:
    return value.items or (tuple(map(typed, value.value)) if isinstance(value.value, list) else ())


def _marks(value: Value) -> frozenset[Hashable]:
    """What values must have one of in common to be the same: what it means, and how it is spelt."""
    return frozenset({("means", meaning(value.value)), ("spelt", _spelling(value))})


def _spelling(value: Value) -> Hashable:
    if isinstance(value.value, list):
        return tuple([_spelling(item) for item in _items(value)])
    return spelling(value.written)
