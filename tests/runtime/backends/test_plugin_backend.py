"""The `plugin` backend: Python in a child, and the SDK that it imports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.manifest.names import BackendKind, Phase
from skillbag.kernel.manifest.values import Implementation
from skillbag.runtime.backends.backend import Backend, CallKind, ToolOutput
from skillbag.runtime.backends.choose import make_backend
from skillbag.runtime.errors import ChildError, NotPermittedError, RuntimeFaultError
from tests.rows import each_row
from tests.runtime.children import launch_of, loaded

SKILL = """
from skillbag.skill_sdk import Context, ExecResult, FileInfo, GitCommit, GitFileStatus, HostError, PermissionDeniedError
import os, sys

class Skill:
    def manifest(self):
        return {"name": "child", "version": "1.0.0"}

    def activate(self, ctx: Context):
        self.ctx = ctx
        ctx.register_workflow("w", lambda value: BODY)

    def deactivate(self, ctx):
        ctx.log("bye")

def new_skill():
    return Skill()
"""


def plugin(folder: Path, files: Mapping[str, str], entrypoint: str = "skill.py", **changed: Any) -> Backend:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return make_backend(launch_of(folder, Implementation(BackendKind.PLUGIN, entrypoint), **changed))


def answer(folder: Path, body: str, value: Any = None, host: Any = None, **files: str) -> Any:
    """What a workflow gives that evaluates `body`, in which `self.ctx` is the context."""
    texts = {"skill.py": SKILL.replace("BODY", body), **{f"{name}.py": text for name, text in files.items()}}
    with loaded(plugin(folder, texts, host=host or (lambda *_: None))) as backend:
        return backend.call(CallKind.WORKFLOW, "w", value)


def test_everything_that_it_can_register(tmp_path: Path) -> None:
    text = SKILL.replace('ctx.register_workflow("w", lambda value: BODY)', "self.more(ctx)") + (
        """
def more(self, ctx):
    ctx.register_tool("a", "Does a.", lambda d: d, {"type": "object", "x": 1}, requires_approval=True)
    ctx.register_tool("b", "Does b.", lambda d: "text")
    ctx.register_hook("OnAfterResponse", lambda event: {"modified": {"response": event["skill_name"]}})
    ctx.register_hook("OnAfterResponse", lambda event: None)
    ctx.register_scanner("s", lambda content: (line for line in content.split()))
