"""The tables of the runtime's database, and reading them where nothing can be written (skill runtime, section 5)."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from typing import TypeVar

from skillbag.runtime.broker.database_file import check_file

VERSION = 1
"""`user_version` of the database."""
_TABLES = (
    """CREATE TABLE permission_approvals(skill TEXT, origin TEXT, permission TEXT,
  scope TEXT CHECK(scope IN('once','session','always','deny')), session TEXT NOT NULL DEFAULT '',
  tree_hash TEXT NOT NULL, approved_at TEXT NOT NULL, PRIMARY KEY(skill, origin, permission, session))""",
    """CREATE TABLE audit(id INTEGER PRIMARY KEY, at TEXT, session TEXT, skill TEXT, permission TEXT, decision TEXT,
  detail TEXT, ms INTEGER)""",
)

T = TypeVar("T")


class DamagedStoreError(Exception):
    """The database does not have our tables, or has other values in them than we write."""


def read_only(path: str, work: Callable[[sqlite3.Connection], T]) -> T:
    """The result of `work`, which only reads, with a database that this process can't write.

    Raises:
        StoreError: the file is not the user's own. DamagedStoreError, sqlite3.Error, OSError: it can't be read.
    """
    from urllib.parse import quote

    check_file(path)
    # Without a log beside it, the file is whole; SQLite would make one.
    immutable = "" if os.path.exists(f"{path}-wal") else "&immutable=1"
    connection = sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode=ro{immutable}", uri=True, isolation_level=None)
    connection.text_factory = as_text
    with contextlib.closing(connection):
        check_tables(connection)
        return work(connection)


def make_tables(connection: sqlite3.Connection) -> None:
    """Make our tables in an empty database, unless another process has done so."""
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        return
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for table in _TABLES:
            connection.execute(table)
        connection.execute(f"PRAGMA user_version={VERSION}")
        # What sessions know this database by.
        number = int.from_bytes(os.urandom(4)) >> 1
        connection.execute(f"PRAGMA application_id={number}")
        connection.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise


def check_tables(connection: sqlite3.Connection) -> None:
    """Check that there are our tables and nothing else: no trigger or view that somebody has added."""
    found = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION or tuple(row[0] for row in found) != _TABLES:
        raise DamagedStoreError("it has other tables")


def check_rows(connection: sqlite3.Connection) -> None:
    """Check that each value is of its column's type, and none missing: SQLite reads much of a damaged page as NULL.

    Raises:
        DamagedStoreError: one is not.
    """
    for table in ("permission_approvals", "audit"):
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        wrong = " OR ".join(f"typeof({name}) != '{kind.lower()}'" for _, name, kind, *_ in columns)
        if connection.execute(f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1").fetchone():  # noqa: S608 - our names
            raise DamagedStoreError(f"a row of {table} has values of another type")


def roll_back(connection: sqlite3.Connection) -> None:
    """Undo what the open transaction has done."""
    # SQLite has done so itself after some errors.
    if connection.in_transaction:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


def as_text(data: bytes) -> str:
    """Text of a damaged page need not be UTF-8."""
    return data.decode("utf-8", "replace")
