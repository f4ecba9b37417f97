"""Calls from several threads, and calls within calls: none waits for another in a circle, none is mixed up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.base.cancellation import Stop, WorkStoppedError
from skillbag.kernel.base.time_limit import within
from skillbag.runtime.backends import child as backends_child
from skillbag.runtime.backends import pending
from skillbag.runtime.backends.backend import CallKind, ToolOutput
from skillbag.runtime.backends.programs import ProcessBackend
from skillbag.runtime.errors import ChildError, NotFoundError, TimeLimitError
from tests.rows import each_row
from tests.runtime.children import ECHO, loaded, process_launch

NESTED = """
def handle(request):
    value = request["params"].get("input")
    if isinstance(value, int) and value > 0:
        write({"id": "h%d" % request["id"], "method": "host/again", "params": {"n": value, "call": request["id"]}})
        while True:
            message = read()
            if "method" in message:
                handle(message)
            elif message["id"] == "h%d" % request["id"]:
                value = [value, message.get("result", message.get("error"))]
                break
    answer(request, output(value))

starts()
while True:
    handle(read())
"""
"""A tool that asks the host for itself with its number, and serves calls while it waits."""


def backend_of(folder: Path, host: Callable[[str, Mapping[str, Any]], Any], **changed: Any) -> ProcessBackend:
    folder.mkdir(exist_ok=True)
    return ProcessBackend(process_launch(folder, NESTED, host=host, **changed))


def test_calls_of_many_threads_get_their_own_answers(tmp_path: Path) -> None:
    with loaded(ProcessBackend(process_launch(tmp_path, ECHO))) as backend, ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda number: backend.call(CallKind.TOOL, "t", f"v{number}"), range(400))
        assert list(answers) == [ToolOutput(f"v{number}") for number in range(400)]


def test_a_skill_that_calls_itself_through_the_host(tmp_path: Path) -> None:
    def again(name: str, arguments: Mapping[str, Any]) -> Any:
        return backend.call(CallKind.TOOL, "t", arguments["n"] - 1).content

    backend = backend_of(tmp_path, again)
    with loaded(backend):
        assert backend.call(CallKind.TOOL, "t", 3).content == '[3,"[2,\\"[1,\\\\\\"0\\\\\\"]\\"]"]'


def test_two_skills_that_call_each_other_from_many_threads(tmp_path: Path) -> None:
    backends: list[ProcessBackend] = []

    def to(other: int) -> Callable[[str, Mapping[str, Any]], Any]:
        return lambda _, arguments: len(backends[other].call(CallKind.TOOL, "t", arguments["n"] - 1).content)

    backends += [backend_of(tmp_path / "a", to(1)), backend_of(tmp_path / "b", to(0))]
    with loaded(backends[0]), loaded(backends[1]), ThreadPoolExecutor(6) as pool:
        calls = [pool.submit(backends[number % 2].call, CallKind.TOOL, "t", 4) for number in range(60)]
        assert {call.result(300).content for call in calls} == {calls[0].result().content}


SLOW = """
starts()
while True:
    request = read()
    host(request["params"]["input"])
    answer(request, output("done"))
"""


def slow(name: str, arguments: Mapping[str, Any]) -> Any:
    time.sleep(1.2)


@each_row("function", ["exec", "fetch", "llm_complete", "llm_json", "invoke_skill", "git_log"])
def test_the_time_that_host_functions_wait_does_not_count(tmp_path: Path, function: str) -> None:
    with loaded(ProcessBackend(process_launch(tmp_path, SLOW, host=slow))) as backend:
        assert backend.call(CallKind.TOOL, "t", function, timeout=1).content == "done"


@each_row("function", ["read_file", "search_files", "log", "no_such"])
def test_the_time_of_other_host_functions_counts(tmp_path: Path, function: str) -> None:
    backend = ProcessBackend(process_launch(tmp_path, SLOW, host=slow))
    with loaded(backend), pytest.raises(TimeLimitError):
        backend.call(CallKind.TOOL, "t", function, timeout=1)


def test_what_is_excused_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "_MAX_EXCUSED", 0.4)
    child = SLOW.replace("    host(", "    while True: host(")
    with loaded(ProcessBackend(process_launch(tmp_path, child, host=slow))) as backend:
        began = time.monotonic()
        with pytest.raises(TimeLimitError):
            backend.call(CallKind.TOOL, "t", "exec", timeout=0.2)
        assert time.monotonic() - began < 50


def test_nothing_is_excused_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends_child, "INITIALIZE_LIMIT", 0.5)
    text = "request = read()\nfor _ in range(9): host('exec')\nanswer(request, {})\nread()\n"
    with pytest.raises(TimeLimitError):
        ProcessBackend(process_launch(tmp_path, text, host=slow)).load()


def test_other_calls_are_served_while_one_waits_for_the_host(tmp_path: Path) -> None:
    waits, goes_on = threading.Event(), threading.Event()

    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        waits.set()
        assert goes_on.wait(300)

    with loaded(backend_of(tmp_path, host)) as backend, ThreadPoolExecutor(1) as pool:
        call = pool.submit(backend.call, CallKind.TOOL, "t", 1)
        assert waits.wait(300)
        assert [backend.call(CallKind.TOOL, "t", f"{number}") for number in range(3)]
        goes_on.set()
        assert call.result(300).content == "[1,null]"


def test_a_call_does_not_wait_longer_than_its_limit_for_another(tmp_path: Path) -> None:
    child = """
