"""Fixtures of the tests of the audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.audit.audits import Audit, plain, records, source
from tests.install.worlds import write
from tests.sources.repositories import make_repository
from tests.support import Run


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Six sources of several kinds, one of which fails."""
    names = [make_repository(tmp_path / f"r{number}.git", source(f"skill-{number}")).url for number in range(3)]
    names += [str(write(tmp_path / f"f{number}", plain(f"fold-{number}"))) for number in range(2)]
    return write(tmp_path, {"m.txt": "\n".join([*names, "/nowhere/at/all"])}) / "m.txt"


@pytest.fixture
def audit(run: Run, tmp_path: Path) -> Audit:
    """Audit into the folder `out`, and read the records."""

    def audited(*arguments: object) -> list[dict[str, Any]]:
        run("audit", *arguments, "--out", tmp_path / "out")
        return records(tmp_path / "out")

    return audited
