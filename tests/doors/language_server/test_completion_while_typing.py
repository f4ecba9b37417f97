"""What an editor is offered at the cursor, `|`; the document is whole, half written or broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.doors.language_server.editor import Editor, identity, running
from tests.lint.symbols.worlds import DRAFT, words_workspace

SNIPPETS = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        completion=types.CompletionClientCapabilities(
            completion_item=types.ClientCompletionItemOptions(snippet_support=True)
        )
    )
)
MATTER = "---\nname: draft-text\ndescription: Draft\n"


async def offered(editor: Editor, path: Path, text: str) -> dict[str, types.CompletionItem]:
    before, _, after = text.partition("|")
    if path.as_uri() in editor.versions:
        editor.change(path, before + after)
    else:
        editor.open(path, before + after)
    line = before.count("\n")
    column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    params = types.CompletionParams(identity(path), types.Position(line, column))
    answer = await editor.client.text_document_completion_async(params)
    assert isinstance(answer, types.CompletionList)
    return {item.label: item for item in answer.items}


async def labels(folder: Path, name: str, text: str) -> set[str]:
    async with running(folder) as editor:
        return set(await offered(editor, folder / name, text))


@pytest.fixture
def words(tmp_path: Path) -> Path:
    return words_workspace(tmp_path)


TEXT = DRAFT.format(description="Draft.")
DRAFT_FILE = ".skills/draft-text/SKILL.md"
BLOCK = f"{MATTER}---\n\n# X\n\n## Parameters\n\n```yaml\n"
TWO = "required:\n  - name: topic\n"


@pytest.mark.slow
@pytest.mark.sampled(8)
@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "text", "some", "none"),
    [
        (DRAFT_FILE, f"{MATTER}li|\nmetadata: x\n---\n", {"license", "allowed-tools"}, {"name", "metadata"}),
        (DRAFT_FILE, f"{MATTER}license: |", {"MIT", "Apache-2.0"}, {"name"}),
        (DRAFT_FILE, f"{MATTER}allowed-tools: Bash Re|\n---\n", {"Read", "Bash"}, {"license"}),
        (DRAFT_FILE, f"{MATTER}allowed-tools:\n  - Re|\n---\n", {"Read"}, {"name"}),
        (DRAFT_FILE, f"{MATTER}dependencies:\n  - name: t|\n---\n", {"tidy-words", "publish-page"}, {"draft-text"}),
        (DRAFT_FILE, f"{MATTER}dependencies:\n  - name: x\n    |\n---\n", {"source", "version"}, {"name", "license"}),
        (DRAFT_FILE, "---\nname: |\n---\n", {"draft-text"}, {"tidy-words"}),
        (DRAFT_FILE, '---\ndescription: "Do x. #|\n---\n', {"#run/always", "#use/tidy-words", "#team/docs"}, {"MIT"}),
        (DRAFT_FILE, f"{MATTER}compatibility: 'open\n\tx: [\nli|", {"license"}, {"name"}),
        (DRAFT_FILE, f"{BLOCK}re|\n```\n", {"required", "optional"}, {"name"}),
        (DRAFT_FILE, f"{BLOCK}{TWO}    |\n```\n", {"type", "default", "required-if"}, {"name", "optional"}),
        (DRAFT_FILE, f"{BLOCK}{TWO}    type: |\n```\n", {"string", "list"}, {"default"}),
        (DRAFT_FILE, f"{BLOCK}{TWO}  - name: b\n    required-if: {{|\n```\n", {"topic"}, {"default"}),
        ("CONTEXT.md", "```yaml\n|\n```\n", {"dependencies", "parameters", "tags"}, {"license"}),
        ("CONTEXT.md", "```yaml\nparameters:\n  dr|\n```\n", {"draft-text", "*"}, {"dependencies"}),
        ("CONTEXT.md", "```yaml\nparameters:\n  draft-text:\n    tone: x\n    |\n", {"topic"}, {"tone", "draft-text"}),
        ("CONTEXT.md", "```yaml\nprohibit: {skills: [|\n```\n", {"tidy-words"}, {"topic"}),
        ("USER_CONTEXT.md", "```yaml\ntags:\n  tidy-words:\n    add: [|\n```\n", {"#run/last"}, {"MIT"}),
        (".skills/SKILLS.md", "draft-text: x\n|\n", {"tidy-words"}, {"draft-text"}),
        (DRAFT_FILE, f"{TEXT}\n[x](../tidy-words/references/rules.md#|)", {"rules"}, {"topic"}),
        (DRAFT_FILE, f"{TEXT}\n😀 [x](#|)", {"draft-a-text", "parameters"}, {"topic"}),
        (DRAFT_FILE, f"{TEXT}\n`run |`", {"tidy_words"}, {"tidy-words"}),
        (DRAFT_FILE, f"{TEXT}\nSet `t|`", {"topic", "tone", "tidy-words"}, {"license"}),
        (DRAFT_FILE, f"{TEXT}\n<!-- skillbag: ignore[link-|", {"backslash-path"}, {"topic"}),
        (".skills/tidy-words/SKILL.md", "# T\n\n[x](ref|", {"references/rules.md", "scripts/tidy.py"}, {"topic"}),
        (".skills/tidy-words/references/rules.md", "[x](|", {"../SKILL.md", "../scripts/tidy.py"}, {"topic"}),
        (".skills/tidy-words/SKILL.yaml", "name: x\n|", {"version", "types", "permissions"}, {"name"}),
        (".skills/tidy-words/SKILL.yaml", "types: [|", {"tool", "prompt"}, {"version"}),
        (".skills/tidy-words/SKILL.yaml", "permissions:\n  - f|", {"file:read"}, {"version"}),
        (".skills/tidy-words/SKILL.yaml", "dependencies:\n  - name: |", {"draft-text"}, {"tidy-words"}),
        (".skills/tidy-words/SKILL.yaml", "dependencies:\n  - optional: |", {"true", "false"}, {"version"}),
        (".skills/tidy-words/SKILL.yaml", "dependencies:\n  - |", {"optional", "name"}, {"types"}),
        (DRAFT_FILE, f"{TEXT}\nPlain words |", set(), {"topic", "tidy-words", "license"}),
    ],
)
async def test_offers(words: Path, name: str, text: str, some: set[str], none: set[str]) -> None:
    found = await labels(words, name, text)
    assert some <= found
    assert not none & found


@pytest.mark.asyncio
async def test_an_offer_replaces_what_is_written_and_says_what_it_means(words: Path) -> None:
    path = words / DRAFT_FILE
    async with running(words, client=SNIPPETS) as editor:
        found = await offered(editor, path, "---\n# 😀\nli|\n---\n")
        item = found["license"]
        assert isinstance(item.text_edit, types.TextEdit)
        assert item.text_edit == types.TextEdit(
            types.Range(types.Position(2, 0), types.Position(2, 2)), "license: ${1:MIT}"
        )
        assert item.insert_text_format is types.InsertTextFormat.Snippet
        assert isinstance(item.documentation, types.MarkupContent)
        assert "skill.optional-keys" in item.documentation.value
        found = await offered(editor, path, f"{MATTER}dependencies:\n  - name: 'ti|")
        item = found["tidy-words"]
        assert isinstance(item.text_edit, types.TextEdit)
        assert item.text_edit.new_text == "tidy-words"
        assert isinstance(item.documentation, types.MarkupContent)
        assert item.documentation.value.startswith("Tidy words.")


@pytest.mark.asyncio
async def test_an_editor_without_snippets_gets_plain_text(words: Path) -> None:
    async with running(words) as editor:
        item = (await offered(editor, words / DRAFT_FILE, "---\nli|\n---\n"))["license"]
        assert isinstance(item.text_edit, types.TextEdit)
        assert (item.text_edit.new_text, item.insert_text_format) == ("license: MIT", types.InsertTextFormat.PlainText)
        line = (await offered(editor, words / ".skills/SKILLS.md", "ti|"))["tidy-words"]
        assert isinstance(line.text_edit, types.TextEdit)
        assert line.text_edit.new_text.startswith("tidy-words: Tidy words.")


@pytest.mark.asyncio
async def test_of_many_offers_the_first_are_given_and_a_longer_word_finds_the_others(words: Path) -> None:
    for number in range(400):
        path = words / f".skills/more-{number}/SKILL.md"
        path.parent.mkdir()
        path.write_text(f"---\nname: more-{number}\ndescription: More.\n---\n", "utf-8")
    async with running(words) as editor:
        start = f"{MATTER}dependencies:\n  - name: "
        assert len(await offered(editor, words / DRAFT_FILE, f"{start}|\n---\n")) == 300
        assert set(await offered(editor, words / DRAFT_FILE, f"{start}more-399|\n---\n")) == {"more-399"}
