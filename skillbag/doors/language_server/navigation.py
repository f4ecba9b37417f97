"""Definition, references and highlights of skills, parameters and tags."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from skillbag.doors.language_server.indexes import Indexes
from skillbag.doors.language_server.session import EditorSession
from skillbag.lint.symbols.values import Role

_KINDS = {
    Role.DEFINITION: types.DocumentHighlightKind.Write,
    Role.REFERENCE: types.DocumentHighlightKind.Read,
    Role.MENTION: types.DocumentHighlightKind.Text,
}


def register(server: LanguageServer, session: EditorSession, indexes: Indexes) -> None:
    """Add the features."""

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> list[types.Location] | None:
        found = await indexes.at(params.text_document, params.position)
        if found is None:
            return None
        return indexes.locations(found.index, found.index.definitions(found.occurrence.symbol))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location] | None:
        found = await indexes.at(params.text_document, params.position)
        if found is None:
            return None
        symbol, index = found.occurrence.symbol, found.index
        whole = params.context.include_declaration
        return indexes.locations(index, index.occurrences(symbol) if whole else index.references(symbol))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        found = await indexes.at(params.text_document, params.position)
        if found is None:
            return None
        names = found.index.names(found.occurrence.symbol)
        return [
            types.DocumentHighlight(indexes.range(found.index, each), _KINDS[each.role])
            for each in found.index.in_file(found.occurrence.path)
            if each.symbol in names
        ]
