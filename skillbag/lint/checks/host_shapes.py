"""The shapes of files around skills: each kind has a JSON Schema, which says of each fault its level and its effect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import ValidationError

from skillbag.kernel.base.linear_regex import TooMuchWorkError
from skillbag.kernel.base.package_data import schema, schema_place, schema_words
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document, DocumentProblem, Position
from skillbag.kernel.workspace.host_folders import HostFile
from skillbag.lint.checks.generic_schema import place_in, validator_of
from skillbag.lint.checks.predicate import Match, Predicate, Subject, Unjudged

_MAX = 50
"""Faults of one file that are reported."""


class Shapes(NamedTuple):
    """`kinds` of files, each with the schema `schemas/hosts/<kind>.schema.json`; `level` is that of the faults."""

    kinds: tuple[str, ...] = ()
    level: str = ""


class ShapeRemark(NamedTuple):
    """What a schema says of a fault: `x-level` (error, warning or note), and `x-effect`, a sentence on what follows."""

    level: str = "warning"
    effect: str = ""


@Predicate("host-file-shape", Subject.HOST_FILE, values=("file", "reason", "effect"), options=Shapes)
def host_file_shape(file: HostFile, options: Shapes) -> Iterator[Match | Unjudged]:
    """Values in files around skills that the host which reads them does not take; `note` are keys that it drops."""
    if file.kind not in options.kinds:
        return
    if file.fault:
        if options.level != "note" and not (file.is_markdown and file.fault.kind == "no-frontmatter"):
            yield _broken(file, file.fault)
        return
    whole = _schema(file.kind)
    try:
        for fault in islice(validator_of(json.dumps(whole)).iter_errors(file.value), _MAX):
            remark = remark_of(whole, fault)
            if (remark.level == "note") == (options.level == "note"):
                yield _match(file, fault, remark)
    except (TooMuchWorkError, RecursionError):
        yield Unjudged(file.path, "its schema takes too long here")


def _broken(file: HostFile, fault: DocumentProblem) -> Match:
    values = {"file": file.relative, "reason": fault.detail, "effect": "No host reads a broken file."}
    return Match(file.path, values=values, at=Position(fault.line, fault.column), raised=True)


def _match(file: HostFile, fault: ValidationError, remark: ShapeRemark) -> Match:
    keys = schema_place(fault)
    where = ".".join(map(str, keys))
    words = schema_words(fault)[:300]
    values = {"file": file.relative, "reason": f"`{where}`: {words}" if where else words, "effect": remark.effect}
    text = file.document.text if isinstance(file.document, Document) else ""
    start, end = place_in(text, file.data, 0 if file.data is None else file.data.start, keys)
    return Match(file.path, start, end, values, raised=remark.level == "error")


@lru_cache(maxsize=16)
def _schema(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schema(f"hosts/{kind}"))
    return found


def remark_of(whole: dict[str, Any], fault: ValidationError) -> ShapeRemark:
    """What a schema says of a fault: the innermost remark on the way to the words that it breaks."""
    part: Any = whole
    found = _remark(whole, ShapeRemark())
    for key in [*fault.absolute_schema_path]:
        if isinstance(part, dict):
            if "$ref" in part and key == "$ref":
                part = _referred(whole, part["$ref"])
                found = _remark(part, found)
                continue
            part = part.get(key)
        elif isinstance(part, list) and isinstance(key, int) and key < len(part):
            part = part[key]
        found = _remark(part, found)
    return found


def _remark(part: Any, known: ShapeRemark) -> ShapeRemark:
    if not isinstance(part, dict):
        return known
    return ShapeRemark(part.get("x-level", known.level), part.get("x-effect", known.effect))


def _referred(whole: dict[str, Any], address: str) -> Any:
    part: Any = whole
    for key in address.removeprefix("#/").split("/"):
        part = part[key]
    return part
