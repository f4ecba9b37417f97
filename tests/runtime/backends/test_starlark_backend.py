"""The `starlark` backend: what skills can do, and the errors of those that are wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.manifest.names import BackendKind, Phase
from skillbag.kernel.manifest.values import Implementation
from skillbag.runtime.backends.backend import CallKind, Launch, ToolOutput
from skillbag.runtime.backends.choose import make_backend
from skillbag.runtime.errors import ChildError, NotFoundError, NotPermittedError, RuntimeFaultError
from tests.rows import each_row
from tests.runtime.children import launch_of, loaded


def starlark(folder: Path, text: str, **changed: Any) -> Launch:
    (folder / "skill.star").write_text(text)
    return launch_of(folder, Implementation(BackendKind.STARLARK, "skill.star"), **changed)


def answer(folder: Path, text: str, value: Any = None, **changed: Any) -> Any:
    """What the workflow `w` of the text gives."""
    with loaded(make_backend(starlark(folder, text, **changed))) as backend:
        return backend.call(CallKind.WORKFLOW, "w", value)


def test_everything_that_it_can_register(tmp_path: Path) -> None:
    text = """
def handle(event):
    return hook_result(response = event["data"]["response"] + "!", cancel = event["phase"] == "OnBeforeToolCall")
register_tool("a", "Does a.", lambda d: d, input_schema = {"type": "object", "x": 1}, requires_approval = True)
register_tool(name = "b", description = "Does b.", handler = lambda d: "text")
register_hook("OnAfterResponse", handle)
register_hook("OnAfterResponse", lambda event: None)
register_workflow("w", lambda d: [d])
register_scanner("s", lambda content: [{"line": 1, "message": content}])
"""
    backend = make_backend(starlark(tmp_path, text))
    registration = backend.load()
    assert registration.tools[0] == ("a", "Does a.", {"type": "object", "x": 1}, True)
    assert registration.tools[1] == ("b", "Does b.", {"type": "object"}, False)
    assert registration.hooks == (Phase.AFTER_RESPONSE, Phase.AFTER_RESPONSE)
    assert (registration.workflows, registration.scanners) == (("w",), ("s",))
    assert backend.call(CallKind.TOOL, "a", {"n": None, "é": [1.5, True]}) == ToolOutput('{"n":null,"é":[1.5,true]}')
    assert backend.call(CallKind.TOOL, "b", {}) == ToolOutput("text")
    data = {"response": "hi", "response_reason": ""}
    assert backend.call(CallKind.HOOK, "OnAfterResponse", data) == {
        "modified": {"response": "hi!"},
        "cancel": False,
        "reason": "",
    }
    assert backend.call(CallKind.HOOK, "OnAfterResponse", data, number=1) is None
    assert backend.call(CallKind.WORKFLOW, "w", 7) == [7]
    assert backend.call(CallKind.SCAN, "s", {"path": "p", "content": "c"}) == [{"line": 1, "message": "c"}]
    with pytest.raises(NotFoundError, match="there is no workflow x"):
        backend.call(CallKind.WORKFLOW, "x", {})
    backend.unload()


CALLS = {
    'read_file("p")': ("read_file", {"path": "p"}),
    'list_dir("p")': ("list_dir", {"path": "p"}),
    'search_files("*.py")': ("search_files", {"pattern": "*.py"}),
    'write_file("p", content = "c")': ("write_file", {"path": "p", "content": "c"}),
    'exec("ls", "-l", "a b")': ("exec", {"command": "ls", "args": ["-l", "a b"]}),
    'fetch("https://x")': ("fetch", {"url": "https://x"}),
    'llm_complete("p")': ("llm_complete", {"prompt": "p"}),
    'llm_json("p", {"type": "object"})': ("llm_json", {"prompt": "p", "schema": {"type": "object"}}),
    'git_diff("HEAD")': ("git_diff", {"args": ["HEAD"]}),
    'git_log("-n", "3")': ("git_log", {"args": ["-n", "3"]}),
    "git_status()": ("git_status", {}),
    'git_add("a", "b")': ("git_add", {"paths": ["a", "b"]}),
    'git_commit("m")': ("git_commit", {"message": "m"}),
    'git_branch("b")': ("git_branch", {"name": "b"}),
    'env("K")': ("env", {"key": "K"}),
    'set_env("K", "v")': ("set_env", {"key": "K", "value": "v"}),
    'invoke_skill("s/w", {"a": 1})': ("invoke_skill", {"name": "s/w", "input": {"a": 1}}),
    "project_root()": ("project_root", {}),
    "project_language()": ("project_language", {}),
    'load_file("p")': ("load_file", {"path": "p"}),
    'log("m")': ("log", {"message": "m"}),
    'log("warn", "m")': ("log", {"level": "warn", "message": "m"}),
}


def test_every_built_in_calls_its_host_function(tmp_path: Path) -> None:
    requested: list[tuple[str, Mapping[str, Any]]] = []

    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        requested.append((name, arguments))
        return {"from": name}

    body = "\n    ".join(f"found.append({call})" for call in CALLS)
    text = f"def w(d):\n    found = []\n    {body}\n    return found\nregister_workflow('w', w)\n"
    found = answer(tmp_path, text, host=host)
    assert requested == list(CALLS.values())
    assert found == [None if name == "log" else {"from": name} for name, _ in CALLS.values()]


def test_an_error_of_the_host_ends_the_handler_and_keeps_its_kind(tmp_path: Path) -> None:
    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        raise NotPermittedError('exec: permission "shell:exec" not declared in skill "child" manifest')

    text = "def w(d):\n    exec('ls')\n    return 1\nregister_workflow('w', w)\nregister_tool('t', '', w)\n"
    with loaded(make_backend(starlark(tmp_path, text, host=host))) as backend:
        with pytest.raises(NotPermittedError, match=r'^exec: permission "shell:exec" not declared'):
            backend.call(CallKind.WORKFLOW, "w", {})
        assert backend.call(CallKind.TOOL, "t", {}).is_error


FAULTS = {
    "1 // (len(d) - 1)": "skill.star:1:34: Floor division by zero",
    'error("mine")': "^mine$",
    'fail("other")': "fail: other",
    "read_file()": "Missing (?:positional|named-only)? ?parameter `path`",
    "d.missing": "skill.star:1:",
    "lambda: 1": "not supported on type `function`",
    'write_file("x", "y" * 1100000)': "write_file: the arguments are larger than 1 MiB",
    '"y" * 1100000': "the result is larger than 1 MiB",
}


@each_row("expression", FAULTS)
def test_an_error_of_a_handler_is_one_sentence_with_its_place(tmp_path: Path, expression: str) -> None:
    with pytest.raises(RuntimeFaultError, match=FAULTS[expression]) as raised:
        answer(tmp_path, f"register_workflow('w', lambda d: {expression})\n", [1])
    assert "\n" not in str(raised.value)


PLACED = {
    "read_file(d)": r"^read_file: not there \(lib\.star:7\)$",
    "inner(d)": r"^lib\.star:3:21: Index `5` is out of bound$",
    "[].append(1, 2)": r"^lib\.star:7:12: Wrong number of positional",
    "exec(1, bad=2)": r"^lib\.star:7:12: Found `bad`",
    "register_hook('OnActivate', print)": r"^register_hook: call it while .* \(lib\.star:7\)$",
    "register_hook('OnActivate', 1)": r"^lib\.star:7: fail: register_hook: the handler is no function",
}


@each_row("expression", PLACED)
def test_an_error_names_the_innermost_line_of_the_skill(tmp_path: Path, expression: str) -> None:
    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        raise NotFoundError("read_file: not there")

    inner = "def inner(d):\n    x = [d]\n    return d if 1 < x[5] else 1\n\n"
    lib = f"{inner}def outer(d):\n    x = d\n    {{}}{expression}\n"
    for code in ("x = ", "return "):
        (tmp_path / "lib.star").write_text(lib.format(code))
        text = "load('//lib.star', 'outer')\n\ndef handler(d):\n    x = outer(d)\n    return x\n"
        text += "register_hook('OnBeforeToolCall', handler)\nregister_workflow('w', handler)\n"
        with loaded(make_backend(starlark(tmp_path, text, host=host))) as backend:
            for kind, name in ((CallKind.WORKFLOW, "w"), (CallKind.HOOK, "OnBeforeToolCall")):
                with pytest.raises(RuntimeFaultError, match=PLACED[expression].replace(":12", ":(9|12)")):
                    backend.call(kind, name, {"a": 1})


def test_an_error_while_a_file_is_loaded_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "lib.star").write_text("a = 1\nregister_tool('t', '', 1)\n")
    with pytest.raises(ChildError, match=r"^lib\.star:2: fail: register_tool: the handler is no function"):
        make_backend(starlark(tmp_path, "\nload('//lib.star', 'a')\n")).load()
    with pytest.raises(ChildError, match=r"^missing\.star: No such file"):
        make_backend(starlark(tmp_path, "\nload('//missing.star', 'a')\n")).load()


def test_files_of_the_skill_are_loaded_once_and_may_register(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.star").write_text(
        'load("//lib/b.star", "twice")\nregister_workflow("a", twice)\ndef four(n): return twice(twice(n))\n'
    )
    (tmp_path / "lib" / "b.star").write_text("def twice(n): return 2 * n\n")
    text = 'load("//lib/a.star", "four")\nload("//lib/b.star", "twice")\nregister_workflow("w", four)\n'
    with loaded(make_backend(starlark(tmp_path, text))) as backend:
        assert backend.call(CallKind.WORKFLOW, "w", 5) == 20
        assert backend.call(CallKind.WORKFLOW, "a", 5) == 10


LOADS = {
    'load("lib.star", "x")': "give a path from the skill's folder",
    'load("//../out.star", "x")': "out of its folder",
    'load("//link.star", "x")': "out of its folder",
    'load("//missing.star", "x")': "missing.star: No such file",
    'load("//loop.star", "x")': "loads itself",
    'load("//binary.star", "x")': "it is not UTF-8",
    'load("//late.star", "late")\nlate()': "register_tool: call it while the file with this call is loaded, not later",
    "x = 1 +": r"skill.star:1:\d+: Parse error",
    "x = 1 // 0": "Floor division by zero",
    "register_hook('OnSetup', lambda e: None)": 'register_hook: unknown hook phase "OnSetup"',
    "register_tool('t', '', 'no')": "register_tool: the handler is no function",
    "register_tool(7, '', lambda d: d)": "register_tool: the name is no text",
    "x = [0] * 100000000": "memory allocation of .* failed",
}


@each_row("text", LOADS)
def test_files_that_can_not_be_loaded(tmp_path: Path, text: str) -> None:
    skill = tmp_path / "skill"
    skill.mkdir()
    (tmp_path / "out.star").write_text("x = 1\n")
    (skill / "link.star").symlink_to(tmp_path / "out.star")
    (skill / "loop.star").write_text('load("//loop.star", "x")\n')
    (skill / "binary.star").write_bytes(b"x = '\xff'\n")
    (skill / "late.star").write_text("def late():\n    register_tool('t', '', lambda d: d)\n")
    with pytest.raises(ChildError, match=LOADS[text]) as raised:
        make_backend(starlark(skill, text + "\n")).load()
    assert "\n" not in str(raised.value)


def test_no_call_sees_the_state_of_another(tmp_path: Path) -> None:
    text = "seen = []\ndef w(d):\n    seen.append(d)\n    return seen\nregister_workflow('w', w)\n"
    with pytest.raises(RuntimeFaultError, match="Immutable"):
        answer(tmp_path, text)


def test_main_star_is_the_default(tmp_path: Path) -> None:
    (tmp_path / "main.star").write_text("register_workflow('w', lambda d: 'main')\n")
    with loaded(make_backend(launch_of(tmp_path, Implementation(BackendKind.STARLARK)))) as backend:
        assert backend.call(CallKind.WORKFLOW, "w", {}) == "main"


def test_it_may_call_itself_through_the_host_and_from_threads(tmp_path: Path) -> None:
    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        if name == "env":
            raise RuntimeFaultError(f"env: no {arguments['key']}")
        return backend.call(CallKind.WORKFLOW, "w", arguments["input"])

    text = """