Skill.more = more
"""
    )
    with loaded(plugin(tmp_path, {"skill.py": text}, host=lambda *_: None)) as backend:
        backend.unload()
        registration = backend.load()
        assert registration.tools[0] == ("a", "Does a.", {"type": "object", "x": 1}, True)
        assert registration.tools[1] == ("b", "Does b.", {"type": "object"}, False)
        assert registration.hooks == (Phase.AFTER_RESPONSE, Phase.AFTER_RESPONSE)
        assert backend.call(CallKind.TOOL, "a", {"é": 1}) == ToolOutput('{"é":1}')
        assert backend.call(CallKind.TOOL, "b", {}) == ToolOutput("text")
        assert backend.call(CallKind.HOOK, "OnAfterResponse", {}) == {"modified": {"response": "child"}}
        assert backend.call(CallKind.HOOK, "OnAfterResponse", {}, number=1) is None
        assert backend.call(CallKind.SCAN, "s", {"path": "p", "content": "a b"}) == ["a", "b"]


FUNCTIONS: Mapping[str, tuple[str, Mapping[str, Any], Any, str]] = {
    'read_file("p")': ("read_file", {"path": "p"}, "text", "'text'"),
    'write_file("p", "c")': ("write_file", {"path": "p", "content": "c"}, None, "None"),
    "list_dir()": (
        "list_dir",
        {"path": ".", "details": True},
        [{"name": "a", "is_dir": False, "size": 3}],
        "[FileInfo(name='a', is_dir=False, size=3)]",
    ),
    'search_files("*")': ("search_files", {"pattern": "*"}, ["a"], "['a']"),
    'exec("ls", "-l")': (
        "exec",
        {"command": "ls", "args": ["-l"]},
        {"stdout": "o", "stderr": "e", "exit_code": 2},
        "ExecResult(stdout='o', stderr='e', exit_code=2)",
    ),
    'complete("p")': ("llm_complete", {"prompt": "p"}, "said", "'said'"),
    'complete_json("p", {})': ("llm_json", {"prompt": "p", "schema": {}}, [1], "[1]"),
    'fetch("u")': ("fetch", {"url": "u"}, "page", "'page'"),
    'git_diff("HEAD")': ("git_diff", {"args": ["HEAD"]}, "d", "'d'"),
    "git_log()": (
        "git_log",
        {"args": []},
        [{"hash": "h", "author": "a", "message": "m", "date": "d"}],
        "[GitCommit(hash='h', author='a', message='m', date='d')]",
    ),
    "git_status()": ("git_status", {}, [{"path": "p", "status": " M"}], "[GitFileStatus(path='p', status=' M')]"),
    'git_add("a")': ("git_add", {"paths": ["a"]}, None, "None"),
    'git_commit("m")': ("git_commit", {"message": "m"}, None, "None"),
    'git_branch("b")': ("git_branch", {"name": "b"}, None, "None"),
    'get_env("K")': ("env", {"key": "K"}, "v", "'v'"),
    'set_env("K", "v")': ("set_env", {"key": "K", "value": "v"}, None, "None"),
    'invoke_skill("s", 1)': ("invoke_skill", {"name": "s", "input": 1}, {"x": 2}, "{'x': 2}"),
    "project_root()": ("project_root", {}, "/w", "'/w'"),
    "project_language()": ("project_language", {}, "go", "'go'"),
    'load_file("p")': ("load_file", {"path": "p"}, "t", "'t'"),
    'log("m", "warn")': ("log", {"level": "warn", "message": "m"}, None, "None"),
}


def test_every_function_of_the_context(tmp_path: Path) -> None:
    requested: list[tuple[str, Mapping[str, Any]]] = []
    answers = {name: value for name, _, value, _ in FUNCTIONS.values()}

    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        requested.append((name, arguments))
        return answers[name]

    body = "[" + ", ".join(f"repr(self.ctx.{call})" for call in FUNCTIONS) + "]"
    found = answer(tmp_path, body, host=host)
    assert requested == [(name, arguments) for name, arguments, _, _ in FUNCTIONS.values()] + [
        ("log", {"level": "info", "message": "bye"})
    ]
    assert found == [shown for _, _, _, shown in FUNCTIONS.values()]


def test_a_denied_permission_has_its_own_error(tmp_path: Path) -> None:
    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        if name == "exec":
            raise NotPermittedError("exec: not declared")
        raise RuntimeFaultError("else")

    caught = SKILL.replace("BODY", "self.caught()") + (
        """
def caught(self):
    try:
        self.ctx.exec("ls")
    except PermissionDeniedError as error:
        return str(error)
Skill.caught = caught
"""
    )
    backend = plugin(tmp_path, {"skill.py": caught}, host=host)
    backend.load()
    assert backend.call(CallKind.WORKFLOW, "w", None) == "exec: not declared"
    with pytest.raises(ChildError, match="while it shut down: else"):
        backend.unload()
    with pytest.raises(NotPermittedError, match="exec: not declared"):
        answer(tmp_path, "self.ctx.exec('ls')", host=host)


def test_an_exception_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RuntimeFaultError, match=r"^ZeroDivisionError: division by zero \(skill\.py:11\)$"):
        answer(tmp_path, "1 / 0")
    with pytest.raises(RuntimeFaultError, match="the result is no JSON value"):
        answer(tmp_path, "{1, 2}")


def test_its_own_folder_alone_is_on_the_path(tmp_path: Path) -> None:
    names = {"wire": "X = 5\n", "json": "raise RuntimeError\n", "other": "import wire\nY = wire.X + 1\n"}
    body = "[__import__('other').Y, sys.path[0], [p for p in sys.path if 'site-packages' in p], sys.stdin.read()]"
    assert answer(tmp_path, body, **names) == [6, str(tmp_path), [], ""]
    with pytest.raises(RuntimeFaultError, match="ModuleNotFoundError: No module named 'pytest'"):
        answer(tmp_path, "__import__('pytest')")
    with pytest.raises(RuntimeFaultError, match=r"No module named 'skillbag\.runtime'"):
        answer(tmp_path, "__import__('skillbag.runtime')")


def test_bytecode_in_its_folder_is_neither_read_nor_written(tmp_path: Path) -> None:
    assert answer(tmp_path, "__import__('other').X", other="X = 1\n") == 1
    assert not list(tmp_path.rglob("*.pyc"))


def test_what_it_prints_goes_to_the_log(tmp_path: Path) -> None:
    body = """[print('{"id": 1}'), os.write(1, b'x\\\\n'), os.system('echo y')] and 3"""
    assert answer(tmp_path, body) == 3


PACKAGE = """
class S:
    def manifest(self): return {"name": "child"}
    def activate(self, ctx): ctx.register_workflow("w", lambda v: v)
    def deactivate(self, ctx): pass