starts()
request = read()
host("log")
while not os.path.exists("go"):
    time.sleep(0.01)
answer(request, output("slow"))
read()
"""
    is_busy = threading.Event()
    launch = process_launch(tmp_path, child, host=lambda *_: is_busy.set())
    with loaded(ProcessBackend(launch)) as backend, ThreadPoolExecutor(1) as pool:
        call = pool.submit(backend.call, CallKind.TOOL, "t", {}, timeout=300)
        assert is_busy.wait(300)
        with pytest.raises(TimeLimitError, match="the skill is busy with other calls"):
            backend.call(CallKind.TOOL, "t", {}, timeout=0.1)
        (tmp_path / "go").touch()
        assert call.result(300) == ToolOutput("slow")


def test_when_it_dies_all_its_calls_fail(tmp_path: Path) -> None:
    entered = threading.Barrier(3)

    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        entered.wait(300)

    child = NESTED.replace("value = request", "value = request['method'] == 'hook/handle' and os._exit(4) or request")
    with loaded(ProcessBackend(process_launch(tmp_path, child, host=host))) as backend, ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(backend.call, CallKind.TOOL, "t", 1) for _ in range(2)]
        while entered.n_waiting < 2:
            time.sleep(0.01)
        with pytest.raises(ChildError, match="exit code 4"):
            backend.call(CallKind.HOOK, "OnActivate", {})
        entered.wait(300)
        assert all("exit code 4" in str(call.exception(300)) for call in calls)


def test_a_host_request_outside_of_a_call_or_of_no_kind_is_an_error(tmp_path: Path) -> None:
    child = """
starts()
first = read()
write({"id": "x", "method": "shell", "params": {}})
one = read()["error"]
write({"id": "y", "method": "host/exec", "params": {"call": 99}})
two = read()["error"]
answer(first, output([one, two]))
read()
"""
    with loaded(ProcessBackend(process_launch(tmp_path, child))) as backend:
        content = backend.call(CallKind.TOOL, "t", {}).content
    assert '"code":-32601' in content
    assert "the call that it belongs to is over" in content


def test_a_host_function_that_breaks_does_not_leave_the_child_waiting(tmp_path: Path) -> None:
    def broken(name: str, arguments: Mapping[str, Any]) -> Any:
        if arguments["n"] == 1:
            raise ZeroDivisionError
        raise NotFoundError("nothing")

    with loaded(backend_of(tmp_path, broken)) as backend:
        with pytest.raises(ZeroDivisionError):
            backend.call(CallKind.TOOL, "t", 1)
        assert "nothing" in backend.call(CallKind.TOOL, "t", 2).content


def test_a_cancelled_call_returns_at_once_and_the_child_serves_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProcessBackend, "grace", 1000)
    child = """
starts()
request = read()
host("log")
cancel = read()
answer(request, output("stopped"))
request = read()
answer(request, output(cancel["method"]))
read()
"""
    stop = Stop()
    launch = process_launch(tmp_path, child, host=lambda *_: threading.Timer(0.01, stop.ask).start())
    with loaded(ProcessBackend(launch)) as backend, stop.attached():
        began = time.monotonic()
        with pytest.raises(WorkStoppedError):
            backend.call(CallKind.TOOL, "t", {}, timeout=1000)
        assert time.monotonic() - began < 50
        with Stop().attached():
            assert backend.call(CallKind.TOOL, "t", {}) == ToolOutput("$/cancel")


def test_a_call_whose_time_is_over_does_not_wait_for_those_of_others(tmp_path: Path) -> None:
    in_first, in_second, goes_on = threading.Event(), threading.Event(), threading.Event()

    def host(name: str, arguments: Mapping[str, Any]) -> Any:
        if arguments["n"] == 1:
            in_first.set()
            assert in_second.wait(300)
        else:
            in_second.set()
            goes_on.wait(300)

    def first() -> None:
        with within(0.3):
            backend.call(CallKind.TOOL, "t", 1)

    with loaded(backend_of(tmp_path, host)) as backend, ThreadPoolExecutor(2) as pool:
        began = time.monotonic()
        waiting = pool.submit(first)
        assert in_first.wait(300)
        other = pool.submit(backend.call, CallKind.TOOL, "t", 2)
        with pytest.raises(ChildError, match="took too long"):
            waiting.result(300)
        assert time.monotonic() - began < 50
        goes_on.set()
        with pytest.raises(ChildError):
            other.result(300)
        assert backend.call(CallKind.TOOL, "t", "again").content
