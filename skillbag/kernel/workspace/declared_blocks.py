"""The blocks in which a skill declares parameters and dependencies, and the headings under which they are read.

The standard names the headings `Parameters` and `Dependencies`. A block that plainly has the form of a declaration is
read under another heading of the same meaning as well: `Inputs`, `2. Parameters:`, a line `**Arguments**`. The rule
declaration-heading reports it, and such blocks under other headings, which are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from operator import attrgetter

from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.frontmatter import Block, yaml_blocks
from skillbag.kernel.documents.markdown import Heading, Markdown, Section
from skillbag.kernel.documents.markdown_fences import may_have_section
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.kernel.documents.source import Document


class DeclarationKind(NamedTuple):
    """The standard's heading `title`; words with its meaning; the line of a block that begins a list, and what such a
    line has in it, which is quicker to find."""

    title: str
    nouns: frozenset[str]
    line: Late
    stems: tuple[str, ...]


_OPEN = r"[ \t]*(?=[\r\n#\[]|\Z)"
"""A list begins below, or in brackets; `required: true` in a description of an interface begins none."""

_INPUTS = "parameter parameters param params input inputs argument arguments args option options"
PARAMETERS = DeclarationKind(
    "Parameters",
    frozenset(_INPUTS.split()),
    late(rf"[ \t>]*(?:req[a-z]{{1,4}}d|opt[a-z]{{1,4}}al):{_OPEN}", re.IGNORECASE),
    ("red:", "ird:", "nal:"),
)
_NEEDS = "dependency dependencies deps skills requires requirements prerequisites"
DEPENDENCIES = DeclarationKind(
    "Dependencies",
    frozenset(_NEEDS.split()),
    late(rf"[ \t>]*dep[a-z]*enc(?:y|ies):{_OPEN}", re.IGNORECASE),
    ("encies:", "ency:"),
)

_BESIDE = (
    "a accepted all and available default defaults for its list needed of on optional or other required section skill"
    " skills step supported the their this values with yaml"
)
QUALIFIERS = frozenset(_BESIDE.split())
"""The words that may stand beside such a word: `Required inputs`, `Parameters of this skill`."""

_WORD = late(r"[^\W\d_]+")
_SHOWN = late(r"exampl|sampl|template|format|output|result|syntax|anatomy|structur|layout|schema", re.IGNORECASE)


class OtherDeclaration(NamedTuple):
    """A block of the form of a declaration that is not under the standard's heading.

    `heading` is what it stands under (empty where nothing is), from `start` to `end`; `is_read` whether it counts.
    """

    block: Block
    heading: str
    start: int
    end: int
    is_read: bool


class DeclaredBlocks(NamedTuple):
    """The blocks of a kind that count, in order, and all that are not under the standard's heading."""

    blocks: tuple[Block, ...] = ()
    others: tuple[OtherDeclaration, ...] = ()


def declared_blocks(
    document: Document, start: int, read: Callable[[], Markdown], kind: DeclarationKind
) -> DeclaredBlocks:
    """The blocks of a skill whose body begins at `start`; `read` parses it, which most bodies do not need."""
    text = document.text
    usual: tuple[Block, ...] = ()
    if may_have_section(text, kind.title):
        usual = tuple(yaml_blocks(document, read(), kind.title))
    if text.find("name:", start) < 0 or not _is_elsewhere(text, start, usual, kind):
        return DeclaredBlocks(usual)
    known = {block.start for block in usual}
    markdown = read()
    found = (block for block in yaml_blocks(document, markdown) if block.start not in known)
    others = tuple(_placed(text, markdown, block, kind) for block in found if _has_form(text, block, kind))
    counting = (*usual, *(other.block for other in others if other.is_read))
    return DeclaredBlocks(tuple(sorted(counting, key=attrgetter("start"))), others)


