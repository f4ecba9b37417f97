"""Writing a pinned reference into the configuration, with nothing else in the file changed."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.documents.source import Document
from skillbag.lint.engine.config import NAMES, BadConfigError
from skillbag.lint.rules.packs import PackReference, parse_pack
from skillbag.supply.bootstrap.existing import find, refusal
from skillbag.supply.bootstrap.plan import Action, ActionKind, SetupPlan, create, keep

_PACKS = re.compile(r"^[ \t]*packs[ \t]*=[ \t]*\[(\s*)", re.MULTILINE)
_HEADER = re.compile(r"^[ \t]*\[tool\.skillbag\][^\n]*\n", re.MULTILINE)
_COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_WHY = "the packs that a check uses"


def plan_pin(root: str, config: str | None, reference: PackReference) -> SetupPlan:
    """Add a reference to the `packs` of the configuration at `config`; without one, to a new file in `root`.

    Both are absolute.

    Raises:
        CannotInitError: the file has a shape that is not ours to change; the message has the line to write.
        BadConfigError: it is not TOML, or names another version of the pack.
    """
    if config is None:
        return SetupPlan(root, (create(NAMES[0], f"packs = [{_quoted(reference)}]\n", _WHY),))
    folder, name = os.path.split(config)
    document = find(folder, name)
    assert document is not None  # noqa: S101 -- it was found to be the configuration
    return SetupPlan(folder, (_action(document, name, reference),))


def _action(document: Document, name: str, reference: PackReference) -> Action:
    try:
        packs = _read(document.text, name).packs
    except tomllib.TOMLDecodeError as error:
        raise BadConfigError(f"{name}: this is not TOML: {error}") from error
    for text in packs:
        other = parse_pack(text)
        if other == reference:
            return keep(name, f"it names {reference.text} already")
        if (other.name, other.address, other.inside) == (reference.name, reference.address, reference.inside):
            raise BadConfigError(f"{document.path}: it pins {text}; write {reference.text} in its place")
    for at, added in _ways(document.text, name, reference):
        new = document.text[:at] + added + document.text[at:]
        if _adds_one(document.text, new, name, reference):
            data = added.replace("\n", document.newline).encode("utf-8")
            return Action(ActionKind.INSERT, name, _WHY, data, len(document.encode(document.text[:at])), document.raw)
    raise refusal(name, "its shape is not one that can be extended safely", f"packs = [{_quoted(reference)}]\n")


def _ways(text: str, name: str, reference: PackReference) -> Iterator[tuple[int, str]]:
    """Offsets, and what could be inserted there; the first that adds the reference and nothing else is taken."""
    quoted = _quoted(reference)
    for array in _PACKS.finditer(text):
        indent = array[1] if "\n" in array[1] else ""
        yield array.start(1), f"{indent}{quoted}," if indent else f"{quoted}, "
    line = f"packs = [{quoted}]\n"
    if name == NAMES[0]:
        comments = _COMMENTS.match(text)
        yield comments.end() if comments else 0, line
        yield 0, line
    for header in _HEADER.finditer(text):
        yield header.end(), line


def _adds_one(old: str, new: str, name: str, reference: PackReference) -> bool:
    try:
        before, after = _read(old, name), _read(new, name)
    except tomllib.TOMLDecodeError:
        return False
    return sorted(after.packs) == sorted([*before.packs, reference.text]) and before.others == after.others


class _Configuration(NamedTuple):
    """The packs that a configuration names, and everything else in its file."""

    packs: tuple[str, ...]
    others: object


def _read(text: str, name: str) -> _Configuration:
    data = tomllib.loads(text.replace("\r\n", "\n"))
    table = data if name == NAMES[0] else data.setdefault("tool", {}).setdefault("skillbag", {})
    return _Configuration(tuple(table.pop("packs", ())), data)


def _quoted(reference: PackReference) -> str:
    return '"' + reference.text.replace("\\", "\\\\").replace('"', '\\"') + '"'
