"""Reads a YAML node by its shape: the value, and everything that is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence, core_value
from skillbag.kernel.documents.source import Document
from skillbag.kernel.manifest.shapes import (
    MAX_ENTRIES,
    MAX_FAULTS,
    MAX_NUMBER,
    AnyShape,
    Choice,
    FaultKind,
    FilePath,
    Flag,
    FlagOrList,
    ListOf,
    ManifestFault,
    Number,
    Record,
    Shape,
    Text,
    TextMap,
    quoted,
)

Where: TypeAlias = "tuple[Where, str | int] | tuple[()]"
"""A place in the data: that of what holds it, and its key or number there; `()` is the manifest itself."""


def shown(where: Where) -> str:
    """A place as messages name it: `tools[1].name`."""
    if not where:
        return ""
    outer, name = shown(where[0]), where[1]
    if isinstance(name, int):
        return f"{outer}[{name}]"
    return f"{outer}.{name}" if outer else name


class NamedFile(NamedTuple):
    """A path that a manifest names: where in the data, the path, and its node; `otherwise` would do as well."""

    where: Where
    path: str
    node: Node
    otherwise: str = ""


class Unusable:
    """What a node is read as that has no value of its shape."""


UNUSABLE = Unusable()


class Walk:
    """One walk through the nodes of `document`; collects `faults`, and the paths that are to be looked at (`files`).

    `is_error` says what faults are. Unknown keys are remarks in any case: `check` makes errors of them.
    """

    def __init__(self, document: Document, *, is_error: bool = True) -> None:
        self.faults: list[ManifestFault] = []
        self.files: list[NamedFile] = []
        self._document = document
        self._is_error = is_error
        self._readers: dict[type, Callable[[Any, Node, Where], Any]] = {
            Text: self._text,
            FilePath: self._path,
            Choice: self._choice,
            Number: self._number,
            Flag: self._flag,
            FlagOrList: self._flag_or_list,
            AnyShape: self._value,
            TextMap: self._text_map,
            ListOf: self._list,
            Record: self._record,
        }

    def fault(self, kind: FaultKind, message: str, where: Where, node: Node | None, suggestion: str = "") -> None:
        """Add a fault at a node, or at the beginning of the manifest; none beyond `MAX_FAULTS`."""
        if len(self.faults) >= MAX_FAULTS:
            return
        start, end = (node.start, node.end) if node else (0, 0)
        is_error = self._is_error and kind is not FaultKind.KEY
        place = self._document.position(start)
        self.faults.append(ManifestFault(kind, message, shown(where), start, end, place, is_error, suggestion))

    def read(self, shape: Shape, node: Node, where: Where) -> Any:
        """The value of a node; `UNUSABLE` where it has none of this shape."""
        return self._readers[type(shape)](shape, node, where)

    def fields(self, shape: Record, node: Mapping, where: Where = (), otherwise: Any = None) -> Any:
        """The record of the usable values of a mapping. What has to be there and is not is as in the record
        `otherwise`; without that, the mapping is `UNUSABLE`."""
        fields, readers = shape.by_name, self._readers
        found = {}
        seen = set()
        for key, value in node.entries:
            name = key.value
            field = fields.get(name)
            if field is None:
                self._unknown(key, shape, node, where)
                continue
            seen.add(name)
            _, inner, missing = field
            if missing and _is_nothing(value):
                self.fault(FaultKind.MISSING, missing, (where, name), key)
                continue
            read = readers[type(inner)](inner, value, (where, name))
            if read is not UNUSABLE:
                found[name] = read
        for field in shape.required:
            if field.name not in seen:
                place = Scalar("", node.start, node.start, True)
                self.fault(FaultKind.MISSING, field.missing, (where, field.name), place)
        if otherwise is not None:
            return otherwise._replace(**found)
        return shape.make(**found) if shape.needed <= found.keys() else UNUSABLE

    def _unknown(self, key: Scalar, shape: Record, node: Mapping, where: Where) -> None:
        if len(self.faults) >= MAX_FAULTS:
            return
        place: Where = (where, key.value)
        nearest = _nearest(key.value, list(shape.by_name))
        if node.entry(nearest) is not None:
            nearest = ""
        hint = f"; did you mean {nearest}?" if nearest else ""
        self.fault(FaultKind.KEY, f"unknown key {quoted(shown(place))}{hint}", place, key, nearest)

    def _wrong(self, node: Node, where: Where, wanted: str) -> Unusable:
        kind = _kind(node)
        hint = ": put it in quotes" if wanted == "text" and isinstance(node, Scalar) else ""
        message = f"{shown(where)} must be {wanted}, not {kind}{hint}"
        if kind == "nothing":
            message = f"{shown(where)} is empty: give it a value, or leave it out"
        self.fault(FaultKind.VALUE, message, where, node)
        return UNUSABLE

    def _invalid(self, message: str, node: Node, where: Where) -> Unusable:
        self.fault(FaultKind.VALUE, message, where, node)
        return UNUSABLE

    def _string(self, node: Node, where: Where) -> str | Unusable:
        if isinstance(node, Scalar) and (not node.plain or isinstance(core_value(node), str)):
            return node.value
        return self._wrong(node, where, "text")

    def _text(self, shape: Text, node: Node, where: Where) -> str | Unusable:
        text = self._string(node, where)
        if isinstance(text, Unusable) or shape.may_be_empty:
            return text
        if not text.strip():
            return self._invalid(f"{shown(where)} is empty", node, where)
        if shape.most and len(text) > shape.most:
            return self._invalid(f"{shown(where)} exceeds maximum length ({len(text)} > {shape.most})", node, where)
        if shape.valid and not shape.valid(text):
            return self._invalid(shape.invalid.replace("{}", quoted(text)), node, where)
        return text

    def _path(self, _: FilePath, node: Node, where: Where) -> str | Unusable:
        text = self._string(node, where)
        if isinstance(text, Unusable):
            return text
        if not text.strip():
            return self._invalid(f"{shown(where)} is empty", node, where)
        self.files.append(NamedFile(where, text, node))
        return text

    def _choice(self, shape: Choice, node: Node, where: Where) -> Any:
        known = shape.by_text.get(node.value) if isinstance(node, Scalar) else None
        if known is not None:
            return known
        text = self._string(node, where)
        if isinstance(text, Unusable):
            return text
        return self._invalid(shape.unknown.replace("{}", quoted(text)), node, where)

    def _number(self, shape: Number, node: Node, where: Where) -> int | float | Unusable:
        value = core_value(node) if isinstance(node, Scalar) else None
        # A float without a fraction is no whole number here; in YAML it is written as one on purpose.
        if isinstance(value, bool) or not isinstance(value, int if shape.whole else (int, float)):
            return self._wrong(node, where, "a whole number" if shape.whole else "a number")
        if not math.isfinite(value) or value > MAX_NUMBER or value < shape.least or not (shape.whole or value > 0):
            least = f"from {shape.least}" if shape.whole else "greater than 0 and"
            return self._invalid(f"{shown(where)} must be {least} up to {MAX_NUMBER}", node, where)
        return value

    def _flag(self, _: Flag, node: Node, where: Where) -> bool | Unusable:
        value = core_value(node) if isinstance(node, Scalar) else None
        return value if isinstance(value, bool) else self._wrong(node, where, "true or false")

    def _flag_or_list(self, shape: FlagOrList, node: Node, where: Where) -> Any:
        return self._list(shape.items, node, where) if isinstance(node, Sequence) else self._flag(Flag(), node, where)

    def _value(self, _: AnyShape, node: Node, where: Where) -> Any:
        value = core_value(node)
        if _is_json(value):
            return value
        return self._invalid(f"{shown(where)} holds a number that JSON does not have", node, where)

    def _text_map(self, shape: TextMap, node: Node, where: Where) -> dict[str, str] | Unusable:
        if not isinstance(node, Mapping):
            return self._wrong(node, where, "a mapping")
        found = {}
        for key, value in node.entries:
            text = self._string(value, (where, key.value))
            if fault := shape.fault(key.value):
                self._invalid(f"{shown(where)}: {quoted(key.value)} {fault}", key, where)
            elif not isinstance(text, Unusable):
                found[key.value] = text
        return found

    def _list(self, shape: ListOf, node: Node, where: Where) -> tuple[Any, ...] | Unusable:
        if not isinstance(node, Sequence):
            return self._wrong(node, where, "a list")
        if len(node.items) > MAX_ENTRIES:
            return self._invalid(f"{shown(where)} has more than {MAX_ENTRIES} entries", node, where)
        item, found, seen = shape.item, [], set()
        read = self._readers[type(item)]
        for number, inner in enumerate(node.items):
            value = read(item, inner, (where, number))
            if value is UNUSABLE:
                continue
            if shape.twice:
                name = getattr(value, shape.key) if shape.key else value
                if name in seen:
                    self._invalid(shape.twice.replace("{}", quoted(name)), inner, (where, number))
                seen.add(name)
            found.append(value)
        return tuple(found)

    def _record(self, shape: Record, node: Node, where: Where) -> Any:
        if not isinstance(node, Mapping):
            return self._wrong(node, where, "a mapping")
        return self.fields(shape, node, where)


def _is_json(value: object) -> bool:
    """Whether a value of YAML is one of JSON, which has no infinite numbers."""
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    if isinstance(value, list):
        return all(map(_is_json, value))
    return not isinstance(value, float) or math.isfinite(value)


def _is_nothing(node: Node) -> bool:
    if isinstance(node, Scalar):
        return not node.value.strip() or (node.plain and core_value(node) is None)
    return isinstance(node, Sequence) and not node.items


def _kind(node: Node) -> str:
    if not isinstance(node, Scalar):
        return "a mapping" if isinstance(node, Mapping) else "a list"
    value = core_value(node)
    return "nothing" if value is None else {str: "text", bool: "true or false"}.get(type(value), "a number")


def _nearest(key: str, known: list[str]) -> str:
    """The key that a misspelled one is meant to be; empty where none is close."""
    import difflib

    folded = key[:40].lower().replace("-", "_").replace(" ", "_")
    return next(iter(difflib.get_close_matches(folded, known, 1, 0.8)), "")
