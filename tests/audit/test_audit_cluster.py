"""The engine of a Dask cluster: a real one, on loopback, with two workers."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.sources.address import SourceKind
from tests.audit.audits import by_source, lines, plain, records, start, wait_until, zipped
from tests.install.worlds import write
from tests.sources.servers import Handle, content, delayed, serve
from tests.support import Run

distributed = pytest.importorskip("distributed", reason="the extra `audit` is not installed")


@pytest.fixture
def touchy() -> Iterator[None]:
    """The scheduler of a cluster that is made now gives up a source as soon as one worker has died of it."""
    with pytest.importorskip("dask").config.set({"distributed.scheduler.allowed-failures": 0}):
        yield


@pytest.fixture
def cluster(user_folders: None) -> Iterator[Any]:
    """A cluster of two worker processes; one that dies is not replaced at once."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50
    ) as made:
        yield made


def test_a_worker_that_is_killed_on_the_way_loses_no_source(run: Run, tmp_path: Path, cluster: Any) -> None:
    table: dict[str, Handle] = {f"/{n}.zip": delayed(content(zipped(plain(f"s{n}"))), 0.15) for n in range(16)}
    table["/15.zip"] = content(b"this is no zip")
    with serve(table) as server:
        sources = [f"{server.url}/{number}.zip" for number in range(16)]
        process = start(*sources, "--out", tmp_path / "out", "--engine", "dask", cluster.scheduler_address)
        wait_until(lambda: len(lines(tmp_path / "out")) >= 3)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        assert len(lines(tmp_path / "out")) < 14
        _, said = process.communicate(timeout=300)
        run("audit", *sources, "--out", tmp_path / "local", "--quiet")
    assert process.returncode == 1
    assert "Traceback" not in said
    assert len(records(tmp_path / "out")) == 16
    assert by_source(tmp_path / "out") == by_source(tmp_path / "local")


def test_a_source_that_ends_every_worker_it_meets_fails_alone(touchy: None, tmp_path: Path, cluster: Any) -> None:
    from skillbag.audit import cluster as engine
    from skillbag.audit.settings import make_settings
    from skillbag.audit.sources import make_tasks

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


def test_a_scheduler_that_goes_away_is_a_sentence_and_the_rest_can_be_done(run: Run, tmp_path: Path) -> None:
    table: dict[str, Handle] = {f"/{n}.zip": delayed(content(zipped(plain(f"s{n}"))), 0.2) for n in range(12)}
    with serve(table) as server:
        sources = [f"{server.url}/{number}.zip" for number in range(12)]
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", silence_logs=50
        ) as made:
            process = start(*sources, "--out", tmp_path / "out", "--engine", "dask", made.scheduler_address)
            wait_until(lambda: len(lines(tmp_path / "out")) >= 2)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 4
        assert "the scheduler went away" in said
        assert "Traceback" not in said
        assert run("audit", *sources, "--out", tmp_path / "out", "--quiet").code == 0
    assert len(by_source(tmp_path / "out")) == 12


def test_a_scheduler_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    from skillbag.audit.cluster import NoClusterError, audit_on_cluster
    from skillbag.audit.settings import make_settings

    with pytest.raises(NoClusterError, match="no scheduler answers there"):
        list(audit_on_cluster([], make_settings(), "tcp://127.0.0.1:9", patience=0.5))
    with pytest.raises(NoClusterError, match="no scheduler answers there"):
        list(audit_on_cluster([], make_settings(), "tcp://nonsense", patience=0.5))


def test_a_worker_with_another_version_audits_nothing(tmp_path: Path) -> None:
    from skillbag.audit.cluster import audit_remotely
    from skillbag.audit.settings import make_settings
    from skillbag.audit.sources import make_task

    line = audit_remotely(make_task(str(tmp_path), "/"), make_settings()._replace(program="0.0.1"))
    assert "a worker of the cluster has skillbag" in line
