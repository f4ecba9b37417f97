"""How diagnostics reach an editor: published, or asked for, and never both, which most editors would show twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import client_capabilities

from tests.doors.language_server.editor import PATIENCE, Editor, identity, running, write

SKILL = "---\nname: {name}\ndescription: Tidies up. Use it when files lie around.\n---\n\n# Tidy\n\nTidy up.\n"
ASKING = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()),
    workspace=types.WorkspaceClientCapabilities(
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    ),
)
"""A client that can do nothing but ask."""


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """A workspace of two skills, whose catalog has one of them."""
    return write(
        tmp_path,
        [
            ("SKILLBAG.md", "# Workspace\n"),
            (".skills/SKILLS.md", "tidy: Tidies up. Use it when files lie around.\n"),
            (".skills/tidy/SKILL.md", SKILL.format(name="tidy")),
        ],
    )


async def requested(editor: Editor, path: Path) -> list[str]:
    """The rules of what the server answers about a document."""
    report = await editor.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(identity(path)))
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [str(each.code) for each in report.items]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "client",
    [
        *(pytest.param(client_capabilities(name), id=name) for name in ("neovim@0.11", "visual_studio_code@1.65.2")),
        pytest.param(types.ClientCapabilities(), id="nothing declared"),
    ],
)
async def test_who_takes_published_diagnostics_is_not_offered_to_ask(
    skills: Path, client: types.ClientCapabilities
) -> None:
    path = skills / ".skills/tidy/SKILL.md"
    async with running(skills, client=client) as editor:
        assert editor.offered.diagnostic_provider is None
        editor.open(path, SKILL.format(name="neat"))
        assert "name-folder-mismatch" in await editor.rules(path)
        # A finding of another file, which is not open, changes with this one.
        assert await editor.rules(skills / ".skills/SKILLS.md") != []
        editor.change(path, SKILL.format(name="tidy"))
        assert await editor.rules(path) == []
        assert await editor.rules(skills / ".skills/SKILLS.md") == []


@pytest.mark.asyncio
async def test_who_can_only_ask_is_answered_and_told_when_to_ask_again(skills: Path) -> None:
    path, catalog = skills / ".skills/tidy/SKILL.md", skills / ".skills/SKILLS.md"
    async with running(skills, client=ASKING) as editor:
        assert editor.offered.diagnostic_provider
        editor.open(catalog)
        editor.open(path)
        assert await requested(editor, catalog) == []
        before = editor.client.diagnostic_refresh_count
        editor.change(path, SKILL.format(name="neat"))
        async with asyncio.timeout(PATIENCE):
            while editor.client.diagnostic_refresh_count == before:
                await asyncio.sleep(0.01)
        assert "name-folder-mismatch" in await requested(editor, path)
        assert await requested(editor, catalog) != []
        editor.close(catalog)
        everything = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
        assert {each.uri for each in everything.items} >= {path.as_uri(), catalog.as_uri()}
        assert not editor.client.diagnostics