def w(n):
    return n if n < 1 else [invoke_skill("child", n - 1)]
register_workflow("w", w)
register_tool("t", "", lambda n: env(str(n)))
"""
    backend = make_backend(starlark(tmp_path, text, host=host))
    with loaded(backend), ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda n: backend.call(CallKind.WORKFLOW, "w", n % 4), range(80)))
        faults = list(pool.map(lambda n: backend.call(CallKind.TOOL, "t", n).content, range(80)))
    assert [json.dumps(found).count("[") for found in answers] == [n % 4 for n in range(80)]
    assert faults == [f"env: no {n} (skill.star:5)" for n in range(80)]


def test_its_prints_do_not_disturb_the_protocol(tmp_path: Path) -> None:
    assert (
        answer(tmp_path, "def w(d):\n    print(d)\n    return d\nregister_workflow('w', w)\n", 'x\n{"id":1}')
        == 'x\n{"id":1}'
    )


def test_children_never_import_the_package() -> None:
    children = Path(__file__).parents[3] / "skillbag" / "runtime" / "backends" / "children"
    for file in children.glob("*.py"):
        run = re.sub(r"if TYPE_CHECKING:\n(?:(?: {4}.*)?\n)+", "", file.read_text())
        assert not re.search(r"^\s*(?:from|import) skillbag", run, re.MULTILINE), file
