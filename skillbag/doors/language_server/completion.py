"""Completion: which words may be written at the cursor, in a document that need not be valid."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from skillbag.doors.language_server.choices import CompletionChoice
from skillbag.doors.language_server.completion_text import CompletionOffer, offer_in_text
from skillbag.doors.language_server.completion_yaml import (
    CONTEXT,
    DEPENDENCIES,
    FRONT_MATTER,
    MANIFEST,
    PARAMETERS,
    Asking,
    offered,
    skill_choices,
    tag_choices,
)
from skillbag.doors.language_server.indexes import Indexes
from skillbag.doors.language_server.outline import has_letters
from skillbag.doors.language_server.positions import EditorText
from skillbag.doors.language_server.session import EditorSession
from skillbag.doors.language_server.yaml_place import YamlPlace, place_in
from skillbag.kernel.documents.frontmatter import bounds
from skillbag.kernel.workspace.target import CATALOG, ENTRYPOINT, MANIFEST_FILE, SKILL_FILE, USER_CONTEXT
from skillbag.kernel.workspace.target import CONTEXT as CONTEXT_FILE
from skillbag.lint.symbols.index import SymbolIndex

_MAX = 300
_TRIGGERS = ("`", "(", "#", "/", "[", ":", "-", ",", " ")
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*([\w-]*)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*\r?$", re.MULTILINE)
_BLOCKS = {"parameters": PARAMETERS, "dependencies": DEPENDENCIES}
_MARK = re.compile(r"\$(?:\d|\{\d:([^}]*)\})")
_NOWHERE = YamlPlace((), False, "")


def register(server: LanguageServer, session: EditorSession, indexes: Indexes) -> None:
    """Add the feature."""

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=_TRIGGERS))
    async def complete(params: types.CompletionParams) -> types.CompletionList:
        path = session.path(params.text_document.uri)
        index = await indexes.of(path) if path else None
        text = session.text(path) if path else None
        if path is None or text is None or index is None:
            return types.CompletionList(False, [])
        offset = text.offset(params.position)
        offer = offer_at(session, index, path, text, offset)
        if offer is None:
            return types.CompletionList(False, [])
        found = [*{choice.label: choice for choice in offer.choices}.values()]
        whole = len(found) <= _MAX
        if not whole:
            # To send thousands takes a tenth of a second. The client asks again for a longer word.
            found = [each for each in found if has_letters(each.label.lower(), offer.prefix.lower())][:_MAX]
        return types.CompletionList(not whole, [*_items(session, text, offset, offer.prefix, found)])


def offer_at(
    session: EditorSession, index: SymbolIndex, path: str, text: EditorText, offset: int
) -> CompletionOffer | None:
    """What is offered at an offset of a document."""
    name, source = os.path.basename(path), text.text
    line = source[source.rfind("\n", 0, offset) + 1 : offset]
    if name == MANIFEST_FILE:
        return _in_yaml(index, path, MANIFEST, source[:offset], source[offset:])
    if name == CATALOG:
        return _in_catalog(index, path, source, line)
    if block := _block(name, source, offset):
        kind, start, end = block
        return _in_yaml(index, path, kind, source[start:offset], source[offset:end])
    return offer_in_text(session, Asking(index, path, _NOWHERE), line)


def _block(name: str, source: str, offset: int) -> tuple[str, int, int] | None:
    """The kind of the YAML around an offset, and its bounds; None in other text."""
    front = bounds(source) if name == SKILL_FILE else None
    if front and front.start <= offset and (offset < front.end or not front.is_closed):
        return FRONT_MATTER, front.start, front.end - front.is_closed
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(source, 0, offset):
        opened = None if opened and fence[1][0] == opened[1][0] and not fence[2] else opened or fence
    if opened is None or opened[2].lower() not in ("yaml", "yml"):
        return None
    start = source.find("\n", opened.end()) + 1
    if not 0 < start <= offset:
        return None
    end = offset + len(source[offset:].partition("\n```")[0])
    if name in (CONTEXT_FILE, USER_CONTEXT, ENTRYPOINT):
        return CONTEXT, start, end
    headings = [*_HEADING.finditer(source, 0, opened.start())]
    kind = _BLOCKS.get(headings[-1][1].lower()) if headings and name == SKILL_FILE else None
    return (kind, start, end) if kind else None


def _in_yaml(index: SymbolIndex, path: str, kind: str, before: str, after: str) -> CompletionOffer:
    place = place_in(before, after)
    # A value may be a list of words, of which the last one is written.
    prefix = re.split(r"[\s,]", place.prefix)[-1]
    return CompletionOffer(prefix, offered(kind, Asking(index, path, place, before + after)))


def _in_catalog(index: SymbolIndex, path: str, source: str, line: str) -> CompletionOffer | None:
    asking = Asking(index, path, _NOWHERE)
    if ":" not in line:
        listed = set(re.findall(r"^([\w-]+):", source, re.MULTILINE))
        found = (each for each in skill_choices(asking) if each.label not in listed)
        return CompletionOffer(line, (each._replace(insert=f"{each.label}: {each.documentation}") for each in found))
    match = re.search(r"(?:^|\s)(#\S*)\Z", line)
    return CompletionOffer(match[1], tag_choices(asking)) if match else None


def _items(
    session: EditorSession, text: EditorText, offset: int, prefix: str, found: Iterable[CompletionChoice]
) -> Iterator[types.CompletionItem]:
    where = text.range(offset - len(prefix), offset)
    snippets = _has_snippets(session.client)
    return (_item(choice, where, snippets) for choice in found)


def _has_snippets(client: types.ClientCapabilities) -> bool:
    completion = client.text_document and client.text_document.completion
    item = completion.completion_item if completion else None
    return bool(item and item.snippet_support)


def _item(choice: CompletionChoice, where: types.Range, snippets: bool) -> types.CompletionItem:
    is_snippet = snippets and bool(choice.snippet)
    plain = choice.insert or _MARK.sub(lambda match: match[1] or "", choice.snippet) or choice.label
    written = choice.snippet if is_snippet else plain
    form = types.InsertTextFormat.Snippet if is_snippet else types.InsertTextFormat.PlainText
    documentation = types.MarkupContent(types.MarkupKind.PlainText, choice.documentation)
    return types.CompletionItem(
        choice.label,
        kind=choice.kind,
        detail=choice.detail or None,
        documentation=documentation if choice.documentation else None,
        sort_text=f"{choice.rank:02}{choice.label}",
        filter_text=choice.label,
        insert_text_format=form,
        text_edit=types.TextEdit(where, written),
    )
