"""`docs/runtime-protocol.md` is enough to write a child: its own in Perl, and one for Node.js written from it alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.manifest.names import BackendKind, Phase
from skillbag.kernel.manifest.values import Implementation
from skillbag.runtime.backends.backend import Backend, CallKind, Launch, ToolOutput
from skillbag.runtime.backends.child import INITIALIZE_LIMIT, LIMITS, SHUTDOWN_LIMIT
from skillbag.runtime.backends.jsonrpc import LONGEST_SENT
from skillbag.runtime.backends.programs import ProcessBackend
from skillbag.runtime.backends.restarts import ATTEMPTS
from skillbag.runtime.errors import NotPermittedError, RuntimeFaultError, TimeLimitError
from tests.runtime.children import launch_of, loaded
from tests.support import PROJECT

PAGE = (PROJECT / "docs" / "runtime-protocol.md").read_text("utf-8")
NODE_CHILD = (Path(__file__).parent / "child.js").read_text("utf-8")


def child_of(folder: Path, text: str, program: str, **changed: Any) -> Backend:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"no {program}")
    file = folder / "child"
    file.write_text(re.sub(r"^#!.*", f"#!{found}", text))
    file.chmod(0o755)
    launch: Launch = launch_of(folder, Implementation(BackendKind.PROCESS, "child"), **changed)
    return ProcessBackend(launch)


def test_the_child_of_the_page(tmp_path: Path) -> None:
    text = PAGE.split("```perl\n")[1].split("```")[0]
    with loaded(child_of(tmp_path, text, "perl")) as backend:
        assert backend.call(CallKind.TOOL, "echo", {"text": "é"}) == ToolOutput("é")
        with pytest.raises(RuntimeFaultError, match="there is no method workflow/run") as raised:
            backend.call(CallKind.WORKFLOW, "w", {})
        assert raised.value.code == -32601
        backend.unload()
        backend.load()


def test_a_child_in_javascript_brings_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessBackend, "grace", 1000)
    remarks: list[str] = []

    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        if name == "invoke_skill":
            return backend.call(CallKind.WORKFLOW, "again", arguments["input"])
        if name == "exec":
            raise NotPermittedError("exec: not declared")
        return {"function": name, "arguments": dict(arguments)}

    backend = child_of(tmp_path, NODE_CHILD, "node", host=host, remark=remarks.append)
    registration = backend.load()
    assert [tool.name for tool in registration.tools] == ["echo", "read", "denied", "hang"]
    assert registration.hooks == (Phase.BEFORE_TOOL_CALL, Phase.BEFORE_TOOL_CALL)
    assert backend.call(CallKind.TOOL, "echo", {"text": "x" * 100_000}) == ToolOutput("x" * 100_000)
    answer = json.loads(backend.call(CallKind.TOOL, "read", {"path": "a"}).content)
    assert answer == {"function": "read_file", "arguments": {"path": "a"}}
    assert backend.call(CallKind.TOOL, "denied", {}) == ToolOutput("exec: not declared", is_error=True)
    hook = backend.call(CallKind.HOOK, "OnBeforeToolCall", {"tool_name": "rm", "input": "{}"}, number=1)
    assert hook == {"modified": {"input": '{"seen":"rm"}'}, "cancel": True, "reason": "handler 1"}
    assert backend.call(CallKind.WORKFLOW, "nest", 3) == [3, [2, [1, 0]]]
    assert backend.call(CallKind.SCAN, "words", {"path": "p", "content": "a TODO b"}) == [
        {"rule": "todo", "message": "p has a TODO", "severity": "low", "line": 1}
    ]
    with pytest.raises(TimeLimitError):
        backend.call(CallKind.TOOL, "hang", {}, timeout=0.2)
    assert backend.call(CallKind.TOOL, "echo", {"text": "still the same"}) == ToolOutput("still the same")
    backend.unload()
    assert remarks == []


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    limits = dict(
        re.findall(r"^\| `([\w/]+)` \| .* \| ([^|]*?) \|$", PAGE.split("## Requests of the host")[1], re.MULTILINE)
    )
    assert limits["initialize"] == f"{INITIALIZE_LIMIT:g} s"
    assert limits["tool/execute"].startswith(f"{LIMITS[CallKind.TOOL]:g} s")
    assert limits["hook/handle"] == f"{LIMITS[CallKind.HOOK]:g} s"
    assert limits["workflow/run"] == f"{LIMITS[CallKind.WORKFLOW]:g} s"
    assert limits["scan/run"] == f"{LIMITS[CallKind.SCAN]:g} s"
    assert limits["shutdown"] == f"{SHUTDOWN_LIMIT:g} s"
    assert f"the host at most {LONGEST_SENT >> 20} MiB" in PAGE
    assert f"at most {ATTEMPTS} times" in PAGE
