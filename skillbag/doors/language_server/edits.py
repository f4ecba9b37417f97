"""The safe edits of findings, and other texts, as edits of the client's workspace."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from lsprotocol import types

from skillbag.doors.language_server.session import EditorSession
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import Edit, Rename, TextEdit, WriteFile

Change = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile
_CREATE, _RENAME = types.ResourceOperationKind.Create, types.ResourceOperationKind.Rename


def workspace_edit(session: EditorSession, edits: Iterable[Edit]) -> types.WorkspaceEdit | None:
    """The edits, computed against what is open; None where the client can't make one of them."""
    texts: dict[str, list[types.TextEdit]] = {}
    before: list[Change] = []
    after: list[Change] = []
    for edit in edits:
        uri = session.uri(edit.path)
        if isinstance(edit, TextEdit):
            new = _part(session, edit)
        elif isinstance(edit, WriteFile):
            new = _whole(session, edit)
            if not _exists(session, edit.path):
                before.append(types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True)))
        elif isinstance(edit, Rename):
            target = session.uri(os.path.join(os.path.dirname(edit.path), edit.name))
            after.append(types.RenameFile(uri, target, options=types.RenameFileOptions(overwrite=False)))
            continue
        else:
            new = None
        if new is None:
            return None
        texts.setdefault(uri, []).append(new)
    return assembled(session, texts, before, after)


def _part(session: EditorSession, edit: TextEdit) -> types.TextEdit | None:
    text = session.text(edit.path)
    if text is None:
        return None
    return types.TextEdit(text.range(edit.start + text.mark, edit.end + text.mark), edit.text)


def _whole(session: EditorSession, edit: WriteFile) -> types.TextEdit | None:
    if not _exists(session, edit.path):
        return types.TextEdit(types.Range(types.Position(0, 0), types.Position(0, 0)), edit.text)
    text = session.text(edit.path)
    return None if text is None else types.TextEdit(text.range(text.mark, len(text.text)), edit.text)


def _exists(session: EditorSession, path: str) -> bool:
    with session.reading():
        return tracked.exists(path)


def _moves_no_folders(client: types.ClientInfo | None) -> bool:
    """Whether the client says that it renames, and fails for folders: Neovim before 0.10."""
    found = re.match(r"(\d+)\.(\d+)", (client and client.version) or "")
    return bool(client and client.name == "Neovim" and found and (int(found[1]), int(found[2])) < (0, 10))


def assembled(
    session: EditorSession,
    texts: Mapping[str, Sequence[types.TextEdit]],
    before: Sequence[Change],
    after: Sequence[Change],
) -> types.WorkspaceEdit | None:
    """Edits of texts by URI, between creations and moves of files; None where the client can't make one of these."""
    workspace = session.client.workspace
    support = (workspace and workspace.workspace_edit) or types.WorkspaceEditClientCapabilities()
    operations = support.resource_operations or ()
    if (before and _CREATE not in operations) or (after and _RENAME not in operations):
        return None
    if after and _moves_no_folders(session.client_info):
        return None
    # Operations are sent among document changes only, so a client that names them takes these: Neovim does not say so.
    if not (support.document_changes or before or after):
        return types.WorkspaceEdit(changes={uri: [*edits] for uri, edits in texts.items()})
    changes: list[Change] = [*before]
    for uri, edits in texts.items():
        document = session.documents.get(uri)
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri, document.version if document else None)
        changes.append(types.TextDocumentEdit(identifier, [*edits]))
    return types.WorkspaceEdit(document_changes=[*changes, *after])
