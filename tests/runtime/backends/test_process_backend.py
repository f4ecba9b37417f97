"""The `process` backend with children that keep to the protocol."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.manifest.names import BackendKind, Permission, Phase
from skillbag.kernel.manifest.values import Implementation, ToolDeclaration
from skillbag.runtime.backends.backend import CallKind, ToolOutput
from skillbag.runtime.backends.programs import ProcessBackend
from skillbag.runtime.errors import (
    ChildError,
    NotFoundError,
    NotPermittedError,
    RateLimitedError,
    RuntimeFaultError,
    TimeLimitError,
)
from tests.rows import each_row
from tests.runtime.children import ECHO, launch_of, loaded, process_launch

REPLY = """
starts()
request = read()
answer(request, output(host("read_file", path="x")))
read()
"""


def test_a_tool_gives_text_or_json(tmp_path: Path) -> None:
    with loaded(ProcessBackend(process_launch(tmp_path, ECHO))) as backend:
        assert backend.call(CallKind.TOOL, "t", "plain é \u2028") == ToolOutput("plain é \u2028")
        assert json.loads(backend.call(CallKind.TOOL, "t", {"a": [1, None, "\ud800"]}).content) == {
            "a": [1, None, "\ufffd"]
        }


def test_what_it_registers_is_completed_by_the_manifest(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"type": "object", "required": ["x"]}')
    launch = process_launch(
        tmp_path,
        """
starts(tools=[{"name": "t"}, {"name": "u", "description": "own", "input_schema": {"type": "object", "a": 1}}],
       hooks=["OnActivate", "OnBeforeToolCall", "OnActivate"], workflows=["w"], scanners=["s"])
read()
""",
    )
    tools = (ToolDeclaration("t", "told", "s.json", requires_approval=True), ToolDeclaration("u", "told", "s.json"))
    backend = ProcessBackend(launch._replace(manifest=launch.manifest._replace(tools=tools)))
    registration = backend.load()
    backend.unload()
    assert registration.tools[0] == ("t", "told", {"type": "object", "required": ["x"]}, True)
    assert registration.tools[1] == ("u", "own", {"type": "object", "a": 1}, False)
    assert registration.hooks == (Phase.ACTIVATE, Phase.BEFORE_TOOL_CALL, Phase.ACTIVATE)
    assert (registration.workflows, registration.scanners) == (("w",), ("s",))


@each_row(
    ("registered", "message"),
    [
        ('tools=[{"name": "1x"}]', r"'1x' is no name of a tool"),
        ('tools=[{"name": "t"}, {"name": "t"}]', "t is registered twice"),
        ("tools=7", "tools is no list"),
        ('tools=[{"name": "t", "input_schema": []}]', "input_schema no object"),
        ('hooks=["OnSetup"]', 'register_hook: unknown hook phase "OnSetup"'),
        ('workflows=["a\\x1b"]', "workflows is no list of names"),
    ],
)
def test_a_wrong_registration_is_refused(tmp_path: Path, registered: str, message: str) -> None:
    with pytest.raises(ChildError, match=message):
        ProcessBackend(process_launch(tmp_path, f"starts({registered})\nread()\n")).load()


def test_what_it_is_told_at_the_start(tmp_path: Path) -> None:
    granted = frozenset({Permission.FILE_READ, Permission.ENV_READ})
    text = """
request = read()
answer(request, {"tools": [{"name": "t", "description": json.dumps(request["params"])}]})
read()
"""
    launch = process_launch(tmp_path, text, workspace=str(tmp_path), granted=granted)
    backend = ProcessBackend(launch)
    reported = json.loads(backend.load().tools[0].description)
    backend.unload()
    assert reported == {
        "name": "child",
        "version": "1.0.0",
        "protocol": 1,
        "workspace": str(tmp_path),
        "skill_dir": str(tmp_path),
        "granted": ["env:read", "file:read"],
    }


def test_hooks_workflows_and_scanners(tmp_path: Path) -> None:
    child = """
starts()
while True:
    request = read()
    method, params = request["method"], request["params"]
    if method == "hook/handle":
        answer(request, [params])
    elif method == "workflow/run":
        answer(request, {"value": params})
    elif method == "scan/run":
        answer(request, {"findings": [params]})
    else:
        break
