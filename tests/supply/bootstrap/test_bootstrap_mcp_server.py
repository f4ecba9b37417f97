"""`skillbag init --agents claude --hooks` says how tools of active skills reach Claude Code, unless they do already."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import Run

COMMAND = "claude mcp add --scope project skillbag -- skillbag agent mcp"
ADDED = {"type": "stdio", "command": "skillbag", "args": ["mcp"], "env": {}}


def says(run: Run, folder: Path) -> bool:
    done = run("init", "--agents", "claude", "--hooks", cwd=folder)
    assert done.code == 0
    return COMMAND in done.out


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("skillbag", ADDED),
        ("skillbag", {"type": "http", "url": "http://127.0.0.1:8000/mcp"}),
        ("skills", {"command": "/opt/bin/skillbag", "args": ["agent", "mcp", "--workspace", "."]}),
        ("skills", {"command": "uvx", "args": ["skillbag", "agent", "mcp"]}),
        ("skills", {"command": "uvx", "args": ["skillbag", "mcp"]}),
    ],
)
def test_a_configured_server_needs_no_word(run: Run, tmp_path: Path, name: str, server: dict[str, Any]) -> None:
    assert says(run, tmp_path)
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"other": {"command": "x"}, name: server}}))
    assert not says(run, tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "[" * 20_000, '{"mcpServers": [1]}', '{"mcpServers": {"a": 1, "b": {"command": 2, "args": [3]}}}'],
)
def test_any_other_file_is_no_configuration(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / ".mcp.json").write_text(text)
    assert says(run, tmp_path)


def test_without_hooks_there_is_nothing_to_say(run: Run, tmp_path: Path) -> None:
    assert "mcp" not in run("init", "--agents", "claude", cwd=tmp_path).out
