"""The document `conformance/cases.json`, which the conformance kit runs by: made of the cases as people write them.

Those are the files in `conformance/cases/`, and beside them what the extensions are, and why a clause has no case. A
malformed file stops the generator, with the place.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from skillbag import STANDARD_VERSION, __version__
from skillbag.fleet.conformance.kit import PROTOCOL, JsonObject
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.package_data import schema
from skillbag.kernel.documents.nodes import Mapping as NodeMapping
from skillbag.kernel.documents.nodes import Node, Sequence, YamlError, core_value, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document


class BadCaseError(UserError):
    """A file of the kit that can't be used; the message begins with `path:line:`."""


@cache
def cases_document(root: Path) -> JsonObject:
    """The document of a checkout.

    Raises:
        BadCaseError: a file can't be used.
    """
    rows: Any = _read(root / "rules/clauses.yaml")[2]
    names = [row["id"] for row in rows]
    reasons = sentences(root / "conformance/reasons.yaml", names)
    extensions = sentences(root / "conformance/extensions.yaml")
    clauses = [{**_clause(row), **({"reason": reasons[row["id"]]} if row["id"] in reasons else {})} for row in rows]
    folder = root / "conformance/cases"
    written = [
        case
        for path in sorted(folder.rglob("*.yaml"))
        for case in read_cases(path, path.relative_to(folder).with_suffix("").as_posix(), names, extensions)
    ]
    made = {"clauses": clauses, "extensions": extensions, "cases": written}
    digest = hashlib.sha256(json.dumps(made).encode()).hexdigest()[:8]
    return {"kit": f"{__version__}+{digest}", "standard": STANDARD_VERSION, "protocol": PROTOCOL, **made}


def cases_json(root: Path) -> str:
    """The text of the document."""
    return json.dumps(cases_document(root), ensure_ascii=False, indent=1) + "\n"


def _clause(row: JsonObject) -> JsonObject:
    return {name: row[name] for name in ("id", "level", "gist", "section", "sentence", "profiles") if name in row}


def read_cases(
    path: Path, prefix: str, clauses: Collection[str], extensions: Collection[str] = ()
) -> Iterator[JsonObject]:
    """The cases of a file, in its order; the ids begin with `prefix`, clauses and needs are among those known.

    Raises:
        BadCaseError: it can't be read, is not YAML of our dialect, or has not the shape of
            `schemas/conformance-case.schema.json`; an id is given twice, or a clause or an extension is unknown.
    """
    document, node, data = _read(path)
    for keys, message in _faults(data, clauses, extensions):
        raise BadCaseError(f"{_place(document, node, keys)}: {message}")
    for raw in data:
        case = {name: value for name, value in raw.items() if name not in ("case", "git")}
        yield {"id": f"{prefix}/{raw['case']}", **case, **({"git": {".": raw["git"]}} if "git" in raw else {})}


def sentences(path: Path, names: Collection[str] | None = None) -> Mapping[str, str]:
    """A file that gives each of some names a sentence; they are clauses, if `names` of these are given.

    Raises:
        BadCaseError: it is none.
    """
    document, node, found = _read(path)
    if not isinstance(found, dict):
        raise BadCaseError(f"{path}:1: it is a mapping of names to sentences")
    for name, sentence in found.items():
        where = _place(document, node, [name])
        if names is not None and name not in names:
            raise BadCaseError(f"{where}: the standard has no clause {name!r}{nearest(name, names)}")
        if not isinstance(sentence, str) or not sentence.strip():
            raise BadCaseError(f"{where}: a sentence is wanted")
    return {name: " ".join(sentence.split()) for name, sentence in found.items()}


def _read(path: Path) -> tuple[Document, Node, Any]:
    """The document at `path`, its root and its value."""
    document = read_document(str(path), str(path.parent))
    if isinstance(document, DocumentProblem):
        raise BadCaseError(f"{path}:{document.line}: {document.detail}")
    node = parse_yaml(document.text)
    if isinstance(node, YamlError):
        raise BadCaseError(f"{path}:{document.position(node.offset).line}: {node.detail}")
    if node is None:
        raise BadCaseError(f"{path}:1: the file is empty")
    return document, node, core_value(node)


def _place(document: Document, node: Node, keys: Collection[Any]) -> str:
    """`path:line` of the value that `keys` lead to, or of the deepest one that exists."""
    for key in keys:
        if isinstance(node, NodeMapping) and (entry := node.entry(str(key))):
            node = entry.value
        elif isinstance(node, Sequence) and isinstance(key, int) and key < len(node.items):
            node = node.items[key]
    return f"{document.path}:{document.position(node.start).line}"


def _faults(data: Any, clauses: Collection[str], extensions: Collection[str]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The keys that lead to each malformed value, and what is wrong with it."""
    error = best_match(_validator().iter_errors(data))
    if error is not None:
        where = ".".join(str(part) for part in error.absolute_path if not isinstance(part, int))
        yield tuple(error.absolute_path), f"{where}: {error.message}" if where else error.message
        return
    seen: set[str] = set()
    for at, raw in enumerate(data):
        if raw["case"] in seen:
            yield (at, "case"), f"there is a case {raw['case']!r} above"
        seen.add(raw["case"])
        for key, known, what in (("clauses", clauses, "the standard"), ("needs", extensions, "extensions.yaml")):
            for number, name in enumerate(raw.get(key, ())):
                if name not in known:
                    noun = "clause" if key == "clauses" else "extension"
                    yield (at, key, number), f"{what} has no {noun} {name!r}{nearest(name, known)}"
        for name, text in raw.get("bytes", {}).items():
            if not _is_base64(text):
                yield (at, "bytes", name), "this is not base64"


@cache
def _validator() -> Any:
    return Draft202012Validator(json.loads(schema("conformance-case")))


def _is_base64(text: str) -> bool:
    try:
        return base64.b64decode("".join(text.split()), validate=True) is not None
    except binascii.Error:
        return False
