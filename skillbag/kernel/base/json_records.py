"""Records as JSON: the one encoder of what commands print, and the notes in annotations of which schemas are made.

A record is a named tuple whose fields are the keys of the object. `tools/schemas.py` makes the published JSON Schemas
of these classes: `Annotated[int, fits(minimum=1), "The line."]` adds keywords of JSON Schema, and a description.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum

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

        def _asdict(self) -> dict[str, Any]:
            """Its fields by name."""


class Absent(StrEnum):
    """Stands for a key that an object does not have: `trace: Trace | Absent = ABSENT`."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


def fits(**keywords: object) -> Keywords:
    """Keywords of JSON Schema that narrow a type, such as `minimum=1`; lists are given as tuples."""
    return tuple(keywords.items())


def to_json(value: Any, text: Callable[[str], str] = str) -> Any:
    """`value` as JSON has it: records and mappings as objects, sequences as arrays, enumerations as their values.

    Every text goes through `text`, the keys of mappings as well. A field `from_` is the key `from`.
    """
    if isinstance(value, str):
        return value.value if isinstance(value, Enum) else text(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        pairs = zip(value._fields, value, strict=True)
        return {name.rstrip("_"): to_json(item, text) for name, item in pairs if item is not ABSENT}
    if isinstance(value, Mapping):
        return {text(key): to_json(item, text) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item, text) for item in value]
    return value.value if isinstance(value, Enum) else value
