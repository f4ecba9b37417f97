"""Diagnostics while an author types: those of `skillbag check`, had they saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.doors.language_server.editor import edit, running, span, write

SKILL = "---\nname: tidy\ndescription: Tidies up. Use it when files lie around.\n---\n\n# Tidy\n\nTidy up.\n"


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """A folder of plain skills."""
    return write(tmp_path, [("skills/tidy/SKILL.md", SKILL)])


@pytest.mark.asyncio
async def test_a_change_is_checked_before_it_is_saved(skills: Path) -> None:
    path = skills / "skills" / "tidy" / "SKILL.md"
    async with running(skills) as editor:
        editor.open(path)
        assert await editor.rules(path) == []
        editor.change(path, edit(1, 6, 10, "neat"))
        (found,) = await editor.diagnostics(path)
        assert (found.code, found.range, found.source) == ("name-folder-mismatch", span(1, 6, 10), "skillbag")
        assert found.severity is types.DiagnosticSeverity.Error
        assert found.code_description
        assert found.code_description.href.endswith("name-folder-mismatch.md")
        editor.change(path, edit(1, 6, 10, "tidy"))
        assert await editor.rules(path) == []


@pytest.mark.asyncio
async def test_what_was_closed_without_saving_counts_no_more(skills: Path) -> None:
    path = skills / "skills" / "tidy" / "SKILL.md"
    async with running(skills) as editor:
        editor.open(path, SKILL.replace("tidy", "neat"))
        assert await editor.rules(path) == ["name-folder-mismatch"]
        editor.close(path)
        assert await editor.rules(path) == []


@pytest.mark.asyncio
async def test_files_that_are_not_open_have_diagnostics(skills: Path) -> None:
    path = skills / "skills" / "tidy" / "SKILL.md"
    path.write_text(SKILL.replace("tidy", "neat"), "utf-8")
    async with running(skills) as editor:
        assert await editor.rules(path) == ["name-folder-mismatch"]
        path.write_text(SKILL, "utf-8")
        editor.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams([types.FileEvent(path.as_uri(), types.FileChangeType.Changed)])
        )
        assert await editor.rules(path) == []
