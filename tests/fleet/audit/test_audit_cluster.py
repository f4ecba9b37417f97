"""The engine of a Dask cluster: a real one, on loopback, with two workers."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.fleet.audit import cluster as engine
from skillbag.fleet.audit.record import audit_source
from skillbag.fleet.audit.settings import make_settings
from skillbag.fleet.audit.sources import make_task, make_tasks
from skillbag.kernel.workspace.source_kind import SourceKind
from tests.fleet.audit.audits import by_source, lines, plain, start, timeless, wait_until, zipped
from tests.supply.install.worlds import write
from tests.supply.sources.servers import Handle, content, delayed, serve
from tests.support import Run

pytestmark = pytest.mark.usefixtures("a_job")

distributed = pytest.importorskip("distributed", reason="the extra `audit` is not installed")


@pytest.fixture
def touchy() -> Iterator[None]:
    """The scheduler of a cluster that is made now gives up a source as soon as one worker has died of it."""
    with pytest.importorskip("dask").config.set({"distributed.scheduler.allowed-failures": 0}):
        yield


def made_cluster(workers: int, **options: Any) -> Any:
    """A cluster on loopback; a worker process that dies is not replaced at once."""
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50, **options
    )


@pytest.fixture
def cluster(user_folders: None) -> Iterator[Any]:
    """A cluster of two worker processes."""
    with made_cluster(2) as made:
        yield made


@pytest.mark.slow
def test_no_source_is_lost_with_a_worker_that_is_killed(cluster: Any) -> None:
    table: dict[str, Handle] = {f"/{n}.zip": delayed(content(zipped(plain(f"s{n}"))), 0.1) for n in range(12)}
    table["/11.zip"] = content(b"this is no zip")
    found: list[str] = []
    with serve(table) as server:
        tasks, settings = make_tasks([f"{server.url}/{number}.zip" for number in range(12)], "/"), make_settings()
        for line in engine.audit_on_cluster(tasks, settings, cluster.scheduler_address):
            found.append(line)
            if len(found) == 3:
                os.kill(cluster.workers[0].pid, signal.SIGKILL)
        local = [audit_source(task, settings) for task in tasks]
    assert sorted(map(comparable, found)) == sorted(map(comparable, local))


def comparable(line: str) -> str:
    return json.dumps(timeless(json.loads(line)))


@pytest.mark.nightly
def test_a_source_that_ends_every_worker_it_meets_fails_alone(touchy: None, tmp_path: Path, cluster: Any) -> None:
    folders = [write(tmp_path / f"f{number}", plain(f"s{number}")) for number in range(4)]
    tasks = make_tasks(map(str, folders), "/")
    bad = tasks[1]._replace(source=_Deadly(os.getpid()))  # type: ignore[arg-type]
    found = list(engine.audit_on_cluster([tasks[0], bad, *tasks[2:]], make_settings(), cluster.scheduler_address))
    assert len(found) == 4
    failed = [line for line in found if '"status": "failed"' in line]
    assert len(failed) == 1
    assert "KilledWorker" in failed[0]


class _Deadly:
    """A source that ends whatever other process takes it in hand, as a fault of the interpreter's would."""

    def __init__(self, harmless: int) -> None:
        self.harmless = harmless
        self.kind = SourceKind.FOLDER

    def __reduce__(self) -> tuple[Any, ...]:
        if os.getpid() != self.harmless:
            os._exit(1)
        return _Deadly, (self.harmless,)


@pytest.mark.nightly
@pytest.mark.usefixtures("in_process")
def test_an_audit_continues_after_its_scheduler_went_away(run: Run, tmp_path: Path) -> None:
    table: dict[str, Handle] = {f"/{n}.zip": delayed(content(zipped(plain(f"s{n}"))), 0.2) for n in range(12)}
    with serve(table) as server:
        sources = [f"{server.url}/{number}.zip" for number in range(12)]
        with made_cluster(1, processes=False, protocol="tcp://") as made:
            process = start(*sources, "--out", tmp_path / "out", "--engine", "dask", made.scheduler_address)
            wait_until(lambda: len(lines(tmp_path / "out")) >= 2)
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 4
        assert "the scheduler went away" in errors
        assert "Traceback" not in errors
        assert run("team", "audit", *sources, "--out", tmp_path / "out", "--quiet").code == 0
    assert len(by_source(tmp_path / "out")) == 12


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tcp://nonsense"])
def test_a_scheduler_that_does_not_answer_is_reported(address: str) -> None:
    with pytest.raises(engine.NoClusterError, match="no scheduler answers there"):
        list(engine.audit_on_cluster([], make_settings(), address, patience=0.5))


def test_a_worker_with_another_version_audits_nothing(tmp_path: Path) -> None:
    line = engine.audit_remotely(make_task(str(tmp_path), "/"), make_settings()._replace(program="0.0.1"))
    assert "a worker of the cluster has skillbag" in line
