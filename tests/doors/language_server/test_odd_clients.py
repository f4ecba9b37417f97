"""A client that sends what it should not: the server goes on, and knows its documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.doors.language_server.editor import edit, identity, running, write
from tests.doors.language_server.test_life import HELLO, message, talk
from tests.rows import each_row

SKILL = "---\nname: tidy\ndescription: Tidies up. Use it when files lie around.\n---\n\n# Tidy\n\nTidy up.\n"
ANYWHERE = {"textDocument": {"uri": "file:///nowhere/SKILL.md"}, "position": {"line": 0, "character": 0}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The only skill."""
    write(tmp_path, [("skills/tidy/SKILL.md", SKILL)])
    return tmp_path / "skills/tidy/SKILL.md"


@pytest.mark.asyncio
async def test_messages_out_of_order(path: Path) -> None:
    async with running(path.parents[2]) as editor:
        # A change, a save and an end of what is not open; then the document twice, an old version, and one again.
        editor.versions[path.as_uri()] = 4
        editor.change(path, "no skill")
        editor.save(path)
        editor.close(path)
        assert await editor.rules(path) == []
        editor.open(path)
        editor.open(path, SKILL.replace("name: tidy", "name: neat"))
        assert await editor.rules(path) == ["name-folder-mismatch"]
        editor.versions[path.as_uri()] = -7
        editor.change(path, edit(1, 6, 10, "tidy"))
        assert await editor.rules(path) == []
        editor.close(path)
        editor.versions[path.as_uri()] = 0
        editor.close(path)
        assert await editor.rules(path) == []


@pytest.mark.asyncio
async def test_places_that_do_not_exist(path: Path) -> None:
    async with running(path.parents[2]) as editor:
        editor.open(path)
        editor.change(path, edit(10_000, 5, 2_000_000_000, "more\n"), edit(2, 400, 3, ""), edit(0, 9, 9, ""))
        for line, column in ((0, 2_000_000_000), (2_000_000_000, 0), (7, 5)):
            place = types.Position(line, column)
            await editor.client.text_document_hover_async(types.HoverParams(identity(path), place))
            await editor.client.text_document_definition_async(types.DefinitionParams(identity(path), place))
            await editor.client.text_document_completion_async(types.CompletionParams(identity(path), place))
        editor.change(path, SKILL)
        assert await editor.rules(path) == []


def test_a_request_before_the_greeting_is_refused() -> None:
    early = message({"id": 5, "method": "textDocument/hover", "params": ANYWHERE})
    done = talk(early, message(HELLO), message({"id": 2, "method": "shutdown"}), message({"method": "exit"}))
    assert (done.returncode, done.stderr) == (0, "")
    assert '"id": 2' in done.stdout or '"id":2' in done.stdout


@each_row("length", [b"99999999999", b"67108865", b"-1", b"0"])
def test_a_message_of_a_hostile_length_ends_the_server(length: bytes) -> None:
    done = talk(message(HELLO), b"Content-Length: " + length + b"\r\n\r\n{}")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.asyncio
async def test_a_document_of_some_megabytes_is_opened_and_left(path: Path) -> None:
    async with running(path.parents[2]) as editor:
        editor.open(path, SKILL + "word " * 1_000_000)
        found = await editor.rules(path)
        assert found
        editor.change(path, SKILL)
        assert await editor.rules(path) == []
