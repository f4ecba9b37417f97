"""Syntax errors of JavaScript and TypeScript, found by tree-sitter and its official grammars, which run nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from skillbag.base.errors import MissingExtraError
from skillbag.base.extras import to_install
from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple
from skillbag.checks.brackets import first_unbalanced
from skillbag.fs.trace import mark_uncacheable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import tree_sitter

TIMEOUT = 0.5
"""Seconds that the parser may take: its recovery from errors is quadratic. A file that takes longer is skipped."""
_LARGE = 1 << 20
"""Larger files, in bytes, are bundles that nobody wrote by hand."""
_CHUNK = 4096
_CLOSING = {"(": ")", "[": "]", "{": "}", "${": "}"}
_MISSING = "its syntax is not checked, since tree-sitter is not installed: "
_GRAMMARS = {
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}
_UNCLOSED = {'"': "string", "'": "string", "`": "template literal", "/*": "comment"}
_TYPED = (".ts", ".mts", ".cts")

# Flow's types are another language.
_FLOW = late(r"(?://|/\*|\*)\s*@flow\b")
# In a Qt project, `.ts` is a translation in XML.
_XML = late(r"\s*<(?:\?xml|!DOCTYPE)")
# Braces of JSX may be doubled as well: `style={{width: 1}}`.
_TEMPLATE = late(r"\{\{[^{}\n:]*+\}\}|\{%|<%")
_STAND_IN = late(r"…|\.\.\.(?!\s*[\w$(\[{`'\"])|<[A-Z][A-Z_ -]+>|__[A-Z_]+__|@[A-Z_]+@")


class SyntaxFault(NamedTuple):
    """A syntax error: 1-based line, 0-based offset in the bytes of that line, and a sentence without its full stop."""

    line: int
    offset: int
    detail: str


def javascript_fault(source: str, name: str) -> SyntaxFault | None:
    """The first syntax error of a script, whose `name` gives the dialect; None without one, and for templates.

    Raises:
        MissingExtraError: the parser is not installed.
    """
    if len(source) > _LARGE or _XML().match(source) or _TEMPLATE().search(source) or _FLOW().search(source[:2000]):
        return None
    raw = source.encode("utf-8")
    extension = name.lower()
    typed = extension.endswith((*_TYPED, ".tsx"))
    node = _faulty_node(raw, "tsx" if extension.endswith(".tsx") else "typescript" if typed else "javascript")
    # A second grammar confirms a fault of JavaScript: each lacks some of the newest syntax.
    if node is None or not (typed or _faulty_node(raw, "tsx")):
        return None
    fault = _described(node, raw)
    if typed or _is_markup(node, raw):
        # Both lack more of TypeScript's and of JSX: there a reader that knows no grammar confirms it.
        found = first_unbalanced(source, markup=not typed or extension.endswith(".tsx"))
        if found is None:
            return None
        fault = _fault_in(source, *found)
    line = raw.split(b"\n", fault.line)[fault.line - 1].decode("utf-8", "replace")
    return None if _STAND_IN().search(line) else fault


def _is_markup(node: tree_sitter.Node, raw: bytes) -> bool:
    """Whether a fault is in JSX, or is an element of it."""
    if raw.startswith(b"<", node.start_byte, node.end_byte):
        return True
    parent = node.parent
    while parent is not None and not parent.type.startswith("jsx_"):
        parent = parent.parent
    return parent is not None


def _fault_in(source: str, at: int, detail: str) -> SyntaxFault:
    start = source.rfind("\n", 0, at) + 1
    return SyntaxFault(source.count("\n", 0, at) + 1, len(source[start:at].encode("utf-8")), detail)


@cache
def _parser(dialect: str) -> tree_sitter.Parser:
    parser: Any = _extra("tree_sitter")
    module, grammar = _GRAMMARS[dialect]
    made: tree_sitter.Parser = parser.Parser(parser.Language(getattr(_extra(module), grammar)()))
    return made


def _extra(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(_MISSING + to_install("javascript")) from error


def _faulty_node(raw: bytes, dialect: str) -> tree_sitter.Node | None:
    end = time.monotonic() + TIMEOUT
    is_late = False

    def chunk(at: int, _: object) -> bytes:
        nonlocal is_late
        # The parser takes an empty chunk for the end of the file.
        is_late = is_late or time.monotonic() > end
        return b"" if is_late else raw[at : at + _CHUNK]

    tree = _parser(dialect).parse(chunk)
    if is_late:
        mark_uncacheable()
        return None
    return next(_faulty(tree.root_node, raw), None)


# Not by `node.text`, which reads by `chunk` again: when the time is over, it would wait for more than an empty one.
def _text(node: tree_sitter.Node, raw: bytes) -> bytes:
    return raw[node.start_byte : node.end_byte]


def _faulty(root: tree_sitter.Node, raw: bytes) -> Iterator[tree_sitter.Node]:
    """The outermost nodes that are errors or stand for a missing word, in order."""
    pending = [root]
    while pending:
        node = pending.pop()
        # The grammars can't read two spreads in an array that begins a statement.
        if node.is_missing or (node.is_error and _text(node, raw) != b"..."):
            yield node
        elif node.has_error:
            pending += reversed(node.children)


def _described(node: tree_sitter.Node, raw: bytes) -> SyntaxFault:
    if node.is_missing:
        opened = (
            next((child for child in node.parent.children if child.type in _CLOSING), None) if node.parent else None
        )
        if opened and _CLOSING[opened.type] == node.type:
            return _fault_at(opened, f"nothing closes this `{opened.type}`")
        return _fault_at(node, f"`{node.type}` is missing")
    opened = _left_open(node)
    if opened is not None:
        return _fault_at(opened, f"nothing closes this `{opened.type}`")
    text = _text(node, raw).decode("utf-8", "replace")
    for mark, kind in _UNCLOSED.items():
        if text.startswith(mark):
            return _fault_at(node, f"this {kind} is not closed")
    if text[:1] in (")", "]", "}"):
        return _fault_at(node, f"nothing opens this `{text[0]}`")
    word = text.split(maxsplit=1)[0][:40].replace("`", "'") if text.strip() else ""
    return _fault_at(node, f"unexpected `{word}`" if word else "unexpected end of the file")


def _left_open(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The last bracket among the words of an error that none of them closes."""
    opened: list[tree_sitter.Node] = []
    for child in node.children:
        if child.type in _CLOSING:
            opened.append(child)
        elif opened and child.type == _CLOSING[opened[-1].type]:
            opened.pop()
    return opened[-1] if opened else None


def _fault_at(node: tree_sitter.Node, detail: str) -> SyntaxFault:
    return SyntaxFault(node.start_point[0] + 1, node.start_point[1], detail)
