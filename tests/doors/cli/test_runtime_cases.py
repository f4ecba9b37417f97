"""`skillbag runtime test`: cases of active skills, passed and failed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from skillbag.supply.bootstrap.active_skill import NewType
from tests.doors.cli.runtime_worlds import VALIDATOR
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="skills run in process groups")

LINES = """\
def lines(input):
    text = read_file(input["path"])
    return {"lines": len(text.split("\\n")), "user": env("USER_NAME")}

register_tool("lines", "Counts lines.", lines)

def guard(event):
    if "private" in event["data"]["input"]:
        return {"cancel": True, "reason": "nothing private"}

def loud(event):
    return {"response": event["data"]["response"].upper()}

register_hook("OnBeforeToolCall", guard)
register_hook("OnAfterResponse", lambda event: {"modified": loud(event)})
register_workflow("ask", lambda input: llm_complete(input["text"]))
register_scanner("open", lambda content: ["An open point"] if "TODO" in content else [])
"""
TYPES = "[tool, workflow, security-rule, transform]"
PERMISSIONS = '["file:read", "env:read"]'
READ = {"call": "read_file", "args": {"path": "a.txt"}, "result": "one\ntwo"}
CALL = {"tool": "lines", "input": {"path": "a.txt"}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "w", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    given = {"types": TYPES, "permissions": PERMISSIONS}
    active(
        root,
        "count",
        LINES,
        own_calls=True,
        **given,
        triggers='{files: ["*.txt"], keywords: [count]}',
    )
    return root


def give(root: Path, *cases: dict[str, Any], skill: str = "count", name: str = "first") -> None:
    """Write cases of a skill, as JSON, which is YAML; each has a name."""
    named = [{"name": f"case {number}", **case} for number, case in enumerate(cases)]
    write(root / ".skills" / skill, {f"tests/{name}.yaml": json.dumps(named)})


def tried(run: Run, root: Path, *cases: dict[str, Any], code: int = 0) -> list[list[str]]:
    """What differs in each case, by kind; the command ends with this code."""
    give(root, *cases)
    done = run("runtime", "test", "--json", cwd=root)
    values = json.loads(done.out)
    VALIDATOR.validate(values)
    assert (done.code, values["exit"]) == (code, code), done
    return [[each["what"] for each in case["differences"]] for case in values["cases"]]


def test_a_case_passes_and_fails_with_a_difference(run: Run, root: Path) -> None:
    passing = {"call": CALL, "host": [READ], "expect": {"value": {"lines": 2, "user": ""}}}
    give(root, passing, {**passing, "expect": {"value": {"lines": 3, "user": ""}}})
    done = run("runtime", "test", cwd=root)
    assert done.code == 1
    assert done.out.startswith("ok      count: case 0\nFAILED  count: case 1  (.skills/count/tests/first.yaml:")
    assert '    value:\n        {\n      -   "lines": 3,\n      +   "lines": 2,\n' in done.out
    assert "2 cases: 1 ok, 1 failed (" in done.out


def test_every_kind_of_act(run: Run, root: Path) -> None:
    scan = {"path": "a.py", "content": "# TODO\n"}
    llm = {"call": "llm_complete", "args": {"prompt": "hi"}, "result": "HI"}
    before = {"phase": "OnBeforeToolCall", "data": {"tool_name": "x", "input": '"private"'}}
    cases: list[dict[str, Any]] = [
        {"scan": {**scan, "scanner": "open"}, "expect": {"value": ["An open point"]}},
        {"scan": scan, "expect": {"contains": "open point"}},
        {"hook": {"phase": "OnAfterResponse", "data": {"response": "hi"}}, "expect": {"value": {"response": "HI"}}},
        {"hook": before, "expect": {"cancel": True, "contains": "nothing private"}},
        {"message": "count it", "trigger": True, "expect": {"score": 80, "state": "active"}},
        {"files": {"a.txt": ""}, "trigger": True, "expect": {"score": 100}},
        {"trigger": True, "expect": {"score": 0, "state": "inactive"}},
        {"run": {"workflow": "ask", "input": {"text": "hi"}}, "host": [llm], "expect": {"error": "not declared"}},
        {"run": {}, "expect": {"error": "input"}},
    ]
    assert tried(run, root, *cases[:-1], code=1)[-1] == ["host"]
    cases[-2].pop("host")
    assert tried(run, root, *cases[:-1]) == [[]] * 8
    assert tried(run, root, {"run": {"workflow": "nope"}, "expect": {"error": 'no workflow "nope"'}}) == [[]]


def test_calls_of_the_host_follow_the_record(run: Run, root: Path) -> None:
    value = {"call": CALL, "expect": {"value": {"lines": 2, "user": ""}}}
    other = {**READ, "args": {"path": "b.txt"}}
    failing = {"call": "read_file", "args": {"path": "a.txt"}, "error": "no such file"}
    cases: list[dict[str, Any]] = [
        value,
        {**value, "host": [other]},
        {**value, "host": [READ, READ]},
        {**value, "host": [failing], "expect": {"error": "read_file: no such file"}},
        {"call": CALL, "host": [], "expect": {"error": "read_file"}},
    ]
    assert tried(run, root, *cases, code=1) == [["host", "error"], ["host", "error"], ["host"], [], ["host"]]
    out = run("runtime", "test", cwd=root).out
    assert 'this call is not recorded: read_file {"path": "a.txt"}' in out
    assert 'the call is read_file {"path": "a.txt"}, and call 1 of the record is read_file {"path": "b.txt"}' in out
    assert 'this recorded call was not made: read_file {"path": "a.txt"}' in out


def test_permissions_are_decided_for_real(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_NAME", "mine")
    value = {"call": CALL, "host": [READ], "expect": {"value": {"lines": 2, "user": "ours"}}}
    refused = {"call": CALL, "expect": {"error": 'skill "count" needs'}}
    cases: list[dict[str, Any]] = [
        {**value, "env": {"USER_NAME": "ours"}},
        {**refused, "approve": False},
        {**refused, "approve": ["file:read"]},
        {**value, "env": {"USER_NAME": "ours"}, "approve": ["file:read", "env:read"]},
    ]
    assert tried(run, root, *cases) == [[]] * 4
    # Nothing of it is the user's own decision.
    assert run("runtime", "permissions", "count", cwd=root).out.startswith("No permission approvals")
    assert "no entries" in run("runtime", "audit", cwd=root).out


def test_nothing_of_the_workspace_is_touched(run: Run, root: Path) -> None:
    write(root, {"a.txt": "the user's own"})
    before = sorted(root.rglob("*"))
    hidden = {"call": CALL, "files": {"a.txt": "x"}, "expect": {"error": "not recorded"}}
    assert tried(run, root, hidden, code=1) == [["host"]]
    assert set(root.rglob("*")) - set(before) == {root / ".skills/count/tests", root / ".skills/count/tests/first.yaml"}


def test_handlers_that_no_case_reaches(run: Run, root: Path) -> None:
    give(root, {"call": CALL, "host": [READ], "expect": {"contains": "2"}})
    missing = "No case of count reaches: hook OnAfterResponse 1, scanner open, workflow ask\n"
    assert missing in run("runtime", "test", cwd=root).out
    assert "No case" not in run("runtime", "test", "-k", "case", cwd=root).out


def test_choosing_cases(run: Run, root: Path) -> None:
    plain = {"call": CALL, "host": [READ], "expect": {"contains": "2"}}
    give(root, plain, plain, name="a")
    give(root, {**plain, "name": "other"}, name="b")
    active(root, "idle")
    for words, count in ((("-k", "CASE"), 2), (("-k", "count: other"), 1), (("-k", "*1"), 1), (("count",), 3)):
        assert run("runtime", "test", *words, cwd=root).out.splitlines()[-1].startswith(f"{count} case"), words
    assert run("runtime", "test", cwd=root / ".skills/count").out.count("ok  ") == 3
    assert run("runtime", "test", "./.skills/count", cwd=root).code == 0
    nothing = run("runtime", "test", "idle", cwd=root)
    assert (nothing.code, nothing.err) == (
        2,
        "error: there are no such cases; write them into tests/*.yaml of a skill\n",
    )
    assert run("runtime", "test", "nowhere", cwd=root).code == 2


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("name: a\ncall: {tool: x}\n", "1:1", "the case expects nothing"),
        ("name: a\nexpect: {value: 1}\n", "1:1", "a case has one of call, run, scan, hook, trigger"),
        ("name: a\ncall: {tool: x}\nrun: {}\nexpect: {value: 1}\n", "1:1", "this one has call and run"),
        ("name: a\ncal: {tool: x}\nexpect: {value: 1}\n", "2:1", 'unknown key "cal"; did you mean call?'),
        ("name: a\nhook: {phase: OnNothing}\nexpect: {value: 1}\n", "2:15", 'unknown hook phase "OnNothing"'),
        ("name: a\ncall: {tool: x}\nfiles: {../x: y}\nexpect: {value: 1}\n", "3:9", "leads out of its folder"),
        ("name: a\ncall: {tool: x}\nfiles: {a: y, a/b: z}\nexpect: {value: 1}\n", "1:1", "a file and a folder"),
        ("name: a\ncall: {tool: x}\nhost: [{call: env}]\nexpect: {value: 1}\n", "3:15", '"env" is no function'),
        ("name: a\ncall: {tool: x}\nhost: [{call: exec, args: [1]}]\nexpect: {value: 1}\n", "1:1", "host[0].args must"),
        ("name: a\ncall: {tool: x}\nexpect: {score: 1}\n", "1:1", "`score` belongs"),
        ("name: a\ntrigger: true\nexpect: {value: 1}\n", "1:1", "triggers give no value"),
        ("name: a\ntrigger: true\nexpect: {}\n", "1:1", "`expect` is empty"),
        ("name: a\napprove: [file:eat]\ntrigger: true\nexpect: {score: 1}\n", "2:11", "unknown permission"),
        (
            "- {name: a, trigger: true, expect: {score: 0}}\n- {name: a, trigger: true, expect: {score: 0}}\n",
            "2:3",
            "dup",
        ),
        ("name: a\ncall: {tool: x}\nexpect: {value: .inf}\n", "3:17", "a number that JSON does not have"),
        ("name: [\n", "2:1", ""),
        ("# nothing\n", "1:1", "the file holds no case"),
        ("just text\n", "1:1", "a case is a mapping"),
    ],
)
def test_bad_files_have_places(run: Run, root: Path, text: str, place: str, message: str) -> None:
    write(root / ".skills/count", {"tests/bad.yaml": text})
    give(root, {"trigger": True, "expect": {"score": 0}})
    done = run("runtime", "test", cwd=root)
    assert (done.code, "ok      count: case 0" in done.out) == (2, True)
    assert done.err.startswith(f"error: .skills/count/tests/bad.yaml:{place}: "), done.err
    assert message in done.err
    VALIDATOR.validate(json.loads(run("runtime", "test", "--json", cwd=root).out))


def test_junit(run: Run, root: Path, tmp_path: Path) -> None:
    give(root, {"trigger": True, "expect": {"score": 0}}, {"trigger": True, "name": '<&"\x07', "expect": {"score": 7}})
    write(root / ".skills/count", {"tests/bad.yaml": "name: a\n"})
    (tmp_path / "out.xml").write_text("old")
    (tmp_path / "kept.xml").hardlink_to(tmp_path / "out.xml")
    assert run("runtime", "test", "--junit", tmp_path / "out.xml", cwd=root).code == 2
    assert (tmp_path / "kept.xml").read_text() == "old", "the older report was written over, and not replaced"
    document = ElementTree.fromstring((tmp_path / "out.xml").read_text())  # noqa: S314 - our own
    assert document.attrib == {"name": "skillbag runtime test", "tests": "2", "failures": "1", "errors": "1"}
    cases = {case.attrib["name"]: [child.tag for child in case] for case in document.iter("testcase")}
    assert cases == {"case 0": [], '<&"\\x07': ["failure"], ".skills/count/tests/bad.yaml": ["error"]}


def test_the_paths_of_junit_begin_at_the_top_of_the_repository(run: Run, root: Path, tmp_path: Path) -> None:
    write(root / ".skills/count", {"tests/bad.yaml": "name: a\n"})
    (root / "../.git").mkdir()
    run("runtime", "test", "--junit", tmp_path / "out.xml", cwd=root)
    assert f'name="{root.name}/.skills/count/tests/bad.yaml"' in (tmp_path / "out.xml").read_text("utf-8")


@pytest.mark.parametrize("kind", NewType)
def test_the_cases_of_new_skills_pass(run: Run, root: Path, kind: NewType) -> None:
    made = run("new", f"a-{kind}", "--type", kind, "--description", "Does it. Use when it must be done.", cwd=root)
    assert made.code == 0, made
    done = run("runtime", "test", f"a-{kind}", cwd=root)
    assert (done.code, done.out.splitlines()[-1][:21]) == (0, "1 case: 1 ok, 0 faile"), done
    assert "No case of" not in done.out


@pytest.mark.parametrize(("path", "is_same"), [("****.txt", True), ("b****.txt", False)])
def test_a_masked_secret_of_a_record_equals_any_text(run: Run, root: Path, path: str, is_same: bool) -> None:
    case = {"call": CALL, "host": [{**READ, "args": {"path": path}}], "expect": {"contains": "lines"}}
    found = tried(run, root, case, code=int(not is_same))
    assert (found == [[]]) is is_same
