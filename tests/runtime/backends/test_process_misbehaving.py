"""Children that break the protocol, hang, flood, fork or die: one clear sentence, and nothing left behind."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest

from skillbag.kernel.manifest.values import ProcessLimits
from skillbag.runtime.backends import programs
from skillbag.runtime.backends.backend import CallKind, ToolOutput
from skillbag.runtime.backends.programs import ProcessBackend
from skillbag.runtime.errors import BadParametersError, ChildError, TimeLimitError
from tests.processes import eventually, ids_in, is_alive
from tests.rows import each_row
from tests.runtime.children import ECHO, loaded, process_launch, writing

PIDS = """
import subprocess
def note(pid):
    with open(os.environ["SKILL_DIR"] + "/../pids", "a") as file:
        file.write(f"{pid}\\n")
"""

ENDS = {
    "dies": ("os._exit(3)", "its process ended with exit code 3"),
    "is killed": ("os.kill(os.getpid(), 9)", "its process was ended by SIGKILL"),
    "closes its output": ("os.close(1); time.sleep(1000)", "its process closed its output"),
    "says why": ("sys.exit('no more \\x1b[1m')", "ended with exit code 1: no more"),
    "huge line": ("os.write(1, b'x' * 3_000_000)", "wrote a line of more than 1 MiB"),
    "endless line": ("while True: os.write(1, b'x' * 65536)", "wrote a line of more than 1 MiB"),
    "garbage": ("print('a\\n[1]\\n{}', flush=True); time.sleep(1000)", "broke the protocol 3 times"),
    "endless garbage": ("while True: print('garbage')", "broke the protocol 3 times"),
    "answers nobody asked for": (
        "for number in (77, 78, 79): write({'id': number, 'result': 1})\nread()",
        "answered a call that nobody made",
    ),
    "no JSON-RPC": ('for _ in range(3): print(\'{"id": 1, "result": 2}\', flush=True)\nread()', "jsonrpc"),
    "long ids": (
        "for _ in range(3): write({'id': 'x' * 201, 'method': 'host/log', 'params': {}})\nread()",
        "its id is longer than 200 characters",
    ),
    "deep": (
        "x = 1\nfor _ in range(100): x = [x]\nfor _ in range(3): write({'id': 2, 'result': x})\nread()",
        "it nests deeper than 100 objects and lists",
    ),
    "too deep": ("print(('[' * 100000 + '\\n') * 3, flush=True); read()", "it is not JSON"),
    "eats memory": (
        "x = 'x' * (300 << 20)",
        "ended with exit code 1: MemoryError; probably it reached its limit of 128 MiB of memory$",
    ),
}


@each_row("name", ENDS)
def test_an_unexpected_end_fails_the_call_at_once(tmp_path: Path, name: str) -> None:
    text, message = ENDS[name]
    launch = process_launch(tmp_path, f"starts()\nread()\n{text}\n", ProcessLimits(memory_mb=128))
    with loaded(ProcessBackend(launch)) as backend:
        began = time.monotonic()
        with pytest.raises(ChildError, match=message):
            backend.call(CallKind.TOOL, "t", {})
        assert time.monotonic() - began < 50
        assert backend.failure is None


@each_row("name", ENDS)
def test_an_unexpected_end_at_the_start_is_told(tmp_path: Path, name: str) -> None:
    text, message = ENDS[name]
    with pytest.raises(ChildError, match=message):
        ProcessBackend(process_launch(tmp_path, f"read()\n{text}\n", ProcessLimits(memory_mb=128))).load()


def test_a_long_message_of_an_error_is_cut(tmp_path: Path) -> None:
    error = "{'code': -32000, 'message': 'x' * 3_000}"
    child = f"starts()\nwrite({{'id': read()['id'], 'error': {error}}})\nread()\n"
    with loaded(ProcessBackend(process_launch(tmp_path, child))) as backend:
        output = backend.call(CallKind.TOOL, "t", {})
    assert output == ToolOutput("x" * 2_000, is_error=True)


def test_a_call_that_hangs_is_ended_and_the_next_one_served(tmp_path: Path) -> None:
    child = "starts()\nif read()['params']['input'] == 'hang':\n    time.sleep(1000)\nraise SystemExit(7)\n"
    with loaded(ProcessBackend(process_launch(tmp_path, child))) as backend:
        began = time.monotonic()
        with pytest.raises(TimeLimitError, match=r'^call "tool/execute": timeout after 0\.2s$'):
            backend.call(CallKind.TOOL, "t", "hang", timeout=0.2)
        assert 1.1 < time.monotonic() - began < 50
        with pytest.raises(ChildError, match="exit code 7"):
            backend.call(CallKind.TOOL, "t", "end")


def test_the_timeout_of_the_manifest_counts(tmp_path: Path) -> None:
    launch = process_launch(tmp_path, "starts()\nread()\nrequest = read()\nread()\n", timeout=0.1)
    with loaded(ProcessBackend(launch)) as backend, pytest.raises(TimeLimitError, match=r"after 0\.1s"):
        backend.call(CallKind.TOOL, "t", {})


def test_a_late_answer_is_dropped_and_remarked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessBackend, "grace", 1000)
    child = """
