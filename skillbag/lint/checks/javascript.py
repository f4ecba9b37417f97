"""Syntax errors of JavaScript and TypeScript, found by tree-sitter and its official grammars, which run nothing."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import accumulate

from skillbag.kernel.base.errors import MissingExtraError
from skillbag.kernel.base.extras import to_install
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs.trace import mark_uncacheable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import tree_sitter

TIMEOUT = 0.5
"""Seconds of the processor for the parser, whose recovery from errors is quadratic. What takes longer is skipped."""
_LARGE = 1 << 20
"""Larger files, in bytes, are bundles that nobody wrote by hand."""
_DEEPEST = 2_000
"""Levels of brackets that are parsed; 100,000 are a segmentation fault."""
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

# Flow's types are another language, and so are the directives of Adobe's ExtendScript.
_FLOW = late(r"(?://|/\*|\*)\s*@flow\b|(?m:^#(?:target(?:engine)?|include(?:path)?)\b)")
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
    if _is_deep(raw):
        return None
    extension = name.lower()
    typed = extension.endswith((*_TYPED, ".tsx"))
    found = _first_fault(raw, "tsx" if extension.endswith(".tsx") else "typescript" if typed else "javascript")
    # A second grammar confirms a fault of JavaScript: each lacks some of the newest syntax.
    if found is None or not (typed or _first_fault(raw, "tsx")):
        return None
    fault = _described(found, raw)
    if typed or found.in_markup or raw.startswith(b"<", found.node.start_byte, found.node.end_byte):
        # Both lack more of TypeScript's and of JSX: there a reader that knows no grammar confirms it.
        unbalanced = first_unbalanced(source, markup=not typed or extension.endswith(".tsx"))
        if unbalanced is None:
            return None
        fault = _fault_in(source, *unbalanced)
    line = raw.split(b"\n", fault.line)[fault.line - 1].decode("utf-8", "replace")
    return None if _STAND_IN().search(line) else fault


def _is_deep(raw: bytes) -> bool:
    """Whether brackets are nested so deep that the parser, which calls itself, could overflow the stack."""
    if sum(map(raw.count, (b"(", b"[", b"{"))) < _DEEPEST:
        return False
    steps = (1 if sign in b"([{" else -1 for sign in raw if sign in b"([{}])")
    return max(accumulate(steps)) > _DEEPEST


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


def _first_fault(raw: bytes, dialect: str) -> _Faulty | None:
    end = time.thread_time() + TIMEOUT
    parser = _parser(dialect)
    try:
        # In search of a way past a fault, the parser may take all time and memory between two chunks.
        tree = parser.parse(lambda at, _: raw[at : at + _CHUNK], progress_callback=lambda *_: time.thread_time() > end)
    except ValueError:
        # Halted: without this, it would go on with this file.
        parser.reset()
        mark_uncacheable()
        return None
    return next(_faulty(tree.root_node, raw), None)


class _Faulty(NamedTuple):
    """A node that is an error or stands for a missing word, the one around it, and whether it is in JSX.

    tree-sitter's own `parent` calls itself for each level, and crashes in a deep tree.
    """

    node: tree_sitter.Node
    parent: tree_sitter.Node | None = None
    in_markup: bool = False


def _faulty(root: tree_sitter.Node, raw: bytes) -> Iterator[_Faulty]:
    """The outermost faults, in order."""
    pending = [_Faulty(root)]
    while pending:
        found = pending.pop()
        node = found.node
        # The grammars can't read two spreads in an array that begins a statement.
        if node.is_missing or (node.is_error and raw[node.start_byte : node.end_byte] != b"..."):
            yield found
        elif node.has_error:
            in_markup = found.in_markup or node.type.startswith("jsx_")
            pending += [_Faulty(child, node, in_markup) for child in reversed(node.children)]


def _described(found: _Faulty, raw: bytes) -> SyntaxFault:
    node, parent, _ = found
    if node.is_missing:
        opened = next((child for child in parent.children if child.type in _CLOSING), None) if parent else None
        if opened and _CLOSING[opened.type] == node.type:
            return _fault_at(opened, f"nothing closes this `{opened.type}`")
        return _fault_at(node, f"`{node.type}` is missing")
    opened = _left_open(node)
    if opened is not None:
        return _fault_at(opened, f"nothing closes this `{opened.type}`")
    text = raw[node.start_byte : node.end_byte].decode("utf-8", "replace")
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


_TOKEN = late(
    r"""(?P<skip>:\((?=<)|(?<!:)//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|'(?:[^'\\\n]|\\[\s\S])*+'|"(?:[^"\\\n]|\\[\s\S])*+")
      | (?P<left>/\*|['"]) | (?P<open>[(\[{`]) | (?P<close>[)\]}]) | (?P<slash>/)""",
    re.VERBOSE,
)
_LITERAL_PART = late(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*+")
_REGEX = late(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/")
_LONGEST = 2_000
"""Most characters of an expression between slashes."""
_VALUE = late(r"(?:[\w$)\]}\"'`<]|\+\+|--)[ \t]*\Z")
_KEYWORD = late(r"(?<![\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)[ \t]*\Z")
_CLOSES = {")": "(", "]": "[", "}": "{"}
_LEFT = {"/*": "comment", "'": "string", '"': "string"}


def first_unbalanced(source: str, *, markup: bool) -> tuple[int, str] | None:
    """The offset and kind of the first thing that is not closed or opened; None where all is in balance.

    With `markup`, the file may hold JSX, in whose text a quote is an apostrophe.
    """
    opened: list[tuple[str, int]] = []
    at = 0
    while match := _TOKEN().search(source, at):
        at = match.end()
        if match["left"] and not (markup and match["left"] != "/*"):
            return match.start(), f"this {_LEFT[match['left']]} is not closed"
        if match["slash"]:
            at = _after_slash(source, match.start())
        if match["open"]:
            opened.append((match["open"], match.start()))
        if match["close"] and (fault := _closed(opened, match["close"], match.start())):
            return fault
        if opened and opened[-1][0] == "`":
            at = _in_template(source, at, opened)
    if not opened:
        return None
    sign, start = opened[-1]
    return start, "this template literal is not closed" if sign == "`" else f"nothing closes this `{sign}`"


def _closed(opened: list[tuple[str, int]], sign: str, at: int) -> tuple[int, str] | None:
    """Take the bracket that `sign` closes off the stack; the fault where that is another one."""
    last = opened[-1][0] if opened else ""
    if last == _CLOSES[sign] or (sign == "}" and last == "${"):
        opened.pop()
        return None
    if any(bracket.endswith(_CLOSES[sign]) for bracket, _ in opened):
        return opened[-1][1], f"nothing closes this `{last}`"
    return at, f"nothing opens this `{sign}`"


def _in_template(source: str, at: int, opened: list[tuple[str, int]]) -> int:
    """Where a template literal goes on as code, or ends."""
    match = _LITERAL_PART().match(source, at)
    end = match.end() if match else at
    if source.startswith("${", end):
        opened.append(("${", end))
        return end + 2
    if end < len(source):
        opened.pop()
        return end + 1
    return end


def _after_slash(source: str, at: int) -> int:
    """Where code goes on after a slash: behind a regular expression, if that may begin here."""
    before = source[max(0, at - 40) : at].rstrip("\r\n")
    if _VALUE().search(before) and not _KEYWORD().search(before):
        return at + 1
    match = _REGEX().match(source, at, at + _LONGEST)
    return match.end() if match else at + 1
