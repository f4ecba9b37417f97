"""JSON as the reports write it: no secret in it, and where a job's log shows it, safe to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from json.encoder import JSONEncoder

from skillbag.report.sanitize import exact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_encode = JSONEncoder().encode


def encoded(value: object) -> str:
    """`value` as JSON on one line, ASCII only, free of `##[` and `##vso[`, which open a command in the logs of jobs."""
    return _encode(value).replace("##[", "#\\u0023[").replace("##vso[", "#\\u0023vso[")


def items(values: Iterable[object]) -> Iterator[str]:
    """The inside of an array, an item a line, in pieces."""
    separator = "\n"
    for value in values:
        yield separator + encoded(value)
        separator = ",\n"


def json_object(**fields: object) -> dict[str, Any]:
    """The fields as a JSON object, each as `to_json` has it."""
    return {name: to_json(value) for name, value in fields.items()}


def to_json(value: Any) -> Any:
    """`value` as JSON has it, every text `exact`: records and mappings as objects, sequences as arrays."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return exact(value)
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {exact(key): to_json(item) for key, item in value.items()}
    return [to_json(item) for item in value] if isinstance(value, list | tuple) else value
