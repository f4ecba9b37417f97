"""Puts an entry first into an object or array of a JSON file; every other byte stays."""

from __future__ import annotations

from skillbag.kernel.documents.nodes import Mapping, Node, Sequence
from skillbag.kernel.documents.source import Document
from skillbag.supply.bootstrap.actions import Action, insert


def put_first(document: Document, path: str, node: Node | None, text: str, why: str) -> Action | None:
    """Put `text` at the beginning of an object or array, on lines of its own, indented as the file."""
    if not isinstance(node, Mapping | Sequence):
        return None
    line = document.text.rfind("\n", 0, node.start) + 1
    before = document.text[line : node.start]
    outer = before[: len(before) - len(before.lstrip())]
    inner = outer + _indentation(document.text)
    is_empty = not (node.entries if isinstance(node, Mapping) else node.items)
    lines = text.replace("  ", _indentation(document.text)).replace("\n", f"\n{inner}")
    return insert(document, path, node.start + 1, f"{inner}{lines}" + (f"\n{outer}" if is_empty else ","), why)


def _indentation(text: str) -> str:
    """The indentation of the first indented line."""
    for line in text.splitlines():
        if indent := line[: len(line) - len(line.lstrip())]:
            return indent
    return "  "
