"""The life of a server: how it ends, what it does with wrong input, and what it takes from its client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.doors.language_server.editor import edit, running, span, write
from tests.forked import execute
from tests.rows import each_row

SKILL = "---\nname: tidy\ndescription: Tidies up. Use it when files lie around.\n---\n\n# Tidy\n\nTidy up.\n"
HELLO = {"id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}, "rootUri": None}}


def message(content: dict[str, Any]) -> bytes:
    """A message with its header."""
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def talk(*messages: bytes) -> subprocess.CompletedProcess[str]:
    """A server after this input, which then ends."""
    return execute(["agent", "lsp"], Path.cwd(), os.environ, b"".join(messages).decode())


@each_row(
    ("messages", "code"),
    [
        ([HELLO, {"id": 2, "method": "shutdown"}, {"method": "exit"}], 0),
        ([HELLO, {"method": "exit"}], 1),
        ([HELLO], 0),
        ([], 0),
    ],
)
def test_exit_code(messages: list[dict[str, Any]], code: int) -> None:
    done = talk(*map(message, messages))
    assert (done.returncode, done.stderr) == (code, "")


def test_an_input_that_stays_open_delays_no_end() -> None:
    """Nor does it abort the interpreter, where that is finalized: under a tracer, or in a program of others."""
    code = "import sys; from skillbag.doors.cli import main; sys.argv = ['skillbag', 'lsp']; main()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        assert process.stderr
        goodbye = message({"id": 2, "method": "shutdown"}), message({"method": "exit"})
        process.stdin.write(b"".join([message(HELLO), *goodbye]))
        process.stdin.flush()
        assert process.wait(300) == 0
        assert process.stderr.read() == b""


@each_row(
    "wrong",
    [
        b"Content-Length: 9\r\n\r\nnot JSON!",
        message({"id": 7, "method": "textDocument/hover", "params": 5}),
        message({"method": "textDocument/didChange", "params": {"textDocument": {}}}),
        message({"id": 8, "method": "no/such", "params": None}),
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n[]",
        b"Content-Length: 40000\r\n\r\n" + b"[" * 40000,
        message({"id": 99, "result": None}),
    ],
)
def test_a_wrong_message_ends_nothing(wrong: bytes) -> None:
    done = talk(message(HELLO), wrong, message({"id": 2, "method": "shutdown"}), message({"method": "exit"}))
    assert done.returncode == 0
    assert '"id": 2, ' in done.stdout or '"id":2' in done.stdout
    assert done.stderr == ""


def test_what_is_no_message_ends_the_server() -> None:
    done = talk(message(HELLO), b"GET / HTTP/1.1\r\nHost: host.example\r\n\r\n")
    assert done.returncode == 0


@pytest.mark.asyncio
async def test_settings_are_options_of_check(tmp_path: Path) -> None:
    write(tmp_path, [("skills/tidy/SKILL.md", SKILL.replace("name: tidy", "name: neat"))])
    path = tmp_path / "skills" / "tidy" / "SKILL.md"
    options = {"ignore": ["name-folder-mismatch"], "select": 5}
    async with running(tmp_path, initialization_options=options) as editor:
        assert await editor.rules(path) == []
        assert any("skillbag.select is ignored" in each.message for each in editor.client.messages)
        given = types.DidChangeConfigurationParams({"skillbag": {"ignore": []}})
        editor.client.workspace_did_change_configuration(given)
        assert await editor.rules(path) == ["name-folder-mismatch"]


@pytest.mark.asyncio
async def test_what_a_session_found_is_kept_for_the_next_start(tmp_path: Path) -> None:
    write(tmp_path, [("skills/tidy/SKILL.md", SKILL)])
    async with running(tmp_path) as editor:
        assert await editor.rules(tmp_path / "skills" / "tidy" / "SKILL.md") == []
    assert any(path.is_file() for path in Path(os.environ["SKILLBAG_CACHE_DIR"]).rglob("*"))


@pytest.mark.asyncio
async def test_a_faulty_configuration_is_a_diagnostic_of_its_file(tmp_path: Path) -> None:
    write(tmp_path, [("skills/tidy/SKILL.md", SKILL.replace("name: tidy", "name: neat")), ("skillbag.toml", "")])
    path, config = tmp_path / "skills" / "tidy" / "SKILL.md", tmp_path / "skillbag.toml"
    async with running(tmp_path) as editor:
        editor.open(config, 'select = ["all"]\nignore = [')
        (found,) = await editor.diagnostics(config)
        assert found.message.startswith("This is not TOML")
        assert found.range.start.line == 1
        assert await editor.rules(path) == []
        editor.change(config, 'ignore = ["name-folder-mismatch"]\n')
        assert await editor.diagnostics(config) == []
        editor.change(config, "")
        assert await editor.rules(path) == ["name-folder-mismatch"]


@pytest.mark.asyncio
async def test_a_single_file_needs_no_folder(tmp_path: Path) -> None:
    write(tmp_path, [("skills/tidy/SKILL.md", SKILL), ("letter.md", "Dear reader\n")])
    path = tmp_path / "skills" / "tidy" / "SKILL.md"
    async with running() as editor:
        editor.open(path, SKILL.replace("name: tidy", "name: neat"))
        editor.open(tmp_path / "letter.md")
        assert await editor.rules(path) == ["name-folder-mismatch"]
        assert await editor.rules(tmp_path / "letter.md") == []
        item = types.TextDocumentItem("untitled:Untitled-1", "markdown", 1, SKILL)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        editor.close(path)
        assert await editor.rules(path) == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("encoding", "width"),
    [
        (types.PositionEncodingKind.Utf8, 4),
        (types.PositionEncodingKind.Utf16, 2),
        (types.PositionEncodingKind.Utf32, 1),
    ],
)
async def test_columns_count_what_was_agreed(tmp_path: Path, encoding: str, width: int) -> None:
    write(tmp_path, [("skills/tidy/SKILL.md", SKILL + "\n\U0001f600[gone](gone.md)\n")])
    path = tmp_path / "skills" / "tidy" / "SKILL.md"
    general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(encoding)])
    async with running(tmp_path, client=types.ClientCapabilities(general=general)) as editor:
        editor.open(path)
        (found,) = await editor.diagnostics(path)
        start = found.range.start.character
        editor.change(path, edit(9, width, width, "ab "))
        (found,) = await editor.diagnostics(path)
        assert (found.range.start.line, found.range.start.character) == (9, start + 3)
        editor.change(path, edit(9, 0, width, ""))
        (found,) = await editor.diagnostics(path)
        assert found.range.start.character == start + 3 - width
        assert found.range != span(9, 0, 0)


@pytest.mark.asyncio
async def test_odd_files_and_names(tmp_path: Path) -> None:
    folder = tmp_path / "a b#c?d%20\u00e4"
    write(folder, [("skills/tidy/SKILL.md", SKILL)])
    (folder / "skills/tidy/latin.md").write_bytes(b"caf\xe9\n")
    path = folder / "skills" / "tidy" / "SKILL.md"
    async with running(folder) as editor:
        editor.open(path, SKILL.replace("name: tidy", "name: neat"))
        assert await editor.rules(path) == ["name-folder-mismatch"]
        editor.change(path, SKILL + "x" * (1 << 20))
        assert await editor.rules(path) != []
        editor.change(path, SKILL + "\0\ud800".encode("utf-8", "replace").decode())
        assert await editor.rules(path) != []
        editor.change(path, SKILL)
        assert await editor.rules(path) == []
