"""Writing the marketplace's index: a copy is changed and then replaces it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from skillbag.agents.marketplace.index import (
    VERSION,
    DamagedIndexError,
    Index,
    NoIndexError,
    index_path,
    reading,
    sqlite_errors,
)
from skillbag.agents.settings.user_settings import MarketSource
from skillbag.kernel.base.user_dirs import CACHE_VARIABLE
from skillbag.kernel.fs.atomic import replace
from skillbag.kernel.fs.changes import create
from skillbag.kernel.fs.durable import sync
from skillbag.kernel.workspace.target import SKILL_ROOT

_WAIT = 600.0
"""Seconds to wait for another process that writes the index; reading fifty thousand skills takes a while."""

_MAX_BODY = 1 << 16
"""Characters of a skill's instructions that are indexed."""

_TABLES = """
CREATE TABLE sources (name TEXT PRIMARY KEY, address TEXT, version TEXT, resolved TEXT, updated REAL,
    first INTEGER, last INTEGER, remarks TEXT);
CREATE TABLE skills (id INTEGER PRIMARY KEY, source TEXT, name TEXT, description TEXT, address TEXT, version TEXT,
    body TEXT);
CREATE INDEX skills_by_name ON skills (name);
CREATE INDEX skills_by_source ON skills (source, name);
CREATE VIRTUAL TABLE texts USING fts5 (name, description, body, content = 'skills', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER inserted AFTER INSERT ON skills BEGIN
    INSERT INTO texts (rowid, name, description, body) VALUES (new.id, new.name, new.description, new.body);
END;
CREATE TRIGGER deleted AFTER DELETE ON skills BEGIN
    INSERT INTO texts (texts, rowid, name, description, body)
    VALUES ('delete', old.id, old.name, old.description, old.body);
END;
"""


class IndexedSkill(NamedTuple):
    """A skill to index; `body` are its instructions, `address` and `version` are for the fetch."""

    name: str
    description: str
    body: str
    address: str
    version: str | None


class Writer:
    """A new index before it replaces the old one; made by `rewriting`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def replace(self, source: MarketSource, resolved: str | None, offers: Iterable[IndexedSkill]) -> int:
        """Index a source again, with skills of different names; return their number."""
        self.drop(source.name)
        # A source has consecutive rows, so that a search can be restricted to it.
        first = (self._connection.execute("SELECT max(last) FROM sources").fetchone()[0] or 0) + 1
        last = first - 1
        for last, offer in enumerate(offers, first):
            name, description, body, *origin = offer
            values = (last, source.name, name, description, *origin, body[:_MAX_BODY])
            self._connection.execute("INSERT INTO skills VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        self._connection.execute(
            "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*source, resolved, time.time(), first, last, "")
        )
        return last - first + 1

    def note(self, name: str, remarks: Iterable[str]) -> None:
        """Store the remarks on a source."""
        text = "\n".join(" ".join(remark.split()) for remark in remarks)
        self._connection.execute("UPDATE sources SET remarks = ? WHERE name = ?", (text, name))

    def drop(self, name: str) -> None:
        """Delete a source and its skills."""
        self._connection.execute("DELETE FROM skills WHERE source = ?", (name,))
        self._connection.execute("DELETE FROM sources WHERE name = ?", (name,))

    def keep_only(self, names: Iterable[str]) -> None:
        """Delete the sources that are not among the names."""
        known = [row[0] for row in self._connection.execute("SELECT name FROM sources").fetchall()]
        for name in sorted(set(known) - set(names)):
            self.drop(name)

    def tidy(self) -> None:
        """Commit, and free unused space."""
        self._connection.execute("COMMIT")
        (free,) = self._connection.execute("PRAGMA freelist_count").fetchone()
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        if free * 2 > pages:
            self._connection.execute("VACUUM")


@contextlib.contextmanager
def in_memory(offers: Iterable[IndexedSkill]) -> Iterator[Index]:
    """An index of these skills alone, which have different names; it is gone after the block."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(_TABLES)
        Writer(connection).replace(MarketSource(SKILL_ROOT, "", None), None, offers)
        yield Index(connection)


@contextlib.contextmanager
def rewriting(on_wait: Callable[[], None] | None = None) -> Iterator[Writer]:
    """Change the index; nothing changes if the block fails. There is one writer at a time, readers continue.

    Raises:
        DamagedIndexError: the old index was damaged and has been deleted.
        OSError: it can't be written, or another process does not end.
    """
    from skillbag.kernel.transaction.locations import Locations
    from skillbag.kernel.transaction.writer import locked

    path = index_path()
    folder, new = os.path.dirname(path), f"{path}.new"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with locked(path, _WAIT, on_wait, Locations("index", "", "")), sqlite_errors(path):
            try:
                yield from _changed_copy(path, new)
                sync(new)
                replace(new, path)
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(new)
    except OSError as error:
        if error.filename not in (path, new, folder):
            raise
        fault = f"the index of the marketplace can't be written ({error.strerror})"
        advice = f"free some space, or set {CACHE_VARIABLE} to another folder"
        raise OSError(error.errno, f"{fault}; {advice}", path) from error


def _changed_copy(path: str, new: str) -> Iterator[Writer]:
    """Give the block a copy of the index, or an empty one if there is no usable one."""
    with contextlib.suppress(FileNotFoundError):
        # A killed process may have left it.
        os.unlink(new)
    is_copy = is_usable()
    if is_copy:
        with open(path, "rb") as old, create(new) as file:
            shutil.copyfileobj(old, file)
    else:
        create(new).close()
    connection = sqlite3.connect(new, isolation_level=None)
    try:
        # The file is deleted if anything fails, so it needs no journal.
        connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;")
        if not is_copy:
            connection.executescript(f"{_TABLES} PRAGMA user_version = {VERSION};")
        connection.execute("BEGIN")
        writer = Writer(connection)
        yield writer
        writer.tidy()
    finally:
        connection.close()


def is_usable() -> bool:
    """Whether there is a readable index, whose other sources a change keeps."""
    try:
        with reading() as index:
            index.sources()
    except (NoIndexError, DamagedIndexError):
        return False
    return True
