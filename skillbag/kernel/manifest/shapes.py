"""The shapes of the values in a manifest, and the faults of one that does not have its shape."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.documents.source import Position

MAX_FAULTS = 100
"""Faults of one manifest that are reported: nobody reads more, and a hostile text could have a hundred thousand."""


class FaultKind(StrEnum):
    """What a fault is about; `check` has a rule for each."""

    UNREADABLE = "unreadable"
    KEY = "key"
    MISSING = "missing"
    VALUE = "value"
    PATH = "path"
    MISMATCH = "mismatch"


class ManifestFault(NamedTuple):
    """One fault. `start` and `end` are offsets into the manifest, equal where something is missing.

    `where` is the place in the data, such as `tools[1].name`. With a remark (`is_error` is False) the skill can be
    used. `suggestion` is the key that an unknown one is probably meant to be, or empty.
    """

    kind: FaultKind
    message: str
    where: str
    start: int
    end: int
    position: Position
    is_error: bool = True
    suggestion: str = ""

    @property
    def text(self) -> str:
        """The message as the runtime tells it (skill runtime, section 1)."""
        stage = "parse manifest" if self.kind is FaultKind.UNREADABLE else "manifest validation"
        return f"{stage}: {self.message}"


def quoted(text: str) -> str:
    """A text from a manifest for a message: in quotes, at most 60 characters, none of which controls a terminal."""
    shown = text if len(text) <= 60 else text[:59] + "…"
    return '"' + "".join(char if char.isprintable() else "\ufffd" for char in shown) + '"'


MAX_ENTRIES = 256
"""Entries of any list: a manifest of 256 KiB could name 50,000 files to look at."""

MAX_NUMBER = 2**31 - 1
"""The greatest number."""


class Text(NamedTuple):
    """A string with something in it, unless `may_be_empty`, and at most `most` characters, unless that is 0.

    `invalid` is the message for a text that is not `valid`; `{}` stands for the text in quotes.
    """

    valid: Callable[[str], object] | None = None
    invalid: str = ""
    most: int = 0
    may_be_empty: bool = False


class FilePath(NamedTuple):
    """The path of a regular file in the skill's folder."""


class Choice(NamedTuple):
    """One of a set of words; the message for another one is `unknown`, where `{}` stands for the text in quotes."""

    words: type[StrEnum]
    unknown: str

    @cached_property
    def by_text(self) -> dict[str, StrEnum]:
        """The members by their texts."""
        return {str(word): word for word in self.words}


class Number(NamedTuple):
    """A number from `least` to `MAX_NUMBER`; whole, or greater than 0 with any fraction."""

    least: int = 0
    whole: bool = True


class Flag(NamedTuple):
    """true or false."""


class FlagOrList(NamedTuple):
    """true or false, or a list of these items, none of which may be repeated."""

    items: ListOf


class AnyShape(NamedTuple):
    """Any JSON value."""


class TextMap(NamedTuple):
    """A mapping of keys to texts, which may be empty. `fault` says what is wrong with a key; empty if nothing is."""

    fault: Callable[[str], str]


class ListOf(NamedTuple):
    """A list of at most `MAX_ENTRIES`; `twice` is the message for a repeated item, if none may be repeated: a record
    is repeated where one has the same value of the field `key`."""

    item: Shape
    twice: str = ""
    key: str = ""


class Record(NamedTuple):
    """A mapping with these fields alone, read as a `make`."""

    make: type[Any]
    fields: tuple[Field, ...]

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """The fields by their keys."""
        return {field.name: field for field in self.fields}

    @cached_property
    def required(self) -> tuple[Field, ...]:
        """The fields with a message for their absence."""
        return tuple(field for field in self.fields if field.missing)

    @cached_property
    def needed(self) -> frozenset[str]:
        """The fields without which no `make` can be made."""
        return frozenset(name for name in self.make._fields if name not in self.make._field_defaults)


class Field(NamedTuple):
    """One key of a record; `missing` is the message where it has to be there and is not, or is empty."""

    name: str
    shape: Shape
    missing: str = ""


Shape: TypeAlias = Text | FilePath | Choice | Number | Flag | FlagOrList | AnyShape | TextMap | ListOf | Record


class Unique(NamedTuple):
    """Beside the type of a list of records: the `key` and the message `twice` of `ListOf`."""

    key: str
    twice: str


COMPUTED = object()
"""Beside the type of a field that is not read."""

_OF_TYPE: dict[object, Shape] = {
    str: Text(may_be_empty=True),
    bool: Flag(),
    int: Number(),
    float: Number(whole=False),
    Any: AnyShape(),
}


def record(make: type[Any]) -> Record:
    """The shape of a mapping that is read as a `make`: that of the types of its fields.

    Texts may be empty, but not those of a list. `Annotated` gives a field a shape of its own, `Unique`, or the message
    for its absence (`Field.missing`).
    """
    hints = get_type_hints(make, include_extras=True)
    marks = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return Record(
        make,
        tuple(
            Field(name, _shape(hint), next((mark for mark in marks[name] if isinstance(mark, str)), ""))
            for name, hint in hints.items()
            if COMPUTED not in marks[name]
        ),
    )


def _shape(hint: Any) -> Shape:
    marks = getattr(hint, "__metadata__", ())
    for mark in marks:
        if isinstance(mark, Shape):
            return mark
    kind = hint.__origin__ if marks else hint
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        key, twice = next((mark for mark in marks if isinstance(mark, Unique)), ("", ""))
        return ListOf(Text() if inner[0] is str else _shape(inner[0]), twice, key)
    if inner:
        return _shape(inner[0])
    return record(kind) if hasattr(kind, "_fields") else _OF_TYPE[kind]
