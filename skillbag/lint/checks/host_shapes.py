"""The shapes of files around skills: each kind has a JSON Schema, which says of each fault its level and its effect.

`schemas/hosts/README.md` has the words that these schemas have beyond JSON Schema.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from jsonschema import ValidationError

from skillbag.kernel.base.json_text import BadJsonError, RepeatedKeyError, json_value
from skillbag.kernel.base.linear_regex import TooMuchWorkError
from skillbag.kernel.base.package_data import schema, schema_place, schema_words
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.frontmatter import bounds
from skillbag.kernel.documents.nodes import Mapping, core_value, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, Position
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.workspace.host_file import HostFile
from skillbag.kernel.workspace.target import SKILL_FILE, HostFilePath
from skillbag.kernel.workspace.text import TextFile
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


_BROKEN = ShapeRemark("error", "No host reads a broken file.")
_REPAIRED = ShapeRemark("warning", "Claude Code puts the values in quotes and reads it; other hosts drop the file.")


@Predicate("host-file-shape", Subject.HOST_FILE, values=("file", "reason", "effect"), options=Shapes)
def host_file_shape(file: HostFile, options: Shapes) -> Iterator[Match | Unjudged]:
    """Values in files around skills that the host which reads them does not take; `note` are keys that it drops."""
    if file.kind not in options.kinds:
        return
    shape, value = _shape(file.kind), file.value
    if file.fault:
        value = _repaired(file)
        if options.level != "note":
            yield from _broken(file, file.fault, shape.schema, is_repaired=value is not None)
        if value is None:
            return
    if options.level != "note":
        yield from _repeated(file)
    if file.is_markdown:
        # A key without a value is as good as none.
        value = {key: each for key, each in value.items() if each is not None}
    try:
        for fault, further in _grouped([*shape.faults(file, value)]):
            remark = remark_of(shape.schema, fault)
            if (remark.level == "note") == (options.level == "note"):
                yield _match(file, fault, remark, further)
    except (TooMuchWorkError, RecursionError):
        yield Unjudged(file.path, "its schema takes too long here")


def _repeated(file: HostFile) -> Iterator[Match]:
    """A match for a key that an object of JSON has twice, at the last of its places."""
    text = file.document.text if isinstance(file.document, Document) and file.path.endswith(".json") else ""
    try:
        json_value(text or "{}", unique=True)
    except RepeatedKeyError as error:
        at = max(text.rfind(f'"{error.key}"'), 0)
        reason = f"the key `{error.key[:80]}` is given twice."
        values = {"file": file.relative, "reason": reason, "effect": "The host drops the first without a word."}
        yield Match(file.path, at, at + len(error.key) + 2, values)
    except BadJsonError:
        return


def _broken(file: HostFile, fault: DocumentProblem, whole: Any, *, is_repaired: bool) -> Iterator[Match]:
    """A match for a file without data, unless its schema says that its host reads it."""
    is_bare = file.is_markdown and fault.kind == "no-frontmatter"
    if is_repaired and not whole.get("x-repaired", True):
        return
    said = whole.get("x-bare" if is_bare else "x-broken", not is_bare)
    # Texts of a project that are named in capitals are about the others.
    if not said or (
        is_bare and file.relative.startswith(".claude/") and os.path.basename(file.path).partition(".")[0].isupper()
    ):
        return
    remark = _REPAIRED if is_repaired else _remark(said, _BROKEN)
    values = {"file": file.relative, "reason": f"{fault.detail}.", "effect": remark.effect}
    yield Match(file.path, values=values, at=Position(fault.line, fault.column), raised=remark.level == "error")


def _repaired(file: HostFile) -> Any:
    """The front matter as Claude Code reads it when it is no YAML: with the values at its top in quotes."""
    text = file.document.text if isinstance(file.document, Document) and file.is_markdown else ""
    found = bounds(text)
    if found is None or not found.is_closed or not file.kind.startswith(("claude-", "cursor-")):
        return None
    lines = [_in_quotes(line) for line in text[found.start : found.end].splitlines()]
    node = parse_yaml("\n".join(lines))
    return core_value(node) if isinstance(node, Mapping) else None


def _in_quotes(line: str) -> str:
    key, _, value = line.partition(": ")
    value = value.strip()
    is_done = value[:1] in ("|", ">", "") or (value[0] in "\"'" and value[:1] == value[1:][-1:])
    is_key = key.replace("-", "").replace("_", "").isalnum()
    return f"{key}: {json.dumps(value, ensure_ascii=False)}" if is_key and not is_done else line.replace("\t", "  ")


def _grouped(found: list[ValidationError]) -> Iterator[tuple[ValidationError, int]]:
    """Each fault, with the number of further ones of one cause: keys of one place near to no known one are such."""
    groups: dict[object, list[ValidationError]] = {}
    for number, fault in enumerate(found):
        is_strange = fault.validator == "unknown" and not fault.message.endswith("?")
        place = [key for key in fault.absolute_path if isinstance(key, str)]
        cause = fault.validator_value.get("x-once", number) if isinstance(fault.validator_value, dict) else number
        groups.setdefault((*place[:-1],) if is_strange else cause, []).append(fault)
    yield from ((group[0], len(group) - 1) for group in groups.values())


def _match(file: HostFile, fault: ValidationError, remark: ShapeRemark, further: int) -> Match:
    keys = schema_place(fault)
    where = ".".join(map(str, keys))
    words = _words(fault)[:300] + (f", and so with {further} more here" if further else "")
    reason = (f"`{where}`: {words}" if where else words) + ("" if words.endswith("?") else ".")
    values = {"file": file.relative, "reason": reason, "effect": remark.effect}
    text = file.document.text if isinstance(file.document, Document) else ""
    start, end = place_in(text, file.data, keys)
    return Match(file.path, start, end, values, _addition(file, fault, keys), raised=remark.level == "error")


def _addition(file: HostFile, fault: ValidationError, keys: list[str | int]) -> tuple[TextEdit, ...]:
    """The edit that adds the entry that a schema gives as `x-add` to an object that lacks it.

    A server whose address ends with `/sse` may speak the old protocol, so that its author has to say which.
    """
    entry = fault.schema.get("x-add") if fault.validator == "required" and isinstance(fault.schema, dict) else None
    node, text = file.node(*keys), getattr(file.document, "text", "")
    is_old = isinstance(fault.instance, dict) and str(fault.instance.get("url", "")).rstrip("/").endswith("/sse")
    if not isinstance(entry, str) or node is None or is_old or text[node.start : node.start + 1] != "{":
        return ()
    inner = text[node.start + 1 : node.end]
    blanks = inner[: len(inner) - len(inner.lstrip())]
    added = f"{blanks}{entry}," if blanks else f"{entry}, "
    return (TextEdit(file.path, node.start + 1, node.start + 1, added),)


def _words(fault: ValidationError) -> str:
    if fault.validator in ("maxItems", "maxLength"):
        things = "items" if fault.validator == "maxItems" else "characters"
        instance: Any = fault.instance
        return f"it has {len(instance)} {things}, and {fault.validator_value} are the most"
    if fault.validator != "not":
        return schema_words(fault)
    about = fault.validator_value.get("description", "") if isinstance(fault.validator_value, dict) else ""
    return f"{fault.instance!r} {about}" if about else "this key has no effect here"


@lru_cache(maxsize=32)
def _schema(kind: str) -> dict[str, Any]:
    """The schema of a kind, with the definitions of the schemas that it `x-uses`."""
    found: dict[str, Any] = json.loads(schema(f"hosts/{kind}"))
    for other in found.get("x-uses", ()):
        found["$defs"] = {**_schema(other)["$defs"], **found.get("$defs", {})}
    return found


class _Shape(NamedTuple):
    """The schema of a kind, and its validator, which takes long to make: it validates the one file `at` hand."""

    schema: dict[str, Any]
    validator: Any
    at: list[HostFile]
    followed: list[int]

    def faults(self, file: HostFile, value: Any) -> Iterator[ValidationError]:
        """What is wrong with the value of a file."""
        self.at[:], self.followed[:] = [file], [0]
        return islice(self.validator.iter_errors(value), _MAX)


@lru_cache(maxsize=32)
def _shape(kind: str) -> _Shape:
    whole, at, followed = _schema(kind), list[HostFile](), [0]
    return _Shape(whole, validator_of(json.dumps(whole), followed, **_words_of_place(at)), at, followed)


def _words_of_place(at: list[HostFile]) -> dict[str, Any]:
    """The functions of the words for what JSON Schema can't say; some depend on the place of the file."""

    def within(is_plugin: bool, validator: Any, inner: Any, instance: object, _: object) -> Iterator[ValidationError]:
        if at[0].relative.startswith(".claude/") is not is_plugin:
            yield from validator.descend(instance, inner)

    def unique(_: Any, key: str, instance: object, __: object) -> Iterator[ValidationError]:
        known: set[str] = set()
        for number, item in enumerate(instance if isinstance(instance, list) else ()):
            value = item.get(key) if isinstance(item, dict) else None
            if value is not None and (written := json.dumps(value)) in known:
                yield ValidationError(f"there is another one with {written}", path=[number, key])
            known.add(json.dumps(value))

    def exists(_: Any, patterns: list[str], instance: object, __: object) -> Iterator[ValidationError]:
        if isinstance(instance, str):
            root = at[0].root
            paths = [pattern.replace("{}", instance) for pattern in patterns]
            places = [os.path.join(at[0].file.root, *path.split("/")) for path in paths]
            if not any(tracked.exists(place) or not tracked.within(root, place) for place in places):
                yield ValidationError(f"there is no file {instance!r} in the folder of the skill")

    def name(_: Any, of: str, instance: object, __: object) -> Iterator[ValidationError]:
        place = at[0].file.root if of == "folder" else os.path.splitext(at[0].path)[0]
        wanted = os.path.basename(place)
        skill = HostFile(HostFilePath(os.path.join(place, SKILL_FILE), "claude-skill", place), at[0].root).value
        # It may declare another name than its folder's, and a whole repository may be cloned into a folder of any name.
        known = (wanted, skill.get("name") if isinstance(skill, dict) else None)
        if isinstance(instance, str) and instance not in known and place != at[0].root:
            yield ValidationError(f"{instance!r} is not the name of the {of}, {wanted!r}")

    def body_max(_: Any, most: int, __: object, ___: object) -> Iterator[ValidationError]:
        text = at[0].text
        if isinstance(text, TextFile) and len(text.document.text) - text.body > most:
            yield ValidationError(f"the text below has {len(text.document.text) - text.body:,} characters")

    words = {"x-body-max": body_max, "x-in-plugin": partial(within, True), "x-in-project": partial(within, False)}
    return {**words, "x-unique": unique, "x-exists": exists, "x-name-of": name}


def remark_of(whole: dict[str, Any], fault: ValidationError) -> ShapeRemark:
    """What a schema says of a fault: the innermost remark on the way to the words that it breaks."""
    part: Any = whole
    found = _remark(whole, ShapeRemark())
    for key in fault.absolute_schema_path:
        # The way has no word for references.
        while isinstance(part, dict) and key not in part and "$ref" in part:
            part = _referred(whole, part["$ref"])
            found = _remark(part, found)
        if isinstance(part, dict):
            part = part.get(key)
        elif isinstance(part, list) and isinstance(key, int) and key < len(part):
            part = part[key]
        found = _remark(part, found)
    is_near = isinstance(part, dict) and fault.message.endswith("?")
    return found._replace(level=part.get("x-near", found.level)) if is_near else found


def _remark(part: Any, known: ShapeRemark) -> ShapeRemark:
    if not isinstance(part, dict):
        return known
    return ShapeRemark(part.get("x-level", known.level), part.get("x-effect", known.effect))


def _referred(whole: dict[str, Any], address: str) -> Any:
    part: Any = whole
    for key in address.removeprefix("#/").split("/"):
        part = part[key]
    return part
