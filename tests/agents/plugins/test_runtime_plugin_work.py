"""`skill_scan` and `skill_transform` in a host of the executable plugin protocol."""

from __future__ import annotations

import json
from pathlib import Path

from tests.agents.plugins.plugged import Plugged, tools
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write

SCANNER = (
    'register_scanner("words", lambda content: [{"message": "A word", "rule": "word"}] if "bad" in content else [])\n'
)
SHOUT = """\
register_hook("OnAfterResponse", lambda event: {"modified": {"response": event["data"]["response"].upper()}})
"""


def test_a_host_has_them(plugged: Plugged, workspace: Path) -> None:
    assert not {"skill_scan", "skill_transform"} & set(tools(plugged))
    by_mode = "{modes: [plugin]}"
    scans = "{scanners: [{name: words, entrypoint: main.star}]}"
    fields = {"types": "[security-rule]", "security_rules": scans, "permissions": "[file:read]"}
    active(workspace, "words", SCANNER, **fields)
    active(workspace, "shout", SHOUT, types="[transform]", triggers=by_mode)
    write(workspace, {"a.txt": "bad\n"})
    assert {"skill_scan", "skill_transform"} <= set(tools(plugged))
    assert plugged(b'{"text": "so"}', CHIBI_TOOL_NAME="skill_transform").out == "SO\n"
    requested = json.loads(plugged(b'{"skills": ["words"]}', CHIBI_TOOL_NAME="skill_scan").out)
    assert "A person allows it" in requested["questions"][0]
