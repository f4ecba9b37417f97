"""An installation from a registry that is killed or fails at one of its calls: the old state or the new one, whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel.transaction.faults import ACTS
from tests.sampling import sample
from tests.supply.install.forked import count_calls, status_of
from tests.supply.install.outcomes import checks
from tests.supply.install.worlds import call, contents, make_workspace
from tests.supply.sources.registries import LoopbackRegistry, serve_registry
from tests.support import Run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked here, which this system can't")


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LoopbackRegistry]:
    monkeypatch.setenv("SKILLBAG_CACHE_DIR", str(tmp_path / "cache"))
    with serve_registry() as served:
        served.add("tidy", "1.0.0", "1.1.0")
        served.add("sweep", "0.1.0")
        monkeypatch.setenv("SKILLBAG_REGISTRY", served.url)
        yield served


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("act", sorted(ACTS))
def test_all_or_nothing(registry: LoopbackRegistry, tmp_path: Path, run: Run, act: str) -> None:
    before = make_workspace(tmp_path / "before")
    assert call(run, before, "install", "registry:tidy@1.0.0")[0] == 0
    work = tmp_path / "work"
    requested = ("install", "registry:tidy@^1", "registry:sweep", "--overwrite", "tidy", "--yes")

    def fresh() -> None:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(before, work, symlinks=True)
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)

    fresh()
    assert call(run, work, *requested)[0] == 0
    states = {"old": contents(before), "new": contents(work)}
    fresh()
    calls = count_calls(work, *requested)
    for number in sample(f"registry {act}", range(1, calls + 1), 6):
        fresh()
        status_of(work, *requested, acts={number: ACTS[act]})
        assert checks(run, work).code == 0
        found = {path: raw for path, raw in contents(work).items() if not path.startswith(".skillbag/")}
        expected = [
            {path: raw for path, raw in state.items() if not path.startswith(".skillbag/")} for state in states.values()
        ]
        assert found in expected, number
        # What an interrupted run left in the cache stands in nobody's way.
        assert call(run, work, *requested)[0] == 0