"""
    with loaded(ProcessBackend(process_launch(tmp_path, child))) as backend:
        hook = backend.call(CallKind.HOOK, "OnActivate", {"x": 1}, number=2)
        assert hook == [{"phase": "OnActivate", "data": {"x": 1}, "handler": 2}]
        assert backend.call(CallKind.WORKFLOW, "w", [1]) == {"name": "w", "input": [1]}
        found = backend.call(CallKind.SCAN, "s", {"path": "p", "content": "c"})
        assert found == [{"name": "s", "path": "p", "content": "c"}]


def test_host_functions_are_called_within_a_call(tmp_path: Path) -> None:
    requested: list[tuple[str, Mapping[str, Any]]] = []

    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        requested.append((name, arguments))
        return {"text": "é"}

    with loaded(ProcessBackend(process_launch(tmp_path, REPLY, host=host))) as backend:
        answer = json.loads(backend.call(CallKind.TOOL, "t", {}).content)
    assert requested == [("read_file", {"path": "x"})]
    assert answer["result"] == {"text": "é"}


@each_row(
    ("error", "code"),
    [
        (NotPermittedError, -32001),
        (RateLimitedError, -32002),
        (TimeLimitError, -32003),
        (NotFoundError, -32004),
        (RuntimeFaultError, -32603),
    ],
)
def test_errors_keep_their_code_both_ways(tmp_path: Path, error: type[RuntimeFaultError], code: int) -> None:
    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        raise error("no")

    child = """
starts()
request = read()
fault = host("fetch", url="x")["error"]
write({"id": request["id"], "error": fault})
request = read()
write({"id": request["id"], "error": fault})
read()
"""
    with loaded(ProcessBackend(process_launch(tmp_path, child, host=host))) as backend:
        with pytest.raises(error, match=r"^no$") as raised:
            backend.call(CallKind.WORKFLOW, "w", {})
        assert raised.value.code == code
        assert backend.call(CallKind.TOOL, "t", {}) == ToolOutput("no", is_error=True)


def test_the_environment_is_that_of_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_TEST_SECRET", "hunter2")
    monkeypatch.setenv("LC_TEST", "x")
    child = "starts()\nrequest = read()\nanswer(request, output({**os.environ, 'cwd': os.getcwd()}))\nread()\n"
    with loaded(ProcessBackend(process_launch(tmp_path, child, session="s1"))) as backend:
        seen = json.loads(backend.call(CallKind.TOOL, "t", {}).content)
    assert "SKILLBAG_TEST_SECRET" not in seen
    assert (seen["LC_TEST"], seen["SKILLBAG_SESSION"]) == ("x", "s1")
    assert seen["SKILL_DIR"] == seen["cwd"] == str(tmp_path)


def test_arguments_are_given_without_a_shell(tmp_path: Path) -> None:
    launch = process_launch(tmp_path, "starts()\nrequest = read()\nanswer(request, output(sys.argv[1:]))\nread()\n")
    words = ("--stdio", "$HOME; ls", "a b")
    made = Implementation(BackendKind.PROCESS, "bin/child", args=words)
    with loaded(ProcessBackend(launch._replace(manifest=launch.manifest._replace(implementation=made)))) as backend:
        assert json.loads(backend.call(CallKind.TOOL, "t", {}).content) == list(words)


def test_a_program_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process_launch(tmp_path, ECHO)
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    with loaded(ProcessBackend(launch_of(other, Implementation(BackendKind.PROCESS, "child")))) as backend:
        assert backend.call(CallKind.TOOL, "t", "x") == ToolOutput("x")


@each_row(
    ("entrypoint", "message"),
    [
        ("/bin/cat", "an absolute path"),
        ("../out", "out of its folder"),
        ("link", "out of its folder"),
        ("bin", "Is a directory"),
        ("plain", r"not executable; make it so \(chmod \+x\)"),
        ("no/such", "there is no such program in the skill$"),
        ("no-such-program", "in the skill or on PATH"),
    ],
)
def test_entrypoints_that_are_refused(tmp_path: Path, entrypoint: str, message: str) -> None:
    (tmp_path / "out").write_text("#!/bin/sh\n")
    (tmp_path / "out").chmod(0o755)
    skill = tmp_path / "skill"
    (skill / "bin").mkdir(parents=True)
    (skill / "plain").write_text("x")
    (skill / "link").symlink_to(tmp_path / "out")
    with pytest.raises(ChildError, match=message):
        ProcessBackend(launch_of(skill, Implementation(BackendKind.PROCESS, entrypoint))).load()


def test_calls_before_and_after_its_life_are_refused(tmp_path: Path) -> None:
    backend = ProcessBackend(process_launch(tmp_path, ECHO))
    with pytest.raises(ChildError, match="not active"):
        backend.call(CallKind.TOOL, "t", {})
    with loaded(backend), pytest.raises(ChildError, match="running already"):
        backend.load()
    with pytest.raises(ChildError, match="not active"):
        backend.call(CallKind.TOOL, "t", {})
    with loaded(backend):
        assert backend.call(CallKind.TOOL, "t", "again").content == "again"
