"""The index of the marketplace: every skill of every source, with full-text search, in one SQLite file of the cache.

The file is never changed in place: a writer makes a new one and renames it over the old one, so that readers are never
blocked and see the old index or the new one, even if the writer is killed. It can always be made again.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.agents.marketplace.ranking import Ranking, parse_query
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import cache_folder
from skillbag.supply.install.request import is_of_registry

VERSION = 2
"""The version of the index; an index of another version is ignored."""

UPDATE = "skillbag team marketplace update"

_FILE = "marketplace.sqlite3"
_LAST_ROW = 2**63 - 1

_MAX_NAMES = 200
_MAX_SIMILAR = 3
"""Similar names that are suggested, and words of the query that they are compared with."""


class NoIndexError(UserError):
    """There is no index, or one of another version; the message says what to do."""


class DamagedIndexError(UserError):
    """The index was damaged and has been deleted; the next update makes it again."""


class IndexedSource(NamedTuple):
    """A source as it was indexed: its settings, the commit or archive (`resolved`, None for a folder), and the time
    (seconds since 1970); the number of its skills, and a sentence on each skipped one."""

    name: str
    address: str
    version: str | None
    resolved: str | None
    updated: float
    skills: int
    remarks: tuple[str, ...]


class Offered(NamedTuple):
    """A skill that a source offers. `address` and `version` are for the fetch; a lower `score` is a better match of a
    search (0 elsewhere)."""

    name: str
    description: str
    source: str
    address: str
    version: str | None
    score: float = 0.0

    @property
    def ref(self) -> str:
        """The reference by which the skill is installed."""
        return f"registry:{self.name}" if is_of_registry(self.address) else f"{self.source}/{self.name}"


class SearchResult(NamedTuple):
    """The matches of a search, best first; without any, `meant` holds similar names. `remarks` are about a registry."""

    skills: tuple[Offered, ...]
    meant: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def index_path() -> str:
    """The absolute path of the index; it need not exist."""
    return os.path.join(cache_folder(), _FILE)


class Index:
    """The index as it was when it was opened by `reading`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def sources(self) -> dict[str, IndexedSource]:
        """The indexed sources, by name."""
        rows = self._connection.execute(
            "SELECT name, address, version, resolved, updated, last - first + 1, remarks FROM sources ORDER BY name"
        )
        sources = (IndexedSource(*row) for row in rows)
        return {source.name: source._replace(remarks=tuple(str(source.remarks).splitlines())) for source in sources}

    def skills(self, source: str | None = None, limit: int | None = None) -> tuple[Offered, ...]:
        """The skills of one source or of all, by source and name."""
        where, values = ("WHERE source = ?", (source,)) if source is not None else ("", ())
        return self._skills(f"{where} ORDER BY source, name LIMIT ?", (*values, -1 if limit is None else limit))

    def named(self, name: str) -> tuple[Offered, ...]:
        """The skills of this name, by source."""
        return self._skills("WHERE name = ? ORDER BY source", (name,))

    def search(self, text: str, limit: int, source: str | None = None) -> SearchResult:
        """The skills that match any word of the query, of one source or of all: an exact name first, then by BM25."""
        query = parse_query(text)
        rows: tuple[int, int] = (0, _LAST_ROW)
        if source is not None:
            select = "SELECT first, last FROM sources WHERE name = ?"
            rows = self._connection.execute(select, (source,)).fetchone() or (0, -1)
        scores = Ranking(self._connection, rows).ranked(query.wanted, limit)
        if not scores:
            return SearchResult((), meant=self.similar_names(query.words))
        exact = self._rows_of(query.name) & scores.keys()
        best = sorted(scores, key=lambda row: (row not in exact, -scores[row], row))[:limit]
        skills = (skill._replace(score=-scores[row]) for row in best for skill in self._skills("WHERE id = ?", (row,)))
        return SearchResult(tuple(skills))

    def similar_names(self, words: Iterable[str]) -> tuple[str, ...]:
        """Names like the words together, or like one of them; only names with the same first letter are compared."""
        import difflib

        words = tuple(words)[:_MAX_SIMILAR]
        names: dict[str, str] = {}
        for letter in dict.fromkeys(word[:1] for word in words):
            for row in self._connection.execute(
                "SELECT DISTINCT name FROM skills WHERE name >= ? AND name < ? LIMIT ?",
                (letter, letter + "\U0010ffff", _MAX_NAMES),
            ):
                names |= dict.fromkeys(row[0].split("-"), row[0])
                names[row[0]] = row[0]
        close: list[str] = []
        for text in ("-".join(words), *words):
            close += difflib.get_close_matches(text, names, _MAX_SIMILAR, 0.7)
        return tuple(dict.fromkeys(names[part] for part in close))[:_MAX_SIMILAR]

    def _rows_of(self, name: str) -> frozenset[int]:
        return frozenset(row for (row,) in self._connection.execute("SELECT id FROM skills WHERE name = ?", (name,)))

    def _skills(self, which: str, values: tuple[object, ...]) -> tuple[Offered, ...]:
        select = f"SELECT name, description, source, address, version FROM skills {which}"  # noqa: S608
        return tuple(Offered(*row) for row in self._connection.execute(select, values))


@contextlib.contextmanager
def reading() -> Iterator[Index]:
    """Open the index; within the block it stays the same, even if a writer replaces the file.

    Raises:
        NoIndexError: there is none, or one of another version.
        DamagedIndexError: it is damaged, which may show within the block.
        OSError: it can't be read.
    """
    path = index_path()
    if not os.path.lexists(path):
        raise NoIndexError(f"the marketplace was never indexed; {UPDATE} fetches and indexes its sources")
    from urllib.parse import quote

    with sqlite_errors(path):
        # The file never changes, so no lock is needed: this works in read-only folders, too.
        connection = sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1", uri=True)
        try:
            if connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
                raise NoIndexError(f"the index of the marketplace has another version; {UPDATE} makes it again")
            yield Index(connection)
        finally:
            connection.close()


_SYSTEM_ERRORS = frozenset(
    (
        *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM),
        *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL),
        *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOLFS),
    )
)
"""Errors that do not mean that the index is damaged."""


@contextlib.contextmanager
def sqlite_errors(path: str) -> Iterator[None]:
    """Translate SQLite's errors about the index at `path`; a damaged index is deleted.

    Raises:
        DamagedIndexError, OSError: as `reading`.
    """
    try:
        yield
    except sqlite3.Error as error:
        if "no such module" in str(error):
            fault = "the SQLite of this Python has no full-text search (FTS5); use a Python whose SQLite has it"
            raise OSError(f"the marketplace can't be searched: {fault}") from error
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF in _SYSTEM_ERRORS or isinstance(error, sqlite3.ProgrammingError):
            raise OSError(f"the index of the marketplace can't be used: {path}: {error}") from error
        raise _deleted(path) from error
    except (UnicodeDecodeError, MemoryError) as error:
        # A text of the index is no longer valid, or a damaged length asks for more memory than there is.
        raise _deleted(path) from error


def _deleted(path: str) -> DamagedIndexError:
    """Delete the damaged index at `path`."""
    with contextlib.suppress(OSError):
        os.unlink(path)
    return DamagedIndexError(f"the index of the marketplace was damaged ({path}); {UPDATE} makes it again")
