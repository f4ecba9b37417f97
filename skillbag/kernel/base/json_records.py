"""Records as JSON: the one encoder of what commands print, and the notes in annotations of which schemas are made.

A record is a named tuple whose fields are the keys of the object. `tools/schemas.py` makes the published JSON Schemas
of these classes: `Annotated[int, fits(minimum=1), "The line."]` adds keywords of JSON Schema, and a description.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeAlias

    Keywords: TypeAlias = tuple[tuple[str, object], ...]

    class JsonRecord(Protocol):
        """A named tuple that is an object of JSON."""

        @property
        def _fields(self) -> tuple[str, ...]:
            """The names of its fields."""


class Absent(StrEnum):
    """Stands for a key that an object does not have: `trace: Trace | Absent = ABSENT`."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT

FILE_NAME = object()
"""Beside the type of a text that may name a file, whose bytes need not be UTF-8: `Annotated[str, FILE_NAME]`."""

_PLAIN = frozenset({int, float, bool, type(None)})
"""Classes whose values are JSON already: most values are of these or texts, and a report has thousands."""
_ARRAYS = (list, tuple)


def fits(**keywords: object) -> Keywords:
    """Keywords of JSON Schema that narrow a type, such as `minimum=1`; lists are given as tuples."""
    return tuple(keywords.items())


def to_json(value: Any, text: Callable[[str], str] = str) -> Any:
    """`value` as JSON has it: records and mappings as objects, sequences and sorted sets as arrays, enumerations as
    their values.

    Every text goes through `text`, the keys of mappings as well. A field `from_` is the key `from`.
    """
    kind: Any = type(value)
    if kind is str:
        return text(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, _ARRAYS):
        if hasattr(kind, "_fields"):
            pairs = zip(_keys(kind), value, strict=True)
            return {key: to_json(item, text) for key, item in pairs if item is not ABSENT}
        return [to_json(item, text) for item in value]
    if isinstance(value, frozenset):
        return sorted(to_json(item, text) for item in value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {text(key): to_json(item, text) for key, item in value.items()}
    return text(value) if isinstance(value, str) else value


@cache
def _keys(kind: Any) -> tuple[str, ...]:
    """The keys of the object that a record of this class is."""
    return tuple(name.rstrip("_") for name in kind._fields)
