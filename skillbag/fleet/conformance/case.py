"""Cases: the files, the operations in order, and the expected outcomes; a malformed case file is refused."""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from skillbag.fleet.conformance.matching import EMPTY, JsonObject
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.package_data import schema
from skillbag.kernel.documents.nodes import Mapping as NodeMapping
from skillbag.kernel.documents.nodes import Node, Sequence, YamlError, core_value, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document

KINDS = ("plain", "edge", "breach")
"""The kinds of cases: what everybody needs, limits and rare forms, and what must be refused."""


class BadCaseError(UserError):
    """A file of the kit that can't be used; the message begins with `path:line:`."""


class Operation(NamedTuple):
    """A request to a driver, and the parts of its outcome that are compared."""

    name: str
    session: str | None
    inputs: JsonObject
    expected: JsonObject


class Write(NamedTuple):
    """Files that the kit writes between operations, relative to the workspace."""

    files: Mapping[str, bytes]


class Delete(NamedTuple):
    """Files and folders that the kit deletes between operations."""

    paths: tuple[str, ...]


Step = Operation | Write | Delete


class ConformanceCase(NamedTuple):
    """One case; `id` is `area/file/case`, `kind` plain, edge or breach, `why` what a program that fails it may do.

    `files` and `links` (path to target) make the workspace; `repositories` are git's, each by its folder with the files
    that it tracks. `sources` are folders beside it. `after` is what must be on the disk at the end, `needs` are
    the extensions that a driver must offer.
    """

    id: str
    clauses: tuple[str, ...]
    kind: str
    files: Mapping[str, bytes]
    steps: tuple[Step, ...]
    why: str = ""
    links: Mapping[str, str] = {}
    repositories: Mapping[str, tuple[str, ...]] = {}
    sources: Mapping[str, Mapping[str, bytes]] = {}
    after: JsonObject = EMPTY
    needs: tuple[str, ...] = ()


def read_cases(path: str, prefix: str, clauses: Collection[str]) -> Iterator[ConformanceCase]:
    """The cases of a file, in its order; the ids begin with `prefix`, the clauses are among `clauses`.

    Raises:
        BadCaseError: it can't be read, is not YAML of our dialect, or has not the shape of
            `schemas/conformance-case.schema.json`; an id is given twice, or a clause is unknown.
    """
    document, node = read_yaml(path)
    data = core_value(node)
    for keys, message in _faults(data, clauses):
        raise BadCaseError(f"{place(document, node, keys)}: {message}")
    for raw in data:  # type: ignore[attr-defined] # the schema has it as a list
        yield _case(raw, f"{prefix}/{raw['case']}")


def read_yaml(path: str) -> tuple[Document, Node]:
    """The document at `path` and its value.

    Raises:
        BadCaseError: it can't be read, holds no value, or is not YAML of our dialect.
    """
    document = read_document(path, os.path.dirname(path))
    if isinstance(document, DocumentProblem):
        raise BadCaseError(f"{path}:{document.line}: {document.detail}")
    node = parse_yaml(document.text)
    if isinstance(node, YamlError):
        raise BadCaseError(f"{path}:{document.position(node.offset).line}: {node.detail}")
    if node is None:
        raise BadCaseError(f"{path}:1: the file is empty")
    return document, node


def place(document: Document, node: Node, keys: Collection[Any]) -> str:
    """`path:line` of the value that `keys` lead to, or of the deepest one that exists."""
    for key in keys:
        if isinstance(node, NodeMapping) and (entry := node.entry(str(key))):
            node = entry.value
        elif isinstance(node, Sequence) and isinstance(key, int) and key < len(node.items):
            node = node.items[key]
    return f"{document.path}:{document.position(node.start).line}"


def _faults(data: object, clauses: Collection[str]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The keys that lead to each malformed value, and what is wrong with it."""
    from jsonschema.exceptions import best_match

    error = best_match(_validator().iter_errors(data))
    if error is not None:
        where = ".".join(str(part) for part in error.absolute_path if not isinstance(part, int))
        yield tuple(error.absolute_path), f"{where}: {error.message}" if where else error.message
        return
    seen: set[str] = set()
    for at, raw in enumerate(data):  # type: ignore[arg-type, var-annotated] # the schema has it as a list
        if raw["case"] in seen:
            yield (at, "case"), f"there is a case {raw['case']!r} above"
        seen.add(raw["case"])
        for number, clause in enumerate(raw["clauses"]):
            if clause not in clauses:
                yield (at, "clauses", number), f"the standard has no clause {clause!r}{nearest(clause, clauses)}"
        for name, text in raw.get("bytes", {}).items():
            if _decoded(text) is None:
                yield (at, "bytes", name), "this is not base64"


@cache
def _validator() -> Any:
    # Slow to import, and needed by this command only.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema("conformance-case")))


def _case(raw: JsonObject, name: str) -> ConformanceCase:
    return ConformanceCase(
        name,
        tuple(raw["clauses"]),
        raw["kind"],
        {**_encoded(raw["files"]), **{path: _decoded(text) or b"" for path, text in raw.get("bytes", {}).items()}},
        tuple(_step(step) for step in raw["steps"]),
        raw.get("why", ""),
        raw.get("links", {}),
        {".": tuple(raw["git"])} if "git" in raw else {},
        {folder: _encoded(texts) for folder, texts in raw.get("sources", {}).items()},
        raw.get("after", {}),
        tuple(raw.get("needs", ())),
    )


def _step(raw: JsonObject) -> Step:
    if "write" in raw:
        return Write(_encoded(raw["write"]))
    if "delete" in raw:
        return Delete(tuple(raw["delete"]))
    return Operation(raw["operation"], raw.get("session"), raw.get("inputs", {}), raw["expect"])


def _encoded(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode("utf-8") for path, text in files.items()}


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error:
        return None
