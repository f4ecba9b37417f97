"""JSON as records: reads what `json_records.to_json` writes, and checks it by the annotations of the same records.

What is read is not trusted: no text has half of a surrogate pair, and no number more than 63 bits, so that files,
databases and tables can hold them. Keys that a record has no field for are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from skillbag.kernel.base.json_records import FILE_NAME, Absent

_R = TypeVar("_R", bound=tuple[Any, ...])
_Reader = Callable[[Any], Any]

_LIMIT = 2**63
_HALF = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair: JSON has an escape for it, UTF-8 has none."""


class JsonShapeError(ValueError):
    """A value that does not fit; the message says what is expected."""


def from_json(kind: type[_R], value: object) -> _R:
    """The record of class `kind` for an object of JSON.

    Raises:
        JsonShapeError: the value is not that of such a record.
    """
    record: _R = _reader(kind)(value)
    return record


@cache
def _reader(hint: Any) -> _Reader:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated and FILE_NAME in parts:
        return _plain("a text", lambda value: isinstance(value, str))
    if origin is Annotated:
        return _narrowed(_reader(parts[0]), [pair for note in parts[1:] if isinstance(note, tuple) for pair in note])
    if origin in (Union, UnionType):
        return _union([_reader(part) for part in parts if part is not Absent])
    if origin is Literal:
        return _plain(f"one of {', '.join(map(str, parts))}", lambda value: isinstance(value, str) and value in parts)
    if origin in (tuple, frozenset):
        return _array(origin, _reader(parts[0]))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(_reader(parts[1]))
    if hint in (Any, object):
        return lambda value: value
    if hint in _PLAIN:
        return _plain(*_PLAIN[hint])
    return _enumeration(hint) if issubclass(hint, Enum) else _record(hint)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and (value.isascii() or not _HALF.search(value))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -_LIMIT <= value < _LIMIT


_PLAIN: Mapping[Any, tuple[str, Callable[[Any], bool]]] = {
    str: ("a text", _is_text),
    int: ("a whole number", lambda value: type(value) is int and _is_number(value)),
    float: ("a number", _is_number),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    NoneType: ("null", lambda value: value is None),
}
_NARROWER: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "const": lambda value, only: bool(value == only),
    "pattern": lambda value, pattern: re.search(pattern, value) is not None,
}
"""The keywords that are checked; null fits each."""


def _plain(what: str, fits: Callable[[Any], bool]) -> _Reader:
    def read(value: Any) -> Any:
        if not fits(value):
            raise JsonShapeError(f"expected {what}")
        return value

    return read


def _narrowed(inner: _Reader, keywords: list[tuple[str, Any]]) -> _Reader:
    checks = [(name, limit, _NARROWER[name]) for name, limit in keywords if name in _NARROWER]

    def read(value: Any) -> Any:
        found = inner(value)
        for name, limit, fits in checks:
            if found is not None and not fits(found, limit):
                raise JsonShapeError(f"expected {name} {limit}")
        return found

    return read if checks else inner


def _union(readers: list[_Reader]) -> _Reader:
    def read(value: Any) -> Any:
        for reader in readers[:-1]:
            try:
                return reader(value)
            except JsonShapeError:
                pass
        return readers[-1](value)

    return read


def _array(kind: Callable[[Iterable[Any]], Any], inner: _Reader) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise JsonShapeError("expected an array")
        return kind(map(inner, value))

    return read


def _mapping(inner: _Reader) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, dict) or not all(map(_is_text, value)):
            raise JsonShapeError("expected an object")
        return {key: inner(item) for key, item in value.items()}

    return read


def _enumeration(kind: type[Enum]) -> _Reader:
    def read(value: Any) -> Any:
        try:
            return kind(value)
        except ValueError:
            raise JsonShapeError(f"expected one of {', '.join(str(each.value) for each in kind)}") from None

    return read


def _record(kind: Any) -> _Reader:
    hints = get_type_hints(kind, include_extras=True)
    fields = [(name, name.rstrip("_"), _reader(hints[name])) for name in kind._fields]
    defaults = kind._field_defaults

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise JsonShapeError("expected an object")
        missing = [key for name, key, _ in fields if key not in value and name not in defaults]
        if missing:
            raise JsonShapeError(f"expected the key {missing[0]}")
        return kind(*(reader(value[key]) if key in value else defaults[name] for name, key, reader in fields))

    return read