starts()
first = read()
assert read() == {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": first["id"]}}
answer(first, output("late"))
while True:
    request = read()
    answer(request, output("in time"))
"""
    remarks: list[str] = []
    with loaded(ProcessBackend(process_launch(tmp_path, child, remark=remarks.append))) as backend:
        began = time.monotonic()
        with pytest.raises(TimeLimitError):
            backend.call(CallKind.TOOL, "t", {}, timeout=0.1)
        assert time.monotonic() - began < 50
        assert [backend.call(CallKind.TOOL, "t", {}) for _ in range(5)] == [ToolOutput("in time")] * 5
    assert remarks == ["the answer to call 2 came too late, and was dropped"]


def test_a_late_call_of_the_host_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessBackend, "grace", 1000)
    child = """
starts()
first = read()
read()
refused = host("read_file", path="a")
answer(first, output("late"))
answer(read(), output(refused["error"]["message"]))
read()
"""
    with loaded(ProcessBackend(process_launch(tmp_path, child))) as backend:
        with pytest.raises(TimeLimitError):
            backend.call(CallKind.TOOL, "t", {}, timeout=0.1)
        assert backend.call(CallKind.TOOL, "t", {}) == ToolOutput("the call took too long")


def test_further_late_answers_are_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessBackend, "grace", 1000)
    child = """
starts()
first = read()
read()
for _ in range(4):
    answer(first, output("late"))
read()
"""
    remarks: list[str] = []
    with loaded(ProcessBackend(process_launch(tmp_path, child, remark=remarks.append))) as backend:
        with pytest.raises(TimeLimitError):
            backend.call(CallKind.TOOL, "t", {}, timeout=0.1)
        with suppress(ChildError, TimeLimitError):
            backend.call(CallKind.TOOL, "t", {}, timeout=0.1)
    assert remarks.count("its process answered a call that nobody made, or twice") >= 3


def test_two_answers_to_a_call_are_a_fault_and_three_faults_the_end(tmp_path: Path) -> None:
    child = """
starts()
while True:
    request = read()
    answer(request, output(os.getpid()))
    answer(request, output("two"))
"""
    remarks: list[str] = []
    backend = ProcessBackend(process_launch(tmp_path, child, remark=remarks.append))
    answers = []
    with loaded(backend):
        for _ in range(9):
            with suppress(ChildError):
                answers.append(backend.call(CallKind.TOOL, "t", {}).content)
    assert "two" not in answers
    assert 1 < len(set(answers)) < 5
    assert set(remarks) == {"its process answered a call that nobody made, or twice"}


def test_a_flood_of_its_log_blocks_nobody(tmp_path: Path) -> None:
    flood = "for _ in range(200): os.write(2, b'log ' * 9999)"
    child = f"starts()\nrequest = read()\n{flood}\nanswer(request, output(1))\nread()\n"
    with loaded(ProcessBackend(process_launch(tmp_path, child))) as backend:
        assert backend.call(CallKind.TOOL, "t", {}) == ToolOutput("1")


def test_a_child_that_does_not_read_blocks_nobody(tmp_path: Path) -> None:
    launch = process_launch(tmp_path, "starts()\ntime.sleep(1000)\n")
    with loaded(ProcessBackend(launch)) as backend:
        with pytest.raises(TimeLimitError):
            backend.call(CallKind.TOOL, "t", "x" * 3_000_000, timeout=0.1)
        with pytest.raises(BadParametersError, match="longer than 16 MiB"):
            backend.call(CallKind.TOOL, "t", "x" * 17_000_000)
        with pytest.raises(BadParametersError, match="JSON"):
            backend.call(CallKind.TOOL, "t", {"x": float("nan")})


def test_large_arguments_arrive_whole(tmp_path: Path) -> None:
    child = "starts()\nrequest = read()\nanswer(request, output(len(request['params']['input'])))\nread()\n"
    with loaded(ProcessBackend(process_launch(tmp_path, child))) as backend:
        assert backend.call(CallKind.TOOL, "t", "é" * 3_000_000) == ToolOutput("3000000")


def test_grandchildren_end_with_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = tmp_path / "skill"
    skill.mkdir()
    spawn = "note(subprocess.Popen(['sleep', '100']).pid)\nnote(os.getpid())\n"
    child = f"{PIDS}\nstarts()\n{spawn}read()\nos._exit(0)\n"
    launch = process_launch(skill, child)._replace(workspace=str(tmp_path))
    monkeypatch.setattr(programs, "allowed_of", writing)
    backend = ProcessBackend(launch)
    backend.load()
    pids = ids_in(tmp_path / "pids", 2)
    with pytest.raises(ChildError):
        backend.call(CallKind.TOOL, "t", {})
    assert eventually(lambda: not any(map(is_alive, pids)))
    backend.unload()


@each_row(
    ("text", "message"),
    [
        ("time.sleep(1000)", "timeout after 2s"),
        ("answer(request, None)\ntime.sleep(1000)", "did not end within 2s of its shutdown, and was killed"),
        ("write({'id': request['id'], 'error': {'code': 1, 'message': 'cleanup'}})", "while it shut down: cleanup"),
        ("os._exit(1)", "did not shut down: .* exit code 1"),
    ],
)
def test_a_shutdown_that_is_ignored_or_fails_is_told(tmp_path: Path, text: str, message: str) -> None:
    backend = ProcessBackend(process_launch(tmp_path, f"starts()\nrequest = read()\n{text}\n"))
    backend.load()
    began = time.monotonic()
    with pytest.raises(ChildError, match=message):
        backend.unload()
    assert time.monotonic() - began < 50


@pytest.mark.parametrize(
    "text", ["answer(request, 5)", "write({'id': request['id'], 'error': {'code': -32601, 'message': 'x'}})"]
)
def test_an_orderly_shutdown_is_silent(tmp_path: Path, text: str) -> None:
    backend = ProcessBackend(process_launch(tmp_path, f"starts()\nrequest = read()\n{text}\nread()\n"))
    backend.load()
    backend.unload()


@pytest.mark.parametrize("at", range(6))
@pytest.mark.parametrize("after", [False, True])
def test_killed_at_every_message_it_is_gone_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, after: bool
) -> None:
    child = f"""
count = 0
mark = os.environ["SKILL_DIR"] + "/../died"
def step():
    global count
    count += 1
    if count > {at} and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), 9)
