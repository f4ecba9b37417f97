"""What an editor offers about skills, parameters and tags: all features that need an index of them."""

from __future__ import annotations

from pygls.lsp.server import LanguageServer

from skillbag.doors.language_server import completion, lenses, navigation, outline, renaming
from skillbag.doors.language_server.indexes import Indexes
from skillbag.doors.language_server.session import EditorSession


def register(server: LanguageServer, session: EditorSession) -> None:
    """Add the features."""
    indexes = Indexes(session)
    for feature in (navigation, outline, lenses, renaming, completion):
        feature.register(server, session, indexes)
