"""The folders of a client: what changes in them on the disk, and folders within folders."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from tests.doors.language_server.editor import PATIENCE, running, write

SKILL = "---\nname: tidy\ndescription: Tidies up. Use it when files lie around.\n---\n\n# Tidy\n\nTidy up.\n"
WATCHES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    )
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The only skill, whose name is not that of its folder."""
    write(tmp_path, [("bag/skills/tidy/SKILL.md", SKILL.replace("name: tidy", "name: neat"))])
    return tmp_path / "bag/skills/tidy/SKILL.md"


@pytest.mark.asyncio
async def test_a_client_that_watches_files_is_asked_to(path: Path) -> None:
    requested: list[types.Registration] = []
    registered = asyncio.Event()

    def register(params: types.RegistrationParams) -> None:
        requested.extend(params.registrations)
        registered.set()

    answers = {types.CLIENT_REGISTER_CAPABILITY: register}
    async with running(path.parents[2], client=WATCHES, answers=answers) as editor:
        await asyncio.wait_for(registered.wait(), PATIENCE)
        (registration,) = requested
        assert registration.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        assert "**/*" in repr(registration.register_options)
        assert await editor.rules(path) == ["name-folder-mismatch"]
        path.write_text(SKILL, "utf-8")
        event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        assert await editor.rules(path) == []


@pytest.mark.asyncio
async def test_a_client_that_refuses_to_watch_is_served_as_well(path: Path) -> None:
    def refuse(_: types.RegistrationParams) -> None:
        raise RuntimeError("no")

    async with running(path.parents[2], client=WATCHES, answers={types.CLIENT_REGISTER_CAPABILITY: refuse}) as editor:
        assert await editor.rules(path) == ["name-folder-mismatch"]


@pytest.mark.asyncio
async def test_a_folder_within_a_folder_shows_each_finding_once(path: Path) -> None:
    outer, inner = path.parents[3], path.parents[2]
    async with running(outer, inner, inner) as editor:
        assert await editor.rules(path) == ["name-folder-mismatch"]
        gone = types.WorkspaceFoldersChangeEvent([], [types.WorkspaceFolder(outer.as_uri(), "outer")])
        editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(gone))
        assert await editor.rules(path) == ["name-folder-mismatch"]
        gone = types.WorkspaceFoldersChangeEvent([], [types.WorkspaceFolder(inner.as_uri(), "inner")])
        editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(gone))
        assert await editor.rules(path) == []
