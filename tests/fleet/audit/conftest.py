"""Fixtures of the tests of the audit."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

from skillbag.fleet.audit.record import audit_source
from skillbag.fleet.audit.settings import AuditSettings
from skillbag.fleet.audit.sources import AuditTask
from skillbag.fleet.audit.worker import Child
from tests.fleet.audit.audits import Audit, plain, records, source
from tests.supply.install.worlds import write
from tests.supply.sources.repositories import make_repository
from tests.support import Run


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources are audited in this process, one at a time: starting another one takes longer than most audits."""
    guard = threading.Lock()

    def audit(_: Child, task: AuditTask, settings: AuditSettings) -> str:
        with guard:
            return audit_source(*pickle.loads(pickle.dumps((task, settings))))  # noqa: S301

    monkeypatch.setattr(Child, "audit", audit)


@pytest.fixture(scope="session")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six sources of several kinds, one of which fails."""
    folder = tmp_path_factory.mktemp("manifest")
    names = [make_repository(folder / f"r{number}.git", source(f"skill-{number}")).url for number in range(3)]
    names += [str(write(folder / f"f{number}", plain(f"fold-{number}"))) for number in range(2)]
    return write(folder, {"m.txt": "\n".join([*names, "/nowhere/at/all"])}) / "m.txt"


@pytest.fixture
def audit(run: Run, tmp_path: Path, in_process: None) -> Audit:
    """Audit into the folder `out` and return the records; in this process."""

    def audited(*arguments: object) -> list[dict[str, Any]]:
        run("team", "audit", *arguments, "--out", tmp_path / "out")
        return records(tmp_path / "out")

    return audited
