"""Rename of skills, parameters and tags: one edit of the workspace with all places, and the folder's new name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from itertools import groupby

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from skillbag.doors.language_server.edits import assembled
from skillbag.doors.language_server.indexes import Indexes
from skillbag.doors.language_server.session import EditorSession
from skillbag.lint.symbols.plan import Move, NameEdit, RenameRefusedError
from skillbag.lint.symbols.rename import check_renamable, plan_rename
from skillbag.report.sanitize import shown

_NO_MOVES = (
    "this editor can't rename folders for a language server (resource operation `rename`), and a skill's folder has "
    "its name; nothing was changed. Save, then run in a terminal: skillbag rename {old} {new}"
)


class RenameRequestError(JsonRpcException):
    """A rename that is refused; the message is for the user."""

    CODE = int(types.LSPErrorCodes.RequestFailed)


def register(server: LanguageServer, session: EditorSession, indexes: Indexes) -> None:
    """Add the features."""

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        found = await indexes.at(params.text_document, params.position)
        if found is None:
            return None
        symbol = found.occurrence.symbol
        with session.reading(), _as_answer():
            check_renamable(found.index, symbol)
        return types.PrepareRenamePlaceholder(indexes.range(found.index, found.occurrence), symbol.name)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        found = await indexes.at(params.text_document, params.position)
        if found is None:
            return None
        with session.reading(), _as_answer():
            plan = plan_rename(found.index, found.occurrence.symbol, params.new_name.strip())
        edit = assembled(
            session, dict(_text_edits(session, plan.edits)), (), [_move(session, one) for one in plan.moves]
        )
        if edit is None:
            raise RenameRequestError(_NO_MOVES.format(old=found.occurrence.symbol.name, new=params.new_name.strip()))
        # What the client writes to files that are not open is seen on the disk only.
        indexes.changed()
        return edit


@contextlib.contextmanager
def _as_answer() -> Iterator[None]:
    """Within the block, a refusal becomes the answer to the client."""
    try:
        yield
    except RenameRefusedError as error:
        raise RenameRequestError(shown(str(error))) from error


def _text_edits(session: EditorSession, edits: Iterable[NameEdit]) -> Iterator[tuple[str, list[types.TextEdit]]]:
    """The edits of each file, by its URI."""
    ordered = sorted(edits, key=lambda edit: (edit.path, edit.start, edit.end))
    for path, group in groupby(ordered, key=lambda edit: edit.path):
        if text := session.text(path):
            texts = [types.TextEdit(text.range(edit.start, edit.end), edit.text) for edit in group]
            yield session.uri(path), texts


def _move(session: EditorSession, move: Move) -> types.RenameFile:
    options = types.RenameFileOptions(overwrite=False, ignore_if_exists=False)
    return types.RenameFile(session.uri(move.old), session.uri(move.new), options=options)
