"""Half characters (lone surrogates) in what a skill's process answers, over MCP."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.agents.mcp_server.mcp_worlds import pipe

MANIFEST = """name: halves
version: 1.0.0
description: Halves.
types: [tool, workflow]
implementation: {backend: process, entrypoint: run}
triggers: {modes: [mcp]}
permissions: [file:read]
"""
CHILD = r"""
import json, sys
HALF = "a\ud800b"
RESULTS = {
    "initialize": {"tools": [{"name": "half"}], "workflows": ["w"]},
    "tool/execute": {"content": HALF, "is_error": False},
    "workflow/run": {"value": {HALF: [HALF]}},
}
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": RESULTS.get(asked["method"])}), flush=True)
"""
SEEN = "a\ufffdb"


def test_results_have_a_sign_in_their_place(workspace: Path, tmp_path: Path) -> None:
    skill = workspace / ".skills/halves"
    skill.mkdir(parents=True)
    (skill / "SKILL.yaml").write_text(MANIFEST)
    (skill / "run").write_text(f"#!{sys.executable}{CHILD}")
    (skill / "run").chmod(0o755)
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config/settings.json").write_text('{"version": 1, "runtime": {"approved_skills": ["halves"]}}')
    with pipe(tmp_path) as server:
        server.shake_hands()
        server.ask("tools/list")
        assert SEEN in json.dumps(server.tool("half", {}), ensure_ascii=False)
        assert SEEN in json.dumps(server.tool("workflow_w", {}), ensure_ascii=False)
