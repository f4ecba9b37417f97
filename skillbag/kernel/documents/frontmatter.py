"""YAML front matter, and the fenced `yaml` blocks under a heading: where a Markdown file holds values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base import clock
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.markdown import Markdown
from skillbag.kernel.documents.nodes import Mapping, Node, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem

_OPEN = re.compile(r"---[ \t]*\r?\n")
_CLOSE = re.compile(r"\n---[ \t]*\r?$", re.MULTILINE)  # a search from the line end before it is faster
_QUOTED = "it is in a quotation (`>`), where nothing is read; remove the `>`"


class FrontMatter(NamedTuple):
    """The mapping between the `---` lines; `start` and `end` bound its text, `body` is where the Markdown begins."""

    mapping: Mapping
    start: int
    end: int
    body: int


class FrontMatterBounds(NamedTuple):
    """Where front matter lies: its text from `start` to `end`, and where the Markdown begins. If no line closes it
    (`is_closed`), it goes on to the end of the file.
    """

    start: int
    end: int
    body: int
    is_closed: bool


class Block(NamedTuple):
    """The value of one fenced `yaml` block, or why it has none; `start` is where its text begins."""

    value: Node | None
    problem: DocumentProblem | None
    start: int
    end: int


def bounds(text: str) -> FrontMatterBounds | None:
    """Where the front matter of a text lies; None if it does not begin with a line `---`."""
    opening = _OPEN.match(text)
    if opening is None:
        return None
    closing = _CLOSE.search(text, opening.end() - 1)
    if closing is None:
        return FrontMatterBounds(opening.end(), len(text), len(text), False)
    return FrontMatterBounds(opening.end(), closing.start() + 1, min(closing.end() + 1, len(text)), True)


def front_matter(document: Document) -> FrontMatter | DocumentProblem:
    """Split and read the front matter (clause skill.frontmatter).

    Problems are of the kinds `no-frontmatter`, `unclosed-frontmatter`, `not-a-mapping` and those of `YamlError`.
    """
    text = document.text
    found = bounds(text)
    if found is None:
        return DocumentProblem(document.path, "no-frontmatter", "the file does not begin with a line `---`")
    if not found.is_closed:
        return DocumentProblem(document.path, "unclosed-frontmatter", "no line `---` closes the front matter")
    start, end = found.start, found.end
    block = text[start:end]
    value = clock.timed("front-matter", parse_yaml, block, start) if clock.timed else parse_yaml(block, start)
    if isinstance(value, YamlError):
        return _yaml_problem(document, value)
    if value is None:
        value = Mapping((), start, end)
    if not isinstance(value, Mapping):
        where = document.position(value.start)
        return DocumentProblem(document.path, "not-a-mapping", "the front matter is not a list of `key: value`", *where)
    return FrontMatter(value, start, end, found.body)


def _yaml_problem(document: Document, error: YamlError) -> DocumentProblem:
    return DocumentProblem(document.path, error.kind, error.detail, *document.position(error.offset))


def yaml_blocks(document: Document, markdown: Markdown, title: str | None = None) -> Iterator[Block]:
    """The fenced `yaml` blocks under every heading `title` (any level), or all of them, each once, in order."""
    fences = markdown.fences if title is None else [f for s in markdown.section(title) for f in markdown.fences_in(s)]
    for fence in sorted(set(fences), key=lambda fence: fence.start):
        if fence.info.split(" ")[0].lower() not in ("yaml", "yml"):
            continue
        value, problem, body = None, None, (fence.body_start, fence.body_end)
        if ">" in document.text[document.text.rfind("\n", 0, fence.start) + 1 : fence.start]:
            problem = DocumentProblem(document.path, "quoted", _QUOTED, *document.position(fence.start))
        else:
            parsed = parse_yaml(document.text[slice(*body)], fence.body_start)
            if isinstance(parsed, YamlError):
                problem = _yaml_problem(document, parsed)
            else:
                value = parsed
        yield Block(value, problem, *body)
