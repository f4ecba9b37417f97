"""The settings of `SKILLBAG.md` (an extension of the standard): `parameters`, and the values of `prohibit`."""

from __future__ import annotations

import re

from skillbag.documents.nodes import Mapping, Node
from skillbag.documents.source import Document
from skillbag.standard.blocks import KEYS
from skillbag.workspace.model import ContextFile, context_file

_COUNTING = ("parameters", "prohibit")
_SETS = re.compile(rf"""(?<![\w-])["']?(?:{"|".join(_COUNTING)})["']?[ \t]*:""")


def entrypoint_settings(document: Document) -> ContextFile | None:
    """`SKILLBAG.md` as a context file whose blocks have what counts; None where it plainly sets nothing.

    The other keys of context files are left out: here they show how things are written.
    """
    if not may_set(document.text):
        return None
    context = context_file(document)
    return context._replace(blocks=tuple(block._replace(value=_counting(block.value)) for block in context.blocks))


def may_set(text: str) -> bool:
    """Whether one of the keys seems to stand in a text, be it YAML that can be read or not."""
    return _SETS.search(text) is not None


def _counting(node: Node | None) -> Node | None:
    if not isinstance(node, Mapping):
        return None
    return node._replace(entries=tuple(entry for entry in node.entries if entry.key.value not in _NOT_COUNTING))


_NOT_COUNTING = KEYS.difference(_COUNTING)
