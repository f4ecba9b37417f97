"""The table of host functions: permissions before anything is done, arguments by value, errors with names."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.manifest.names import STARLARK_FUNCTIONS, Permission
from skillbag.runtime.errors import (
    BadParametersError,
    NotFoundError,
    NotPermittedError,
    RateLimitedError,
    RuntimeFaultError,
)
from skillbag.runtime.host.functions import FUNCTIONS
from tests.rows import each_row
from tests.runtime.hosts import World, make_world

TOKEN = "ghp_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0FaTe8U"

CALLS: dict[str, dict[str, Any]] = {
    "read_file": {"path": "both.txt"},
    "list_dir": {"path": "."},
    "search_files": {"pattern": "*"},
    "write_file": {"path": "new", "content": "x"},
    "exec": {"command": "touch", "args": ["ran"]},
    "fetch": {"url": "http://127.0.0.1:1/"},
    "llm_complete": {"prompt": "x"},
    "llm_json": {"prompt": "x", "schema": {}},
    "git_diff": {},
    "git_log": {},
    "git_status": {},
    "git_add": {"paths": ["x"]},
    "git_commit": {"message": "x"},
    "git_branch": {"name": "x"},
    "env": {"key": "HOME"},
    "set_env": {"key": "A", "value": "x"},
    "invoke_skill": {"name": "x", "input": {}},
}
"""A call of each function that needs a permission."""

NEEDS = {
    **dict.fromkeys(["read_file", "list_dir", "search_files"], "file:read"),
    **dict.fromkeys(["llm_complete", "llm_json"], "llm:call"),
    **dict.fromkeys(["git_diff", "git_log", "git_status"], "git:read"),
    **dict.fromkeys(["git_add", "git_commit", "git_branch"], "git:write"),
    "write_file": "file:write",
    "exec": "shell:exec",
    "fetch": "net:fetch",
    "invoke_skill": "skill:invoke",
    "env": "env:read",
    "set_env": "env:write",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_every_permission_has_an_operation_and_every_function_its_permission() -> None:
    assert STARLARK_FUNCTIONS == NEEDS
    assert NEEDS.keys() < FUNCTIONS.keys()
    of_hooks = {Permission.HOOK_OBSERVE, Permission.HOOK_CHANGE}
    assert set(NEEDS.values()) == {*Permission} - of_hooks


@each_row("name", CALLS)
def test_nothing_is_done_without_the_permission(tmp_path: Path, name: str) -> None:
    done: list[object] = []

    def note(*requested: Any) -> str:
        done.append(requested)
        return "1"

    world = make_world(tmp_path, invoke=note, completer=note)
    world.denied = set(Permission)
    before = sorted(world.top.rglob("*"))
    with pytest.raises(NotPermittedError, match=f'^{name}: permission "{NEEDS[name]}" not declared in skill'):
        world.call(name, **CALLS[name])
    assert [permission for permission, _ in world.demands] == [NEEDS[name]]
    assert (sorted(world.top.rglob("*")), done) == (before, [])
    if name == "set_env":
        world.denied = set()
        assert world.call("env", "A") == ""


def test_functions_about_itself_need_no_permission(world: World) -> None:
    world.denied = set(Permission)
    assert world.call("project_root") == str(world.work)
    assert world.call("project_language") == "python"
    assert world.call("load_file", "both.txt") == "the skill's"
    assert world.call("log", message="hello") is None
    assert world.demands == []


def test_the_broker_is_told_what_is_asked_for_without_secrets(world: World) -> None:
    world.denied = set(Permission)
    calls: dict[str, dict[str, Any]] = {
        "read_file": {"path": "a/b"},
        "exec": {"command": "curl", "args": ["-H", f"Authorization: {TOKEN}", "x" * 1000]},
        "set_env": {"key": "A", "value": "value"},
        "write_file": {"path": "p", "content": "content"},
        "git_log": {},
    }
    for name, arguments in calls.items():
        with pytest.raises(NotPermittedError):
            world.call(name, **arguments)
    details = [detail for _, detail in world.demands]
    assert (details[0], *details[2:]) == ("a/b", "A", "p", "")
    assert details[1].startswith("curl -H Authorization: ")
    assert len(details[1]) == 200
    assert TOKEN not in details[1]


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("read_file", {}, '"path" is missing'),
    ("read_file", {"path": 1}, '"path" must be a text'),
    ("read_file", {"path": None}, '"path" must be a text'),
    ("read_file", {"path": "a\0b"}, "without NUL"),
    ("read_file", {"path": "\ud800"}, "must be a text"),
    ("read_file", {"path": "a", "mode": "rb"}, "no argument 'mode'; it takes path"),
    ("write_file", {"path": "a", "content": b"x"}, "must be a text"),
    ("write_file", {"path": "a", "content": "\ud800"}, "must be a text"),
    ("exec", {"command": ["ls"]}, "must be a text"),
    ("exec", {"command": "ls", "args": "-l"}, "must be a list of texts"),
    ("exec", {"command": "ls", "args": ["-l", 1]}, "must be a list of texts"),
    ("exec", {"command": "ls", "args": ["\0"]}, "must be a list of texts"),
    ("list_dir", {"path": ".", "details": 1}, "must be true or false"),
    ("llm_json", {"prompt": "x", "schema": "{}"}, "must be an object"),
    ("log", {"level": "fatal", "message": "x"}, "debug, info, warning or error"),
    ("log", {"level": [], "message": "x"}, "debug, info, warning or error"),
    ("project_root", {"x": 1}, "it takes none"),
]


@pytest.mark.parametrize(("name", "arguments", "said"), BAD)
def test_arguments_are_checked_before_the_permission(
    world: World, name: str, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadParametersError) as raised:
        world.functions(name, arguments)
    assert str(raised.value).startswith(f"{name}: ")
    assert said in str(raised.value)
    assert world.demands == []


@pytest.mark.parametrize("name", ["", "eval", "__class__", "\x1b[31m" * 99])
def test_an_unknown_function_is_told(world: World, name: str) -> None:
    with pytest.raises(NotFoundError) as raised:
        world.functions(name, {})
    assert str(raised.value).isprintable()


def test_a_limit_that_is_reached_keeps_its_kind(tmp_path: Path) -> None:
    def limited(permission: Permission, _: str) -> None:
        raise RateLimitedError(f'rate limit exceeded for "{permission}": 21/20 per turn')

    with pytest.raises(RateLimitedError, match=r'^exec: rate limit exceeded for "shell:exec": 21/20 per turn$'):
        make_world(tmp_path, demand=limited).call("exec", "true")


def test_another_skill_is_called_and_its_error_is_named(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    assert world.call("invoke_skill", "other/flow", {"a": [1]}) == {"name": "other/flow", "input": {"a": [1]}}
    assert world.call("invoke_skill", "other") == {"name": "other", "input": None}

    def fails(name: str, _: Any) -> Any:
        raise NotFoundError(f"there is no workflow {name!r}")

    with pytest.raises(NotFoundError, match=r"^invoke_skill: there is no workflow 'x'$"):
        make_world(tmp_path, invoke=fails).call("invoke_skill", "x")


def test_an_error_of_the_system_is_a_fault_of_the_call(tmp_path: Path) -> None:
    def fails(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied", "/x")

    with pytest.raises(RuntimeFaultError, match=r"^invoke_skill: /x: Permission denied$"):
        make_world(tmp_path, invoke=fails).call("invoke_skill", "x")


def test_what_is_logged_has_no_secrets_and_an_end(world: World) -> None:
    world.call("log", level="warning", message=f"token {TOKEN}")
    world.call("log", message="x" * 1_000_000)
    assert world.logged[0][0] == "warning"
    assert TOKEN not in world.logged[0][1]
    assert (world.logged[1][0], len(world.logged[1][1])) == ("info", 10_000)


def test_several_threads_may_call(world: World) -> None:
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(20):
                world.call("write_file", f"file{number}", str(number))
                assert world.call("read_file", f"file{number}") == str(number)
                world.call("set_env", f"A{number}", str(number))
                assert world.call("env", f"A{number}") == str(number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
