"""Databases of the runtime, made and changed by tests."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.decisions import ApprovalScope
from tests.runtime.grantees import grantee, store


def database(folder: Path) -> Path:
    """A database in which one skill is approved."""
    with closing(store(folder)) as opened:
        Approvals(opened).grant(grantee(), ApprovalScope.ALWAYS)
    return folder / "runtime.db"


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def approved(folder: Path, remarks: list[str], wait: float = 5.0) -> bool:
    """Whether nothing must be asked."""
    opened = store(folder, remarks.append, wait)
    with closing(opened):
        return not Approvals(opened).missing(grantee())
