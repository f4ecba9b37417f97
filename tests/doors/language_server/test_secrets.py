"""Secrets stay in their file, and what no text edit can do is not offered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsprotocol import converters, types

from tests.doors.language_server.editor import identity, running, write
from tests.doors.language_server.test_actions import CLIENT, actions_at

SKILL = "---\nname: tidy\ndescription: Tidies up. Use it when files lie around.\n---\n\n# Tidy\n\n"
TOKEN = "ghp_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0FaTe8U"


@pytest.mark.asyncio
async def test_a_secret_is_in_no_diagnostic_explanation_or_title(tmp_path: Path) -> None:
    write(tmp_path, [("skills/tidy/SKILL.md", f"{SKILL}Use the token {TOKEN}.\n\nRead [it](references/{TOKEN}.md).\n")])
    path = tmp_path / "skills/tidy/SKILL.md"
    async with running(tmp_path, client=CLIENT) as editor:
        editor.open(path)
        found = await editor.diagnostics(path)
        assert len(found) >= 2
        shown = [*found, *[action for line in range(5, 10) for action in await actions_at(editor, path, line)]]
        for each in found:
            params = types.HoverParams(identity(path), each.range.start)
            hover = await editor.client.text_document_hover_async(params)
            assert hover
            shown.append(hover)
        convert = converters.get_converter().unstructure
        assert TOKEN not in json.dumps([convert(each) for each in shown])


@pytest.mark.asyncio
async def test_rights_of_a_file_are_no_edit_of_a_text(tmp_path: Path) -> None:
    script = "#!/bin/sh\necho hello\n"
    text = f"{SKILL}Run `scripts/hello.sh`.\n"
    write(tmp_path, [("skills/tidy/SKILL.md", text), ("skills/tidy/scripts/hello.sh", script)])
    path = tmp_path / "skills/tidy/SKILL.md"
    async with running(tmp_path, client=CLIENT) as editor:
        editor.open(path)
        assert await editor.rules(path) == ["script-not-executable"]
        (title,) = [each.title for each in await actions_at(editor, path, 7)]
        assert title.startswith("Suppress")
        place = types.HoverParams(identity(path), types.Position(7, 8))
        hover = await editor.client.text_document_hover_async(place)
        assert hover
        assert isinstance(hover.contents, types.MarkupContent)
        assert "chmod +x" in hover.contents.value
