"""`skillbag runtime replay`: a trace, carried out again by the skills as they are now."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from skillbag.runtime.testing.playback import matches
from tests.doors.cli.runtime_worlds import VALIDATOR
from tests.rows import each_row
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="skills run in process groups"),
    pytest.mark.usefixtures("a_person"),
]

CODE = """\
def read(input):
    return "%s" + read_file(input["path"])

register_tool("read", "Reads.", read)
register_hook("OnAfterToolResult", lambda event: {"modified": {"content": event["data"]["content"].upper()}})
register_hook("OnActivate", lambda event: log("hello"))
register_workflow("all", lambda input: [read_file(path) for path in input])
"""
OTHER = """\
def both(input):
    return invoke_skill("reader/all", ["a.txt"]) + [read_file("b.txt")]

register_workflow("both", both)
"""
TOKEN = "ghp_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0FaTe8U"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "w", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "", "a.txt": "alpha\n"})
    write(root, {"b.txt": "beta\n"})
    active(root, "reader", CODE % "", types="[tool, workflow, transform]", permissions='["file:read"]')
    active(root, "other", OTHER, types="[workflow]", permissions='["file:read", "skill:invoke"]')
    return root


def trace(run: Run, root: Path, *words: str, code: int = 0) -> Path:
    """The trace of a command."""
    file = root.parent / "trace.jsonl"
    file.unlink(missing_ok=True)
    done = run("runtime", *words, "--trace", file, "--approve-skills", "reader,other", cwd=root)
    assert done.code == code, done
    return file


def replayed(run: Run, root: Path, file: Path, code: int) -> dict[str, Any]:
    done = run("runtime", "replay", file, "--json", cwd=root)
    found: dict[str, Any] = json.loads(done.out)
    VALIDATOR.validate(found)
    assert done.code == code, done
    return found


CALL = ("call", "read", '{"path": "a.txt"}')


def test_the_same_skill_does_the_same(run: Run, root: Path) -> None:
    file = trace(run, root, *CALL, "--skill", "reader")
    write(root, {"a.txt": "changed\n"})
    assert run("runtime", "replay", file, cwd=root).out == "The same: 1 call and 2 hooks.\n"
    log = run("runtime", "audit", cwd=root).out
    assert run("runtime", "replay", file, cwd=root).code == 0
    assert run("runtime", "audit", cwd=root).out == log


def test_an_edited_skill_does_something_else(run: Run, root: Path) -> None:
    file = trace(run, root, *CALL, "--skill", "reader")
    active(root, "reader", CODE % "x", types="[tool, workflow, transform]", permissions='["file:read"]')
    found = replayed(run, root, file, 1)
    lines = file.read_text().splitlines()
    assert json.loads(lines[found["difference"]["line"] - 1])["event"] == "call"
    assert found["difference"]["what"] == "tool read of reader"
    assert found["difference"]["expected"] == ["alpha\n", False]
    assert found["difference"]["actual"] == ["xalpha\n", False]
    assert found["remarks"] == ['the files of the skill "reader" are not those of the trace']
    text = run("runtime", "replay", file, cwd=root).out
    assert text.startswith(
        f"{file}:{found['difference']['line']}: different after 1 call and 1 hook\ntool read of reader"
    )


def test_other_calls_of_the_host_are_a_difference(run: Run, root: Path) -> None:
    file = trace(run, root, *CALL, "--skill", "reader")
    fields = {"types": "[tool, workflow, transform]", "permissions": '["file:read"]'}
    active(root, "reader", CODE.replace('input["path"]', '"b.txt"') % "", **fields)
    difference = replayed(run, root, file, 1)["difference"]
    assert (difference["what"], difference["actual"]["arguments"]) == ("a call of the host", {"path": "b.txt"})
    active(root, "reader", CODE.replace('read_file(input["path"])', '"alpha\\\\n"') % "", **fields)
    difference = replayed(run, root, file, 1)["difference"]
    assert (difference["what"], difference["actual"]) == ("a call of the host was not made", None)


def test_workflows_within_workflows_and_failures(run: Run, root: Path) -> None:
    file = trace(run, root, "run", "other/both", "{}", "--skills", "reader")
    assert replayed(run, root, file, 0)["calls"] == 2
    file = trace(run, root, "call", "read", '{"path": "gone.txt"}', "--skill", "reader", code=1)
    write(root, {"gone.txt": "here now\n"})
    assert replayed(run, root, file, 0)["calls"] == 1


def test_states_are_compared(run: Run, root: Path) -> None:
    file = trace(run, root, *CALL, "--skill", "reader")
    write(root / ".skills/reader", {"main.star": "x = (\n"})
    difference = replayed(run, root, file, 1)["difference"]
    assert (difference["what"], difference["expected"]) == ("the state of reader", "active")
    file = trace(run, root, "activate", "reader", code=1)
    assert replayed(run, root, file, 0)["calls"] == 0
    active(root, "reader", CODE % "", types="[tool, workflow, transform]", permissions='["file:read"]')
    assert replayed(run, root, file, 1)["difference"]["actual"] == "active"


def test_what_is_registered_is_compared(run: Run, root: Path) -> None:
    file = trace(run, root, "activate", "reader")
    code = CODE.replace('register_tool("read"', 'register_tool("reads"') % ""
    active(root, "reader", code, types="[tool, workflow, transform]", permissions='["file:read"]')
    assert replayed(run, root, file, 1)["difference"]["what"] == "the tools of reader"


def test_a_masked_secret_equals_anything(run: Run, root: Path) -> None:
    write(root, {"a.txt": f"key {TOKEN}\n", ".skills/reader/main.star": (CODE % "").replace(".upper()", "")})
    file = trace(run, root, "run", "reader/all", '["a.txt"]')
    assert TOKEN not in file.read_text()
    assert replayed(run, root, file, 0)["calls"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no event"),
        ("{\n", ":1: it is not a line of JSON"),
        ("[" * 100_000 + "\n", ":1: it is not a line of JSON"),
        ("7\n", ":1: it is no event"),
        ('{"event": "log"}\n{"event": "call"}\n', ":2: the event call has no usable `run`"),
        ('{"event": "loading", "skill": "nobody", "content": ""}\n', 'there is no skill "nobody"'),
        (
            '{"event": "hook", "run": 1, "skill": "reader", "phase": "x", "number": 0, "data": {}, "failed": false}\n',
            ":1: `phase` is none of",
        ),
        (
            '{"event": "call", "run": 1, "skill": "reader", "kind": "tool", "name": "read", "failed": false}\n',
            "is not loaded at this place",
        ),
    ],
)
def test_a_bad_trace(run: Run, root: Path, text: str, message: str) -> None:
    write(root.parent, {"bad.jsonl": text})
    done = run("runtime", "replay", root.parent / "bad.jsonl", cwd=root)
    assert (done.code, message in done.err) == (2, True), done


def test_no_pipe_is_waited_for(run: Run, root: Path) -> None:
    os.mkfifo(root.parent / "pipe")
    for name in ("pipe", "nowhere", "w"):
        assert run("runtime", "replay", root.parent / name, cwd=root).code == 2


@each_row(
    ("recorded", "actual", "same"),
    [
        ("a****b", "a secret b", True),
        ("****", "", True),
        ("a****b", "ab", True),
        ("a****b", "ac", False),
        ("a****a", "a", False),
        ("****x****y****", "1x2y3", True),
        ("****x****y****", "1y2x3", False),
        ({"a": ["****"]}, {"a": ["b"]}, True),
        ({"a": 1}, {"a": True}, False),
        ([1], [1, 2], False),
        ("****" * 20_000 + "b", "a" * 200_000, False),
    ],
)
def test_wildcards(recorded: Any, actual: Any, same: bool) -> None:
    assert matches(recorded, actual) is same
