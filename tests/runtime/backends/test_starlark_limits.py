"""Starlark that never ends, or takes all memory: stopped in time, while this process lives."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import BackendKind
from skillbag.kernel.manifest.values import Implementation, ProcessLimits
from skillbag.runtime.backends.backend import CallKind
from skillbag.runtime.backends.choose import make_backend
from skillbag.runtime.errors import ChildError, RuntimeFaultError, TimeLimitError
from tests.rows import each_row
from tests.runtime.backends.test_starlark_backend import starlark
from tests.runtime.children import loaded

LOOP = """
def w(n):
    for _ in range(n):
        for _ in range(n):
            pass
register_workflow("w", w)
register_workflow("pid", lambda d: 1)
"""


def seconds(began: float) -> float:
    return time.monotonic() - began


def test_an_endless_loop_is_stopped_and_the_child_lives_on(tmp_path: Path) -> None:
    with loaded(make_backend(starlark(tmp_path, LOOP))) as backend:
        for _ in range(2):
            began = time.monotonic()
            with pytest.raises(TimeLimitError, match=r"timeout after 0\.3s"):
                backend.call(CallKind.WORKFLOW, "w", 1 << 30, timeout=0.3)
            assert seconds(began) < 50
            assert backend.call(CallKind.WORKFLOW, "w", 10) is None


def test_the_time_of_the_processor_is_limited(tmp_path: Path) -> None:
    launch = starlark(tmp_path, LOOP)
    made = Implementation(BackendKind.STARLARK, "skill.star", limits=ProcessLimits(cpu_s=1))
    with loaded(make_backend(launch._replace(manifest=launch.manifest._replace(implementation=made)))) as backend:
        with pytest.raises(TimeLimitError, match="more than 1s of processor time"):
            backend.call(CallKind.WORKFLOW, "w", 1 << 30)
        assert backend.call(CallKind.WORKFLOW, "w", 10) is None


BOMBS = {
    "list": "[0] * (n * 100000000)",
    "text": 'len("x" * (n * 100000000))',
    "squares": "square(7, 40)",
    "growth": "grow(n)",
    "depth": "deep(n)",
    "nested": "nest(n)",
}

BOMB = """
def square(x, n):
    for _ in range(n):
        x = x * x
    return 1
def grow(n):
    texts = []
    for i in range(1 << 30):
        texts.append("x" * 1000 + str(i))
    return len(texts)
def deep(n):
    return deep(n + 1)
def nest(n):
    found = []
    for _ in range(100000):
        found = [found]
    return found
register_workflow("w", lambda n: %s)
register_workflow("ok", lambda n: n)
"""


@each_row("name", BOMBS)
def test_a_bomb_ends_its_call_alone(tmp_path: Path, name: str) -> None:
    with loaded(make_backend(starlark(tmp_path, BOMB % BOMBS[name]))) as backend:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.monotonic()
        with pytest.raises(RuntimeFaultError) as raised:
            backend.call(CallKind.WORKFLOW, "w", 10, timeout=0.5)
        assert seconds(began) < 50
        assert "\n" not in str(raised.value)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
        assert backend.call(CallKind.WORKFLOW, "ok", 3) == 3


def test_one_long_operation_takes_a_second_more_at_most(tmp_path: Path) -> None:
    with loaded(make_backend(starlark(tmp_path, BOMB % BOMBS["squares"]))) as backend:
        began = time.monotonic()
        with pytest.raises(TimeLimitError):
            backend.call(CallKind.WORKFLOW, "w", 10, timeout=0.2)
        assert seconds(began) < 50


def test_its_memory_is_limited(tmp_path: Path) -> None:
    memory = pytest.raises(ChildError, match=r"memory allocation of \d+ bytes failed; .* its limit of 256 MiB")
    with loaded(make_backend(starlark(tmp_path, BOMB % BOMBS["list"]))) as backend, memory:
        backend.call(CallKind.WORKFLOW, "w", 10)


def test_the_manifest_can_lower_the_memory(tmp_path: Path) -> None:
    launch = starlark(tmp_path, "register_workflow('w', lambda n: len('x' * (n << 20)))\n")
    made = Implementation(BackendKind.STARLARK, "skill.star", limits=ProcessLimits(memory_mb=96))
    with loaded(make_backend(launch)) as backend:
        assert backend.call(CallKind.WORKFLOW, "w", 100) == 100 << 20
    lowered = launch._replace(manifest=launch.manifest._replace(implementation=made))
    with loaded(make_backend(lowered)) as backend, pytest.raises(ChildError, match="its limit of 96 MiB of memory"):
        backend.call(CallKind.WORKFLOW, "w", 100)


def test_a_load_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from skillbag.runtime.backends import child

    monkeypatch.setattr(child, "INITIALIZE_LIMIT", 0.5)
    began = time.monotonic()
    with pytest.raises(TimeLimitError, match=r'call "initialize": timeout after 0\.5s'):
        make_backend(starlark(tmp_path, LOOP + "w(1 << 30)\n")).load()
    assert seconds(began) < 50