def _is_elsewhere(text: str, start: int, usual: tuple[Block, ...], kind: DeclarationKind) -> bool:
    """Whether a list of the kind seems to begin outside of these blocks."""
    return any(not any(block.start <= at < block.end for block in usual) for at in _lines(text, start, kind))


_NEAR = 300
"""Characters after such a line among which an item has its name."""


def _lines(text: str, start: int, kind: DeclarationKind) -> Iterator[int]:
    """Where the lines begin with which a list of the kind may begin."""
    for stem in kind.stems:
        at = text.find(stem, start)
        while at >= 0:
            line = text.rfind("\n", start, at) + 1 or start
            if text.find("name", at, at + _NEAR) >= 0 and kind.line().match(text, line):
                yield line
            end = text.find("\n", at)
            at = text.find(stem, end) if end >= 0 else -1


def _has_form(text: str, block: Block, kind: DeclarationKind) -> bool:
    """Whether a block has a list of the kind, with a name in each item; if it is broken, whether it seems so."""
    if block.problem is not None:
        body = text[block.start : block.end]
        return "name:" in body and any(True for _ in _lines(body, 0, kind))
    if not isinstance(block.value, Mapping):
        return False
    entries = block.value.entries
    if kind is DEPENDENCIES and len(entries) > 1:
        # Package files of other tools have such a list, too, and other keys beside it.
        return False
    return any(_is_named_list(value) for key, value in entries if kind.line().match(f"{key.value}:"))


def _is_named_list(node: Node) -> bool:
    items = node.items if isinstance(node, Sequence) else ()
    return bool(items) and all(isinstance(i, Mapping) and isinstance(i.get("name"), Scalar) for i in items)


def _placed(text: str, markdown: Markdown, block: Block, kind: DeclarationKind) -> OtherDeclaration:
    fence = next(fence for fence in markdown.fences if fence.body_start == block.start)
    above = [heading for heading in markdown.headings if heading.start < fence.start]
    label, start, end = _label(text, above[-1].end if above else markdown.start, fence.start)
    if label and _means(label, kind):
        return OtherDeclaration(block, label, start, end, True)
    found = _holder(above, kind)
    if found is None and above:
        return OtherDeclaration(block, above[-1].words, above[-1].start, above[-1].end, False)
    if found is None:
        return OtherDeclaration(block, "", block.start, block.start, False)
    return OtherDeclaration(block, found.words, found.start, found.end, True)


def _holder(above: list[Heading], kind: DeclarationKind) -> Heading | None:
    """The heading with the meaning of the kind: the nearest, or one over headings such as `Required`."""
    level = 7
    for heading in reversed(above):
        if heading.level < level:
            level = heading.level
            if _means(heading.words, kind):
                return heading
            if not QUALIFIERS.issuperset(_words(heading.words)):
                return None
    return None


def _label(text: str, start: int, end: int) -> tuple[str, int, int]:
    """The line right above a fence, blank lines apart, and its place: bold or with a colon it is a heading, too."""
    above = text[start:end].rstrip()
    start += above.rfind("\n") + 1
    line = above[above.rfind("\n") + 1 :]
    plain = line.strip(" \t>-*_`:#")
    is_label = line.rstrip().endswith((":", "**", "__", ":`"))
    return (plain, start, start + len(line)) if is_label and plain else ("", start, start)


def _means(heading: str, kind: DeclarationKind) -> bool:
    words = _words(heading)
    return not kind.nouns.isdisjoint(words) and (kind.nouns | QUALIFIERS).issuperset(words)


def _words(heading: str) -> list[str]:
    return _WORD().findall(heading.casefold())


def declared_sections(markdown: Markdown, kind: DeclarationKind) -> Iterator[Section]:
    """The sections whose heading is the standard's, or one of its meaning, in order."""
    return markdown.sections(lambda heading: _means(heading.words, kind))


def is_shown(heading: str) -> bool:
    """Whether a heading says that what is below it shows something, and declares nothing."""
    return _SHOWN().search(heading) is not None
