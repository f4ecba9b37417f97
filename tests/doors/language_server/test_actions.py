"""Code actions: fixes against what is open, suppressions, and the hover that explains a finding."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.doors.language_server.editor import Editor, identity, running, span, write

SKILL = "---\nname: tidy\ndescription: Tidies up. Use it when files lie around.\n---\n\n# Tidy\n\nTidy up.\n"
CLIENT = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(
            document_changes=True,
            resource_operations=[types.ResourceOperationKind.Create, types.ResourceOperationKind.Rename],
        )
    )
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The only skill."""
    write(tmp_path, [("skills/tidy/SKILL.md", SKILL)])
    return tmp_path / "skills" / "tidy" / "SKILL.md"


async def actions_at(editor: Editor, path: Path, line: int, only: str | None = None) -> list[types.CodeAction]:
    """The code actions of a line."""
    context = types.CodeActionContext([], [only] if only else None)
    found = await editor.client.text_document_code_action_async(
        types.CodeActionParams(identity(path), span(line, 0, 200), context)
    )
    return [each for each in found or () if isinstance(each, types.CodeAction)]


def applied(text: str, action: types.CodeAction) -> str:
    """An ASCII text after an action that changes nothing else."""
    assert action.edit
    (change,) = action.edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    for edit in sorted(change.edits, key=lambda edit: edit.range.start, reverse=True):
        assert isinstance(edit, types.TextEdit)
        start, end = (starts[place.line] + place.character for place in (edit.range.start, edit.range.end))
        text = text[:start] + edit.new_text + text[end:]
    return text


@pytest.mark.asyncio
async def test_a_fix_is_of_what_is_open(path: Path) -> None:
    text = SKILL.replace("---\n\n", "metadata:\n  version: 1.0\n  serial: 3\n---\n\n")
    async with running(path.parents[2], client=CLIENT) as editor:
        editor.open(path)
        version = editor.change(path, text)
        fix = (await actions_at(editor, path, 4))[0]
        assert fix.is_preferred
        assert fix.edit
        assert fix.edit.document_changes
        change = fix.edit.document_changes[0]
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == version
        assert applied(text, fix) == text.replace("1.0", '"1.0"')
        assert [await actions_at(editor, path, line, "quickfix") for line in (1, 8)] == [[], []]
        (everything,) = await actions_at(editor, path, 5, "source.fixAll")
        assert applied(text, everything) == text.replace("1.0", '"1.0"').replace(" 3", ' "3"')


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        (SKILL.replace("name: tidy", "name: neat"), 1, "name-folder-mismatch"),
        (SKILL + "\nRead [it](references/gone.md).\n", 9, "link-broken"),
        (SKILL.replace("\n", "\r\n") + "\r\nRead [it](references/gone.md).\r\n", 9, "link-broken"),
    ],
)
async def test_a_suppression_silences_its_finding(path: Path, text: str, line: int, rule: str) -> None:
    async with running(path.parents[2], client=CLIENT) as editor:
        editor.open(path, text)
        assert await editor.rules(path) == [rule]
        found = await actions_at(editor, path, line)
        (suppress,) = [each for each in found if each.title.startswith("Suppress")]
        editor.change(path, applied(text, suppress))
        assert await editor.rules(path) == []


@pytest.mark.asyncio
async def test_hover_explains_a_finding_and_a_key(path: Path) -> None:
    async with running(path.parents[2]) as editor:
        editor.open(path, SKILL.replace("name: tidy", "name: neat"))
        await editor.checked()
        place = types.HoverParams(identity(path), types.Position(1, 7))
        found = await editor.client.text_document_hover_async(place)
        assert found
        assert isinstance(found.contents, types.MarkupContent)
        assert found.range == span(1, 6, 10)
        for part in ("**name-folder-mismatch** (error", "**Why**", "name-folder-mismatch.md)"):
            assert part in found.contents.value
        (why,) = [part for part in found.contents.value.split("\n\n") if part.startswith("**Why**")]
        assert "\n" not in why
        place = types.HoverParams(identity(path), types.Position(2, 3))
        found = await editor.client.text_document_hover_async(place)
        assert found
        assert isinstance(found.contents, types.MarkupContent)
        assert "**description**" in found.contents.value
        assert "when to use it" in found.contents.value
