"""What a reader of YAML gives: scalars, mappings and sequences with their places, or why a text has no value."""

from __future__ import annotations

from skillbag.kernel.base.records import NamedTuple

MAX_DEPTH = 100
"""Levels of nesting that are read; libyaml's composer recurses in C, so a deeper text could end the process."""


class Scalar(NamedTuple):
    """A string and where it is written: `start` to `end` are code points of the whole document.

    Quotes and the `|` or `>` of a block lie within; a block ends with its last line that is not blank. `plain` means
    neither quoted nor a block. An empty value is plain, with `start` and `end` equal.
    """

    value: str
    start: int
    end: int
    plain: bool


class MappingEntry(NamedTuple):
    """One `key: value` of a mapping."""

    key: Scalar
    value: Node


class Mapping(NamedTuple):
    """Entries in file order, no key twice; from the first key (or `{`) to the end of the last value (or `}`)."""

    entries: tuple[MappingEntry, ...]
    start: int
    end: int

    def entry(self, name: str) -> MappingEntry | None:
        """The entry whose key is `name`."""
        for entry in self.entries:
            if entry.key.value == name:
                return entry
        return None

    def get(self, name: str) -> Node | None:
        """The value of the key `name`; None where there is no such key."""
        entry = self.entry(name)
        return None if entry is None else entry.value

    def keys(self) -> tuple[str, ...]:
        """The keys in file order."""
        return tuple(entry.key.value for entry in self.entries)


class Sequence(NamedTuple):
    """Items in file order; from the first `-` (or `[`) to the end of the last item (or `]`)."""

    items: tuple[Node, ...]
    start: int
    end: int


Node = Scalar | Mapping | Sequence


class YamlError(NamedTuple):
    """Why a text has no value.

    `kind` is `yaml` (syntax, or nested too deep), `duplicate-key`, `anchor` (or alias), `tag`, `documents` (more than
    one) or `key` (a key that is no scalar); `detail` one sentence without its full stop; `offset` the code point.
    """

    kind: str
    detail: str
    offset: int
