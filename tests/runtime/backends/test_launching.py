"""What is said about a process that the system can't confine, and the tables that must agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import BackendKind, Permission
from skillbag.kernel.manifest.values import Implementation, ProcessLimits
from skillbag.kernel.processes.confinement import Held
from skillbag.runtime.backends import launching
from skillbag.runtime.backends.children.starlark_prelude import PRELUDE
from skillbag.runtime.backends.choose import make_backend
from skillbag.runtime.backends.launching import PROCESS_BOUNDS, bounds_of, unconfined
from skillbag.runtime.errors import ChildError
from skillbag.runtime.host.functions import FUNCTIONS
from tests.runtime.children import ECHO, launch_of, process_launch
from tests.support import PROJECT

NONE = Held(False, False, False)


def test_every_host_function_is_a_built_in_and_on_the_page() -> None:
    page = (PROJECT / "docs" / "runtime-protocol.md").read_text("utf-8").split("| function |")[1]
    for name, function in FUNCTIONS.items():
        assert f"`{name}`" in page, name
        call = re.search(rf'skillbag_host\("{name}", \{{(.*)\}}\)', PRELUDE)
        assert call, name
        given = set(re.findall(r'"(\w+)": ', call[1]))
        known = {parameter.name for parameter in function.parameters}
        required = {parameter.name for parameter in function.parameters if parameter.name not in ("details", "level")}
        assert given <= known, name
        assert required <= given, name


def test_the_question_says_what_can_not_be_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "available", lambda: NONE)
    assert unconfined(BackendKind.STARLARK, frozenset()) == ()
    assert unconfined(BackendKind.MCP, frozenset()) == ()
    sentences = unconfined(BackendKind.PROCESS, frozenset())
    assert len(sentences) == 5
    assert any("the mode and the times of files" in each and "sockets" in each for each in sentences)
    assert all(sentence.endswith(".") for sentence in sentences)
    allowed = frozenset({Permission.SHELL_EXEC, Permission.NET_FETCH})
    assert len(unconfined(BackendKind.PLUGIN, allowed)) == 3


@pytest.mark.parametrize("kind", [BackendKind.PROCESS, BackendKind.PLUGIN, BackendKind.STARLARK])
def test_where_the_sandbox_is_required_nothing_starts_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: BackendKind
) -> None:
    monkeypatch.setattr(launching, "available", lambda: NONE)
    process_launch(tmp_path, "open(os.environ['SKILL_DIR'] + '/started', 'w')\n" + ECHO)
    (tmp_path / "skill.py").write_text("")
    entrypoint = {BackendKind.PROCESS: "bin/child", BackendKind.PLUGIN: "skill.py"}.get(kind, "main.star")
    launch = launch_of(tmp_path, Implementation(kind, entrypoint), strict_sandbox=True)
    with pytest.raises(ChildError, match="not started, since the sandbox is required: This system can't keep"):
        make_backend(launch).load()
    assert not (tmp_path / "started").exists()


def test_limits_of_the_manifest_have_a_ceiling() -> None:
    assert bounds_of(ProcessLimits(), PROCESS_BOUNDS) == PROCESS_BOUNDS
    requested = bounds_of(ProcessLimits(memory_mb=64, cpu_s=2, processes=3), PROCESS_BOUNDS)
    assert (requested.memory_mb, requested.cpu_s, requested.processes) == (64, 2, 3)
    greedy = bounds_of(ProcessLimits(10**9, 10**9, 10**9), PROCESS_BOUNDS)
    assert (greedy.memory_mb, greedy.cpu_s, greedy.processes) == (8192, 24 * 3600, 512)


def test_a_skill_without_code_has_no_backend(tmp_path: Path) -> None:
    launch = launch_of(tmp_path, Implementation(BackendKind.PROCESS, "x"))
    with pytest.raises(ChildError, match='skill "child" has no code'):
        make_backend(launch._replace(manifest=launch.manifest._replace(implementation=None)))
