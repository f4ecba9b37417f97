"""Definition, references, highlights, outlines, lenses and renames, as an editor asks for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from skillbag.doors.language_server.positions import EditorText
from tests.doors.language_server.editor import Editor, edit, identity, running, span
from tests.lint.symbols.worlds import found, words_workspace

RENAMES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(
            document_changes=True, resource_operations=[types.ResourceOperationKind.Rename]
        )
    )
)


@pytest.fixture
def words(tmp_path: Path) -> Path:
    return words_workspace(tmp_path)


@pytest_asyncio.fixture
async def editor(words: Path) -> AsyncIterator[Editor]:
    async with running(words, client=RENAMES) as editor:
        yield editor


def draft(words: Path) -> Path:
    return words / ".skills/draft-text/SKILL.md"


def catalog(words: Path) -> Path:
    return words / ".skills/SKILLS.md"


async def definition(editor: Editor, path: Path, line: int, column: int) -> list[types.Location]:
    params = types.DefinitionParams(identity(path), types.Position(line, column))
    answer = await editor.client.text_document_definition_async(params)
    return [each for each in answer or () if isinstance(each, types.Location)] if isinstance(answer, list) else []


async def references(editor: Editor, path: Path, line: int, column: int, whole: bool) -> list[types.Location]:
    position, context = types.Position(line, column), types.ReferenceContext(include_declaration=whole)
    return [
        *(
            await editor.client.text_document_references_async(types.ReferenceParams(context, identity(path), position))
            or ()
        )
    ]


@pytest.mark.asyncio
async def test_definition_and_references_of_a_skill(editor: Editor, words: Path) -> None:
    (place,) = await definition(editor, catalog(words), 2, 3)
    assert (place.uri, place.range) == ((words / ".skills/tidy-words/SKILL.md").as_uri(), span(1, 6, 16))
    uses = await references(editor, catalog(words), 2, 3, False)
    assert len(uses) == 8
    assert len(await references(editor, catalog(words), 2, 3, True)) == 9
    assert await definition(editor, catalog(words), 2, 15) == []


@pytest.mark.asyncio
async def test_places_are_those_of_the_unsaved_text_in_the_clients_units(editor: Editor, words: Path) -> None:
    path = words / ".skills/publish-page/SKILL.md"
    editor.open(path)
    line = len(path.read_text("utf-8").splitlines())
    editor.change(path, edit(line, 0, 0, "😀é Then `tidy-words`.\n"))
    (place,) = await definition(editor, path, line, 12)
    assert place.uri.endswith("/tidy-words/SKILL.md")
    uses = [use for use in await references(editor, catalog(words), 2, 3, False) if use.uri == path.as_uri()]
    assert [use.range for use in uses] == [span(line, 10, 20)]
    editor.close(path)
    assert all(use.uri != path.as_uri() for use in await references(editor, catalog(words), 2, 3, False))


@pytest.mark.asyncio
async def test_highlights_are_those_of_one_document(editor: Editor, words: Path) -> None:
    editor.open(draft(words))
    params = types.DocumentHighlightParams(identity(draft(words)), types.Position(13, 12))
    marks = await editor.client.text_document_document_highlight_async(params)
    assert [mark.range for mark in marks or ()] == [span(13, 10, 15), span(17, 18, 23), span(20, 13, 18)]
    assert [mark.kind for mark in marks or ()] == [3, 2, 1]


@pytest.mark.asyncio
async def test_the_outline_has_keys_headings_and_parameters(editor: Editor, words: Path) -> None:
    editor.open(draft(words))
    outline = await editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(identity(draft(words)))
    )
    nested = [each for each in outline or () if isinstance(each, types.DocumentSymbol)]
    assert [each.name for each in nested] == ["name", "description", "dependencies", "Draft a text"]
    (parameters,) = nested[3].children or ()
    assert parameters.name == "Parameters"
    assert [(each.name, each.detail) for each in parameters.children or ()] == [
        ("topic", "required"),
        ("tone", "optional"),
    ]
    catalog_outline = await editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(identity(catalog(words)))
    )
    assert [each.name for each in catalog_outline or ()] == ["draft-text", "publish-page", "tidy-words"]


@pytest.mark.asyncio
async def test_symbols_of_the_whole_workspace_are_found_by_some_of_their_letters(editor: Editor) -> None:
    answer = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("tw"))
    assert [(each.name, each.kind) for each in answer or ()] == [("tidy-words", types.SymbolKind.Class)]
    answer = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("tone"))
    assert [(each.name, each.container_name) for each in answer or ()] == [("tone", "draft-text")]


@pytest.mark.asyncio
async def test_a_lens_counts_what_uses_a_skill(editor: Editor, words: Path) -> None:
    async def lens(name: str) -> types.CodeLens:
        path = words / f".skills/{name}/SKILL.md"
        (lens,) = await editor.client.text_document_code_lens_async(types.CodeLensParams(identity(path))) or ()
        return lens

    tidy = await lens("tidy-words")
    assert tidy.command
    assert (tidy.range, tidy.command.title) == (span(1, 6, 16), "used by 1")
    assert tidy.command.command == "skillbag.showReferences"
    assert tidy.command.arguments
    assert len(list(tidy.command.arguments[2] or ())) == 6
    publish = await lens("publish-page")
    assert publish.command
    assert publish.command.title == "used by 2"


async def rename(editor: Editor, path: Path, line: int, column: int, name: str) -> types.WorkspaceEdit:
    params = types.RenameParams(identity(path), types.Position(line, column), name)
    answer = await editor.client.text_document_rename_async(params)
    assert answer is not None
    return answer


def carry_out(answer: types.WorkspaceEdit) -> None:
    """Make the changes in order, on the disk, as an editor would after saving."""
    for change in answer.document_changes or ():
        if isinstance(change, types.RenameFile):
            Path(change.old_uri.removeprefix("file://")).rename(change.new_uri.removeprefix("file://"))
            continue
        assert isinstance(change, types.TextDocumentEdit)
        path = Path(change.text_document.uri.removeprefix("file://"))
        text = EditorText(path.read_bytes().decode("utf-8"))
        for each in sorted(change.edits, key=lambda each: text.offset(each.range.start), reverse=True):
            assert isinstance(each, types.TextEdit)
            text = text.replaced(types.TextDocumentContentChangePartial(each.range, each.new_text))
        path.write_bytes(text.text.encode("utf-8"))


@pytest.mark.asyncio
async def test_a_rename_of_a_skill_leaves_nothing_for_check_to_find(editor: Editor, words: Path) -> None:
    path = draft(words)
    path.write_text(path.read_text("utf-8").replace("Write about", "😀 `tidy-words` 😀 Write about"), "utf-8")
    before = found(words)
    params = types.PrepareRenameParams(identity(path), types.Position(21, 22))
    prepared = await editor.client.text_document_prepare_rename_async(params)
    assert prepared == types.PrepareRenamePlaceholder(span(21, 19, 29), "tidy-words")
    answer = await rename(editor, path, 21, 22, "clean")
    carry_out(answer)
    assert (words / ".skills/clean/SKILL.md").is_file()
    assert "😀 `clean` 😀" in path.read_text("utf-8")
    assert not found(words, "tidy-words", "clean") - before
    (place,) = await definition(editor, catalog(words), 0, 3)
    assert place.uri.endswith("/clean/SKILL.md")


@pytest.mark.asyncio
async def test_an_edit_of_an_open_document_names_its_version(editor: Editor, words: Path) -> None:
    editor.open(draft(words))
    editor.change(draft(words), edit(9, 0, 0, " "))
    answer = await rename(editor, draft(words), 4, 12, "clean")
    versions = {
        change.text_document.uri: change.text_document.version
        for change in answer.document_changes or ()
        if isinstance(change, types.TextDocumentEdit)
    }
    assert versions == {
        draft(words).as_uri(): 2,
        catalog(words).as_uri(): None,
        (words / ".skills/tidy-words/SKILL.md").as_uri(): None,
    }


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("line", "column", "name", "why"),
    [
        (1, 8, "Draft", "has a capital letter; write `draft`"),
        (1, 8, "tidy-words", "there is a skill `tidy-words` already"),
        (13, 12, "tone", "is a parameter of `draft-text` already"),
    ],
)
async def test_a_refused_rename_says_why(
    editor: Editor, words: Path, line: int, column: int, name: str, why: str
) -> None:
    with pytest.raises(JsonRpcException, match=why):
        await rename(editor, draft(words), line, column, name)


@pytest.mark.asyncio
async def test_an_editor_that_cannot_rename_folders_is_told_so(words: Path) -> None:
    async with running(words) as editor:
        with pytest.raises(JsonRpcException, match=r"can.t rename folders.*skillbag rename draft-text compose"):
            await rename(editor, draft(words), 1, 8, "compose")
        answer = await rename(editor, draft(words), 13, 12, "subject")
        assert set(answer.changes or ()) == {draft(words).as_uri()}


@pytest.mark.asyncio
@pytest.mark.parametrize(("version", "moves"), [("0.7.2", False), ("0.9.5", False), ("0.10.4", True), ("0.12.4", True)])
async def test_neovim_names_operations_without_document_changes(words: Path, version: str, moves: bool) -> None:
    says = types.WorkspaceEditClientCapabilities(resource_operations=[types.ResourceOperationKind.Rename])
    client = types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(workspace_edit=says))
    async with running(words, client=client, client_info=types.ClientInfo("Neovim", version)) as editor:
        if not moves:
            with pytest.raises(JsonRpcException, match=r"can.t rename folders"):
                await rename(editor, draft(words), 1, 8, "compose")
            return
        answer = await rename(editor, draft(words), 1, 8, "compose")
        assert isinstance((answer.document_changes or ())[-1], types.RenameFile)
