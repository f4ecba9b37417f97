"""The outline of a document, and the search for symbols in all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from skillbag.doors.language_server.indexes import Indexes
from skillbag.doors.language_server.positions import EditorText
from skillbag.doors.language_server.session import EditorSession
from skillbag.kernel.documents.catalog import parse_catalog
from skillbag.kernel.documents.frontmatter import FrontMatter, front_matter
from skillbag.kernel.documents.markdown import scan
from skillbag.kernel.documents.nodes import Mapping, Scalar, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, decode
from skillbag.kernel.standard.blocks import items_of
from skillbag.kernel.standard.parameters import LISTS
from skillbag.kernel.workspace.target import CATALOG
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.values import SymbolKind

_MAX = 500
"""Symbols that a search gives."""

_KINDS = {
    SymbolKind.SKILL: types.SymbolKind.Class,
    SymbolKind.PARAMETER: types.SymbolKind.Property,
    SymbolKind.TAG: types.SymbolKind.Event,
}


def register(server: LanguageServer, session: EditorSession, indexes: Indexes) -> None:
    """Add the features."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        path = session.path(params.text_document.uri)
        text = session.text(path) if path else None
        return list(outline_of(text, os.path.basename(path))) if text and path else []

    @server.feature(types.WORKSPACE_SYMBOL)
    async def search(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        found: list[types.SymbolInformation] = []
        for index in await indexes.current():
            found += _found(index, indexes, params.query.lower(), _MAX - len(found))
        return found


# An editor asks after every key, and several times for one state.
@lru_cache(maxsize=32)
def outline_of(text: EditorText, name: str) -> tuple[types.DocumentSymbol, ...]:
    """The outline of a document by its file's name."""
    if name == CATALOG:
        return tuple(_catalog(text))
    if name.endswith((".yaml", ".yml")):
        node = parse_yaml(text.text)
        return () if node is None or isinstance(node, YamlError) else tuple(_keys(text, node))
    return tuple(_markdown(text)) if name.endswith(".md") else ()


def _symbol(
    text: EditorText,
    name: str,
    kind: types.SymbolKind,
    whole: tuple[int, int],
    place: tuple[int, int],
    detail: str = "",
) -> types.DocumentSymbol:
    # A client refuses an empty name.
    name = " ".join(name.split()) or "-"
    return types.DocumentSymbol(name, kind, text.range(*whole), text.range(*place), detail=detail[:80], children=[])


def _catalog(text: EditorText) -> Iterator[types.DocumentSymbol]:
    for line in parse_catalog(_document(text)).lines:
        place = (line.start, line.start + len(line.name))
        yield _symbol(text, line.name, types.SymbolKind.Class, (line.start, line.end), place, line.description)


def _document(text: EditorText) -> Document:
    document = decode("", text.text.encode("utf-8", "replace"))
    return Document("", b"", "") if isinstance(document, DocumentProblem) else document


def _keys(text: EditorText, node: object) -> Iterator[types.DocumentSymbol]:
    for key, value in node.entries if isinstance(node, Mapping) else ():
        detail = value.value if isinstance(value, Scalar) else ""
        whole = (key.start, max(value.end, key.end))
        yield _symbol(text, key.value, types.SymbolKind.Key, whole, (key.start, key.end), " ".join(detail.split()))


def _markdown(text: EditorText) -> Iterator[types.DocumentSymbol]:
    """The keys of the front matter, then the headings within each other, with the parameters below theirs."""
    matter = front_matter(_document(text))
    body = matter.body if isinstance(matter, FrontMatter) else 0
    if isinstance(matter, FrontMatter):
        yield from _keys(text, matter.mapping)
    markdown = scan(text.text, body)
    open_headings: list[tuple[int, types.DocumentSymbol]] = []
    top: list[types.DocumentSymbol] = []
    for number, heading in enumerate(markdown.headings):
        following = markdown.headings[number + 1 :]
        end = next((other.start for other in following if other.level <= heading.level), len(text.text))
        place = (heading.start, text.line_end(heading.start))
        symbol = _symbol(text, heading.words, types.SymbolKind.String, (heading.start, max(end, place[1])), place)
        while open_headings and open_headings[-1][0] >= heading.level:
            open_headings.pop()
        siblings = open_headings[-1][1].children if open_headings else top
        _append(siblings, symbol)
        open_headings.append((heading.level, symbol))
        next_start = following[0].start if following else len(text.text)
        for fence in markdown.fences:
            if heading.start <= fence.start < next_start and heading.words.strip().lower() == "parameters":
                _add_parameters(text, symbol, fence.body_start, fence.body_end)
    yield from top


def _append(siblings: object, symbol: types.DocumentSymbol) -> None:
    if isinstance(siblings, list):
        siblings.append(symbol)


def _add_parameters(text: EditorText, heading: types.DocumentSymbol, start: int, end: int) -> None:
    node = parse_yaml(text.text[start:end], start)
    for key in LISTS:
        for item in items_of(node.get(key)) if isinstance(node, Mapping) else ():
            name = item.get("name") if isinstance(item, Mapping) else None
            if isinstance(name, Scalar):
                place = (name.start, name.end)
                kind = types.SymbolKind.Property
                _append(heading.children, _symbol(text, name.value, kind, (item.start, item.end), place, key))


def _found(index: SymbolIndex, indexes: Indexes, query: str, most: int) -> list[types.SymbolInformation]:
    """Symbols of a target whose names have the letters of a query in order."""
    found: list[types.SymbolInformation] = []
    for kind in SymbolKind:
        for symbol in sorted(index.symbols(kind)):
            if len(found) >= max(most, 0):
                return found
            if has_letters(symbol.name.lower(), query):
                places = index.definitions(symbol) or index.references(symbol)[:1]
                for location in indexes.locations(index, places):
                    found.append(
                        types.SymbolInformation(location, symbol.name, _KINDS[kind], container_name=symbol.skill)
                    )
    return found


def has_letters(name: str, wanted: str) -> bool:
    """Whether a name has the wanted letters in their order."""
    letters: Iterable[str] = iter(name)
    return all(letter in letters for letter in wanted if not letter.isspace())