"""


@each_row("entrypoint", ["pkg.inner:make", "pkg/inner.py", "pkg:S", "old.py"])
def test_forms_of_the_entrypoint(tmp_path: Path, entrypoint: str) -> None:
    files = {
        "pkg/__init__.py": "from .inner import S\n",
        "pkg/inner.py": PACKAGE + "def make(): return S()\nnew_skill = make\n",
        "old.py": PACKAGE + "NewSkill = S\n",
    }
    with loaded(plugin(tmp_path, files, entrypoint)) as backend:
        assert backend.call(CallKind.WORKFLOW, "w", {"a": 1}) == {"a": 1}


LOADS = {
    "missing.py": "plugin missing.py: the skill has no file missing.py",
    "gone:new": "plugin gone:new: the skill has no file gone.py",
    "out.py": "out of its folder",
    "json.decoder:x": "the skill has no file json/decoder.py",
    "plain.py": "plain.py: it has no function new_skill or NewSkill",
    "plain:factory": "plain:factory: it has no function factory",
    "wrong.py": r"wrong.py: new_skill\(\) gave a int without manifest, activate, deactivate",
    "other.py": "other.py: the plugin names itself 'zz', and its manifest 'child'",
    "broken.py": r"broken.py: it can't be imported: ModuleNotFoundError: No module named 'absent' \(broken.py:1\)$",
    "syntax.py": "it can't be imported: SyntaxError",
    "exits.py": "it can't be imported: SystemExit: 3",
    "fails.py": r"KeyError: 'activate' \(fails.py:\d+\)$",
    "late.py": "register in activate",
}


@each_row("entrypoint", LOADS)
def test_each_fault_of_loading_is_told_apart(tmp_path: Path, entrypoint: str) -> None:
    (tmp_path / "out.py").write_text("")
    skill = tmp_path / "skill"
    files = {
        "plain.py": "x = 1\n",
        "wrong.py": "def new_skill(): return 7\n",
        "other.py": PACKAGE.replace("child", "zz") + "new_skill = S\n",
        "broken.py": "import absent\n",
        "syntax.py": "def\n",
        "exits.py": "raise SystemExit(3)\n",
        "fails.py": PACKAGE.replace('ctx.register_workflow("w", lambda v: v)', "{}['activate']") + "new_skill = S\n",
        "late.py": PACKAGE.replace("lambda v: v", "lambda v: ctx.register_workflow('x', print)") + "new_skill = S\n",
    }
    skill.mkdir()
    (skill / "out.py").symlink_to(tmp_path / "out.py")
    backend = plugin(skill, files, entrypoint)
    with pytest.raises(RuntimeFaultError, match=LOADS[entrypoint]), loaded(backend):
        backend.call(CallKind.WORKFLOW, "w", {})


def test_the_sdk_imports_the_standard_library_alone() -> None:
    from skillbag import skill_sdk

    lines = Path(str(skill_sdk.__file__)).read_text().splitlines()
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    assert [line.split()[1] for line in imports] == ["__future__", "collections.abc", "typing"]


def test_the_context_works_without_a_child() -> None:
    from skillbag.skill_sdk import Context

    registered: list[tuple[Any, ...]] = []
    ctx = Context(lambda name, **arguments: json.dumps([name, arguments]), lambda *what: registered.append(what))
    assert ctx.read_file("x") == '["read_file", {"path": "x"}]'
    ctx.register_hook("OnActivate", print)
    assert registered == [("hook", "OnActivate", print)]
