"""Code lenses: above a skill's name, how much uses it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from skillbag.doors.language_server.indexes import Indexes
from skillbag.doors.language_server.session import EditorSession
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.target import CATALOG
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.values import Occurrence, Role, SymbolKind

SHOW_REFERENCES = "skillbag.showReferences"
"""The client's command that shows locations: its arguments are a URI, a position and the locations."""

_LISTS = (CATALOG, LOCK)
"""Files that list every skill: to be in them is no use."""


def register(server: LanguageServer, session: EditorSession, indexes: Indexes) -> None:
    """Add the feature."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        path = session.path(params.text_document.uri)
        index = await indexes.of(path) if path else None
        if index is None or path is None:
            return []
        defined = (each for each in index.in_file(path) if each.role is Role.DEFINITION)
        return [_lens(index, indexes, each, params.text_document.uri) for each in defined if _has_lens(each)]


def _has_lens(occurrence: Occurrence) -> bool:
    return occurrence.symbol.kind is SymbolKind.SKILL and occurrence.end > occurrence.start


def _lens(index: SymbolIndex, indexes: Indexes, definition: Occurrence, uri: str) -> types.CodeLens:
    where = indexes.range(index, definition)
    uses = [each for each in index.references(definition.symbol) if _is_use(index, definition, each)]
    users = len(set(_users(index, uses)))
    if not users:
        return types.CodeLens(where, types.Command("used by nothing", ""))
    arguments = [uri, where.start, indexes.locations(index, uses)]
    return types.CodeLens(where, types.Command(f"used by {users}", SHOW_REFERENCES, arguments=arguments))


def _is_use(index: SymbolIndex, definition: Occurrence, use: Occurrence) -> bool:
    """Whether a reference comes from elsewhere than the skill itself and the lists of all skills."""
    unit = index.skill_at(use.path)
    if unit is not None:
        return unit is not index.skill_at(definition.path)
    return os.path.basename(use.path) not in _LISTS


def _users(index: SymbolIndex, uses: Iterable[Occurrence]) -> Iterable[str]:
    """The skills, and the files beside them, that have these references."""
    for use in uses:
        unit = index.skill_at(use.path)
        yield unit.folder.path if unit else use.path
