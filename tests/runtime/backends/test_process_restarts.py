"""Restarts of a child that ends unexpectedly, by a clock of the test; and the end of everything with this process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import Permission
from skillbag.kernel.processes.confinement import available
from skillbag.runtime.backends.backend import CallKind, ToolOutput
from skillbag.runtime.backends.programs import ProcessBackend
from skillbag.runtime.backends.restarts import HEALTH, Clock, Restarts
from skillbag.runtime.errors import ChildError
from tests.processes import eventually, ids_in, is_alive
from tests.runtime.children import loaded, process_launch
from tests.support import PROJECT

DYING = """
starts()
while True:
    request = read()
    if request["params"].get("input") == "die":
        os._exit(1)
    answer(request, output("alive"))
    if request["method"] == "shutdown":
        break
"""


class Time:
    """A clock that stands still until somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds

    def clock(self) -> Clock:
        return Clock(lambda: self.now, self.sleep)


def die(backend: ProcessBackend) -> None:
    with pytest.raises(ChildError, match="exit code 1"):
        backend.call(CallKind.TOOL, "t", "die")


def test_delays_double_and_the_sixth_end_is_the_last(tmp_path: Path) -> None:
    time = Time()
    backend = ProcessBackend(process_launch(tmp_path, DYING), time.clock())
    backend.load()
    for _ in range(5):
        assert backend.failure is None
        die(backend)
        if backend.failure is None:
            assert backend.call(CallKind.TOOL, "t", {}) == ToolOutput("alive")
    assert time.slept == [0.05, 0.1, 0.2, 0.4, 0.8]
    assert backend.failure is None
    die(backend)
    assert backend.failure == (
        "the skill's process was restarted 5 times in vain; the last time, its process ended with exit code 1"
    )
    with pytest.raises(ChildError, match="5 times in vain"):
        backend.call(CallKind.TOOL, "t", {})
    backend.unload()
    with loaded(backend):
        assert backend.failure is None
        assert backend.call(CallKind.TOOL, "t", {}) == ToolOutput("alive")


def test_a_minute_of_health_gives_the_attempts_back(tmp_path: Path) -> None:
    time = Time()
    backend = ProcessBackend(process_launch(tmp_path, DYING), time.clock())
    with loaded(backend):
        for _ in range(8):
            assert backend.call(CallKind.TOOL, "t", {}) == ToolOutput("alive")
            time.now += 61
            die(backend)
        assert set(time.slept) == {0.05}


@pytest.mark.parametrize(("seconds", "slept"), [(HEALTH - 1, [0.05, 0.1]), (HEALTH, [0.05, 0.05])])
def test_health_is_a_minute(seconds: float, slept: list[float]) -> None:
    time = Time()
    restarts = Restarts(Clock(lambda: time.now, time.slept.append))
    restarts.ended()
    restarts.wait()
    restarts.started()
    time.now += seconds
    restarts.ended()
    restarts.wait()
    assert time.slept == pytest.approx(slept)


def test_time_that_passed_since_the_end_is_not_waited_again(tmp_path: Path) -> None:
    time = Time()
    backend = ProcessBackend(process_launch(tmp_path, DYING), time.clock())
    with loaded(backend):
        die(backend)
        time.now += 10
        assert backend.call(CallKind.TOOL, "t", {}) == ToolOutput("alive")
        assert time.slept == [0.0]


def test_an_end_between_two_calls_is_noticed_before_anything_is_sent(tmp_path: Path) -> None:
    child = "starts()\nrequest = read()\nanswer(request, output(os.getpid()))\n"
    with loaded(ProcessBackend(process_launch(tmp_path, child))) as backend:
        first = int(backend.call(CallKind.TOOL, "t", {}).content)
        assert eventually(lambda: not is_alive(first))
        assert int(backend.call(CallKind.TOOL, "t", {}).content) != first


def test_a_restart_may_not_add_tools(tmp_path: Path) -> None:
    text = 'starts(tools=[{"name": "t"}, {"name": "u"}])\nread()\n'
    backend = ProcessBackend(process_launch(tmp_path, DYING))
    with loaded(backend):
        die(backend)
        process_launch(tmp_path, text)
        with pytest.raises(ChildError, match="after a restart the skill registered what it had not before: tool u"):
            backend.call(CallKind.TOOL, "t", {})
        assert backend.failure is not None


def test_a_restart_that_fails_is_told_and_counted(tmp_path: Path) -> None:
    time = Time()
    backend = ProcessBackend(process_launch(tmp_path, DYING), time.clock())
    with loaded(backend):
        die(backend)
        process_launch(tmp_path, "sys.exit(9)\n")
        for _ in range(5):
            with pytest.raises(ChildError, match="exit code 9"):
                backend.call(CallKind.TOOL, "t", {})
        assert "5 times in vain" in str(backend.failure)


PARENT = """
import sys
from pathlib import Path
from tests.runtime.children import process_launch, writing
from skillbag.runtime.backends import programs
from skillbag.runtime.backends.programs import ProcessBackend
from skillbag.runtime.backends.backend import CallKind

folder = Path(sys.argv[1])
launch = process_launch(folder / "skill", sys.argv[2], workspace=str(folder))
programs.allowed_of = writing
backend = ProcessBackend(launch)
backend.load()
print("loaded", flush=True)
backend.call(CallKind.TOOL, "t", {}, timeout=1000)
"""

LASTING = """
import subprocess
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(os.environ["SKILLBAG_WORKSPACE"] + "/pids", "a") as file:
    file.write(f"{os.getpid()}\\n{subprocess.Popen(['sleep', '1000']).pid}\\n")
starts()
time.sleep(1000)
"""


def test_with_this_process_killed_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "skill").mkdir()
    words = [sys.executable, "-c", textwrap.dedent(PARENT), str(tmp_path), LASTING]
    with subprocess.Popen(words, cwd=PROJECT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == b"loaded\n"
        pids = ids_in(tmp_path / "pids", 2)
        assert all(map(is_alive, pids))
        os.kill(parent.pid, signal.SIGKILL)
    assert eventually(lambda: not any(map(is_alive, pids)))


def test_permissions_decide_what_the_process_itself_may_touch(tmp_path: Path) -> None:
    (tmp_path / "skill").mkdir()
    (tmp_path / "other").write_text("x")
    child = """
starts()
def tried(path, mode):
    try:
        open(path, mode).close()
        return True
    except OSError:
        return False
while True:
    request = read()
    workspace = os.environ["SKILLBAG_WORKSPACE"]
    answer(request, output([tried(workspace + "/other", "r"), tried(workspace + "/new", "w"),
                            tried(__file__, "r"), tried(os.environ["HOME"], "r"), tried("/etc/shadow", "r")]))
"""
    if not available().files:
        pytest.skip("no Landlock")
    seen = []
    for granted in ((), (Permission.FILE_READ,), (Permission.FILE_WRITE,)):
        launch = process_launch(
            tmp_path / "skill", child, workspace=str(tmp_path), granted=frozenset(granted), strict_sandbox=True
        )
        backend = ProcessBackend(launch)
        backend.load()
        seen.append(backend.call(CallKind.TOOL, "t", {}).content)
        backend.unload()
    assert seen == [
        "[false,false,true,false,false]",
        "[true,false,true,false,false]",
        "[false,false,true,false,false]",
    ]
