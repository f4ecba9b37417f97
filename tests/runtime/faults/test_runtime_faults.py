"""Skills whose processes die, hang, flood or never end, seen from the runtime: it goes on, with one clear sentence."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import pytest

from skillbag.runtime.backends import programs
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.states import SkillState
from tests.processes import eventually
from tests.runtime.children import CHILD, writing
from tests.runtime.faults.test_runtime_kills import those_in
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a sound skill."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(folder, "echo")
    return folder


def add_process(root: Path, text: str, **fields: str) -> None:
    """Add the skill `bad`, whose program is `CHILD` and this text."""
    made = {"implementation": "{backend: process, entrypoint: child, timeout: 0.3, limits: {memory_mb: 128}}", **fields}
    folder = active(root, "bad", **made)
    (folder / "child").write_text(CHILD % sys.executable + text)
    (folder / "child").chmod(0o755)


def check_others(runtime: Runtime) -> None:
    """The sound skill is as it was."""
    assert runtime.call_tool("echo", {"text": "sound"}).output == ("sound", False)


def check_sentence(text: str) -> None:
    """It is one printable line, and no traceback."""
    assert text.isprintable()
    assert 10 < len(text) < 500
    assert "Traceback" not in text


DOES = {
    "dies": ("os._exit(3)", "its process ended with exit code 3"),
    "hangs": ("time.sleep(1000)", "timeout after 0.3s"),
    "floods its output": ("while True: os.write(1, b'x' * 65536)", "a line of more than 1 MiB"),
    "floods its log": ("while True: os.write(2, b'x' * 65536)", "timeout after 0.3s"),
    "answers garbage": ("while True: print('garbage')", "broke the protocol 3 times"),
    "answers others": ("while True: write({'id': 77, 'result': 1})", "answered a call that nobody made"),
    "forks": ("for _ in range(4): os.fork()\ntime.sleep(1000)", "timeout after 0.3s"),
    "eats memory": ("x = 'x' * (300 << 20)\ntime.sleep(1000)", "MemoryError"),
    "closes its output": ("os.close(1); time.sleep(1000)", "its process closed its output"),
    "answers a list": ("answer(request, [1])", "tool/execute: the result is no object"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", DOES)
def test_a_process_that(root: Path, what: str) -> None:
    text, words = DOES[what]
    body = "\n    ".join(f"    {line}" for line in text.split("\n"))
    add_process(
        root,
        f"""
starts()
while True:
    request = read()
    if request["method"] == "shutdown":
        sys.exit()
    if request["params"]["input"]:
        {body.strip()}
    else:
        answer(request, output("served"))
""",
    )
    with opened(root) as runtime:
        runtime.activate("echo")
        runtime.activate("bad")
        began = time.monotonic()
        output = runtime.call_tool("t", {"now": True}).output
        assert time.monotonic() - began < 50
        assert output.is_error
        assert any(word in output.content for word in words.split("|"))
        check_sentence(output.content)
        assert runtime.call_tool("t", {}).output == ("served", False)
        check_others(runtime)
        assert runtime.skills.status("bad").state is SkillState.ACTIVE
    for remark in runtime.remarks:
        check_sentence(remark)
    assert eventually(lambda: not those_in(root))


def test_two_answers_are_one(root: Path) -> None:
    add_process(
        root,
        """
starts()
for _ in range(2):
    request = read()
    answer(request, output(request["params"].get("input")))
    answer(request, output("again"))
read()
""",
    )
    with opened(root) as runtime:
        runtime.activate("bad")
        assert [runtime.call_tool("t", {"n": number}).output.content for number in range(2)] == ['{"n":0}', '{"n":1}']
        runtime.deactivate("bad")
    assert "its process answered a call that nobody made, or twice" in runtime.remarks


def test_what_dies_again_and_again_is_in_error_until_it_is_activated(root: Path) -> None:
    add_process(root, "starts()\nread()\nsys.exit('no \\x1b[2Jmore')\n")
    with opened(root) as runtime:
        runtime.activate("bad")
        runtime.activate("echo")
        for _ in range(6):
            check_sentence(runtime.call_tool("t", {}).output.content)
        status = runtime.skills.status("bad")
        assert status.state is SkillState.ERROR
        assert "restarted 5 times in vain" in status.reason
        check_sentence(status.reason)
        assert [tool.spec.name for tool in runtime.tools()] == ["echo"]
        check_others(runtime)
        assert runtime.activate("bad") == ("bad",)
        assert runtime.skills.status("bad") == (status.found, SkillState.ACTIVE, "")
    assert eventually(lambda: not those_in(root))


@pytest.mark.parametrize("at", range(6))
@pytest.mark.parametrize("after", [False, True])
def test_a_process_that_dies_at_a_message(root: Path, monkeypatch: pytest.MonkeyPatch, at: int, after: bool) -> None:
    monkeypatch.setattr(programs, "allowed_of", writing)
    add_process(
        root,
        f"""
mark, count = os.environ["SKILLBAG_WORKSPACE"] + "/died", 0
while True:
    request = read()
    dies = count == {at} and not os.path.exists(mark)
    count += 1
    if dies:
        open(mark, "w").close()
    if dies and not {after}:
        os._exit(1)
    tools = {{"tools": [{{"name": "t"}}], "hooks": ["OnActivate", "OnAfterToolResult", "OnDeactivate"]}}
    answers = {{"initialize": tools, "tool/execute": output("served"), "shutdown": None}}
    answer(request, answers.get(request["method"], {{}}))
    if dies or request["method"] == "shutdown":
        os._exit(1 if dies else 0)
""",
    )
    with opened(root) as runtime:
        try:
            runtime.activate("bad")
        except RuntimeFaultError as error:
            assert (at, after) == (0, False)
            check_sentence(str(error))
            assert runtime.skills.status("bad").state is SkillState.ERROR
            runtime.activate("bad")
        outputs = [runtime.call_tool("t", {}).output for _ in range(3)]
        assert sum(output.is_error for output in outputs) <= 1
        assert [output.content for output in outputs].count("served") >= 2
        runtime.deactivate("bad")
        assert runtime.skills.status("bad").state is SkillState.INACTIVE
    assert (root / "died").exists()
    for remark in runtime.remarks:
        check_sentence(remark)
    assert eventually(lambda: not those_in(root))


BOMBS = """\
def list_(input):
    return [0] * input["many"]

def text(input):
    return "x" * input["many"]

def squares(input):
    value = input["many"]
    for _ in range(40):
        value = value * value
    return value % 7

def loop(input):
    for _ in range(input["many"]):
        for _ in range(input["many"]):
            pass

def result(input):
    return "x" * (2 << 20)

register_tool("list", "Takes memory.", list_)
register_tool("text", "Takes memory.", text)
register_tool("squares", "Takes time in one operation.", squares)
register_tool("loop", "Takes time.", loop)
register_tool("result", "Is too long.", result)
"""


def test_bombs_end_their_calls_and_neither_time_nor_memory_is_ours(root: Path) -> None:
    active(root, "bomb", BOMBS, implementation="{backend: starlark, entrypoint: main.star, timeout: 0.3}")
    with opened(root) as runtime:
        runtime.activate("echo")
        runtime.activate("bomb")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for tool in ("list", "text", "squares", "loop", "result"):
            began = time.monotonic()
            output = runtime.call_tool(tool, {"many": 10**9}).output
            assert time.monotonic() - began < 50
            assert output.is_error
            check_sentence(output.content)
            check_others(runtime)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000
        assert runtime.skills.status("bomb").state is SkillState.ACTIVE
    assert eventually(lambda: not those_in(root))