def serve(request, result):
    {"" if after else "step()"}
    answer(request, result)
    {"step()" if after else ""}
serve(read(), {{"tools": [{{"name": "t"}}]}})
while True:
    request = read()
    if request["method"] == "shutdown":
        sys.exit()
    step()
    write({{"id": "h", "method": "host/x", "params": {{}}}})
    step()
    read()
    serve(request, output(count))
"""
    skill = tmp_path / "skill"
    skill.mkdir()
    launch = process_launch(skill, child, host=lambda *_: None, workspace=str(tmp_path))
    monkeypatch.setattr(programs, "allowed_of", writing)
    backend = ProcessBackend(launch)
    failed = 0
    for _ in range(2):
        try:
            backend.load()
            break
        except ChildError:
            failed += 1
    for _ in range(4):
        try:
            backend.call(CallKind.TOOL, "t", {})
        except ChildError:
            failed += 1
    assert failed <= 1
    assert (tmp_path / "died").exists()
    assert isinstance(backend.call(CallKind.TOOL, "t", {}), ToolOutput)
    backend.unload()


def test_echo_still_works_with_little_memory(tmp_path: Path) -> None:
    with loaded(ProcessBackend(process_launch(tmp_path, ECHO, ProcessLimits(memory_mb=64)))) as backend:
        assert backend.call(CallKind.TOOL, "t", "x") == ToolOutput("x")
