"""`skillbag runtime host`: the protocol for any agent, spoken by one in another language and by hand."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.agents.hosts.lines import LONGEST, METHOD, PARAMETERS, PARSE, REQUEST
from tests.runtime.host.test_host_llm import TOKEN
from tests.runtime.worlds_active import LOGS_PHASES, active, approve
from tests.supply.install.worlds import write

COMMAND = [sys.executable, "-m", "skillbag", "runtime", "host"]
WATCH = (
    f"{LOGS_PHASES}\n"
    """\
def guard(event):
    data = event["data"]
    if "secret" in data["input"]:
        return {"cancel": True, "reason": "no secrets"}
    return {"modified": {"input": data["input"].replace("status", "log")}}

register_hook("OnBeforeToolCall", guard)
register_hook("OnBeforePromptBuild", lambda event: {"modified": {"append_system_prompt": "Be brief."}})
register_hook("OnAfterToolResult", lambda event: {"modified": {"content": event["data"]["content"] + "!"}})
register_hook("OnAfterResponse", lambda event: {"modified": {"response": "DONE"}})
register_tool("peek", "Peeks.", lambda input: "saw", requires_approval=True)
register_workflow("plan", lambda input: [input["title"]])
"""
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    fields = {"permissions": "[file:read, file:write]", "triggers": "{keywords: [look]}"}
    active(folder, "watch", WATCH, types="[tool, workflow]", **fields)
    return folder


PROMPT = 'You help.\n\n<skill name="watch">\nBe brief.\n</skill>'


class Host:
    """A host that writes requests and reads lines."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.watchdog = threading.Timer(300, self.process.kill)
        self.watchdog.start()

    def raw(self, data: bytes) -> Any:
        """The next line after one that is sent."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def ask(self, do: str, **values: Any) -> Any:
        return self.raw(json.dumps({"id": 1, "do": do, **values}).encode())

    def code(self, data: bytes) -> int:
        found: int = self.raw(data)["error"]["code"]
        return found


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    yield made
    made.process.communicate(timeout=300)
    made.watchdog.cancel()
    assert made.process.returncode == 0


@pytest.mark.skipif(shutil.which("node") is None, reason="the host of this test runs in node")
def test_a_host_in_another_language_goes_through_all_phases(root: Path) -> None:
    script = Path(__file__).with_name("any_host.mjs")
    done = subprocess.run(["node", script, root, *COMMAND], capture_output=True, text=True, check=True)
    got = json.loads(done.stdout)
    assert [(skill["name"], skill["state"]) for skill in got["start"]["skills"]] == [("watch", "inactive")]
    permissions, call, ending = got["questions"]
    assert permissions["permissions"] == [
        {"name": "file:read", "risk": "low"},
        {"name": "file:write", "risk": "medium"},
        {"name": "hook:change", "risk": "high"},
        {"name": "hook:observe", "risk": "medium"},
    ]
    assert permissions["answers"] == ["once", "session", "always", "deny"]
    assert (call["skill"], call["tool"], call["value"]) == ("watch", "peek", {"at": 1})
    assert (ending["tool"], ending["ends"]) == ("deactivate", ["watch"])
    assert got["message"]["activated"] == ["watch"]
    assert (got["prompt"]["text"], got["prompt"]["base"]) == (PROMPT, "You help.")
    assert [tool["name"] for tool in got["tools"]["tools"]] == ["peek"]
    assert got["tools"]["workflows"] == ["watch/plan"]
    assert (got["before"]["cancelled"], got["before"]["input"]) == (False, {"command": "git log"})
    assert (got["refused"]["skill"], got["refused"]["reason"]) == ("watch", "no secrets")
    assert (got["after"]["content"], got["after"]["changed"]) == ("clean!", True)
    assert got["called"]["content"] == "saw!"
    assert got["failed"] == 'no active skill has a tool "nothing"; active skills have peek'
    assert got["reply"]["text"] == "DONE"
    assert (got["deactivated"]["deactivated"], got["code"]) == (["watch"], 0)
    assert (root / "log.txt").read_text().split() == [
        *("OnActivate", "OnConversationStart", "OnBeforePromptBuild"),
        *(
            "OnBeforeToolCall",
            "OnBeforeToolCall",
            "OnBeforeToolCall",
            "OnAfterToolResult",
            "OnBeforeToolCall",
            "OnAfterToolResult",
            "OnAfterResponse",
            "OnDeactivate",
        ),
    ]


def test_a_host_that_does_not_want_to_be_asked_gets_the_questions(root: Path, host: Host) -> None:
    assert host.ask("start", protocol=1, folder=str(root), asks=False)["result"]["protocol"] == 1
    message = host.ask("message", text="look")["result"]
    assert message["activated"] == []
    (question,) = message["questions"]
    assert question["skill"] == "watch"
    assert question["text"].startswith('Skill "watch" wants to activate.')
    assert host.ask("activate", skill="watch")["result"]["questions"] == [question]
    assert "not found" in host.ask("activate", skill="other")["error"]["message"]


def test_what_comes_while_the_user_is_asked_waits(root: Path, host: Host) -> None:
    host.ask("start", protocol=1, folder=str(root))
    question = host.raw(b'{"id": "a", "do": "activate", "skill": "watch"}\n{"id": "b", "do": "tools"}')
    assert (question["id"], question["question"]["kind"]) == ("a", "permissions")
    wrong = b'{"do": "answer", "question": "q9", "answer": "always"}\n'
    name = json.dumps(question["question"]["name"]).encode()
    activated = host.raw(wrong + b'{"do": "answer", "question": %b, "answer": "once"}' % name)
    assert (activated["id"], activated["result"]["activated"]) == ("a", ["watch"])
    assert host.process.stdout
    assert json.loads(host.process.stdout.readline())["id"] == "b"
    assert host.ask("run_workflow", workflow="plan", input={"title": "x"})["result"]["value"] == '["x"]!'


def test_the_end_of_the_input_deactivates_all(root: Path, host: Host) -> None:
    approve("watch")
    host.ask("start", protocol=1, folder=str(root))
    host.ask("activate", skill="watch")
    assert host.process.stdin
    host.process.stdin.close()
    host.process.stdin = None
    host.process.wait(300)
    assert (root / "log.txt").read_text().split()[-1] == "OnDeactivate"


def test_faults_are_answered_and_the_session_goes_on(root: Path, host: Host) -> None:
    assert host.code(b'{"id": 1, "do": "tools"}') == METHOD
    assert host.code(b'{"id": 1, "do": "start", "protocol": 2}') == PARAMETERS
    assert host.code(b'{"id": 1, "do": "start", "protocol": 1, "mode": "x"}') == PARAMETERS
    assert host.ask("start", protocol=1, folder=str(root), skills=["nothing"])["error"]["message"] == (
        'explicit skill "nothing" not found in any source'
    )
    host.ask("start", protocol=1, folder=str(root))
    assert host.code(b'{"id": 1, "do": "start", "protocol": 1}') == REQUEST
    assert host.code(b'{"id": 1, "do": "message"}') == PARAMETERS
    assert host.code(b'{"id": 1, "do": "nothing"}') == METHOD
    assert [host.code(line) for line in (b"x", b"[" * 99_999)] == [PARSE, PARSE]
    assert [host.code(line) for line in (b"[]", b"{}", b'{"do": "tools"}', b"1" * (LONGEST + 9))] == [REQUEST] * 4
    assert host.ask("tools")["result"]["tools"] == []


def test_secrets_in_what_skills_say_reach_no_host(root: Path, host: Host) -> None:
    code = f"""\
register_hook("OnBeforeToolCall", lambda event: {{"cancel": True, "reason": "{TOKEN}"}})
register_hook("OnAfterToolResult", lambda event: fail("{TOKEN}"))
"""
    active(root, "guard", code, triggers="{modes: [interactive]}")
    approve("guard")
    host.ask("start", protocol=1, folder=str(root))
    before, after = host.ask("before_tool", tool="x", input={}), host.ask("after_tool", tool="x", content="y")
    assert (before["result"]["cancelled"], len(after["result"]["notes"])) == (True, 1)
    assert TOKEN[8:] not in json.dumps([before, after])
    host.ask("close")
