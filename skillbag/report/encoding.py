"""JSON as the reports write it: no secret in it, and where a job's log shows it, safe to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json.encoder import JSONEncoder

from skillbag.kernel.base.json_records import to_json as as_json
from skillbag.kernel.base.lazy_regex import late
from skillbag.report.sanitize import exact

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

_encode = JSONEncoder().encode


def encoded(value: object) -> str:
    """A record, or another value, as JSON on one line: ASCII only, and free of `##[` and `##vso[`, which open a command
    in the logs of jobs.
    """
    return _without_commands(_encode(as_json(value)))


def _without_commands(text: str) -> str:
    return text.replace("##[", "#\\u0023[").replace("##vso[", "#\\u0023vso[") if "##" in text else text


_UNSAFE = late("[\x7f-\x9f\xad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e01ef]")
"""Characters of JSON that a terminal obeys or does not show; the others below a space are escaped in any JSON."""


def printable(text: str) -> str:
    """JSON with any characters in its texts, with escapes where a terminal or a log of a job would obey or hide it."""
    text = text if text.isascii() and "\x7f" not in text else _UNSAFE().sub(_escaped, text)
    return _without_commands(text)


def _escaped(found: re.Match[str]) -> str:
    return _encode(found[0])[1:-1]


def items(values: Iterable[object]) -> Iterator[str]:
    """The inside of an array, an item a line, in pieces."""
    separator = "\n"
    for value in values:
        yield separator + encoded(value)
        separator = ",\n"


def to_json(value: object) -> Any:
    """`value` as JSON has it, every text `exact`."""
    return as_json(value, exact)
