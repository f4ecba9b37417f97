"""The index of the marketplace: every skill of every source, with full-text search, in one SQLite file of the cache.

The file is never changed in place: whoever writes makes a new one and renames it over the old, so that readers are
never blocked and see the old index or the new one, whenever a writer is killed. It can always be made again.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.base.user_dirs import cache_folder
from skillbag.marketplace.tokenizer import parse_query

VERSION = 2
"""Of the index; one of another version counts as none."""

UPDATE = "skillbag marketplace update"

_FILE = "marketplace.sqlite3"
_WEIGHTS = "100, 10, 1"
"""BM25 weights of name, description and body: far apart, so that a short body does not outweigh a name."""

_MOST_RANKED = 4000
"""Matches that a search ranks. It takes the rarest words first, until they have more matches than this: a word that
nearly all skills use says little, and must not cost time."""

_MOST_COMMON = 3
"""Words of which each has too many matches; with more of them a search takes too long."""

_LAST_ROW = 2**63 - 1

_RANK = f"""
SELECT id, score FROM (
    SELECT rowid AS id, bm25(texts, {_WEIGHTS}) AS score FROM texts
    WHERE texts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)
ORDER BY id IN (SELECT id FROM skills WHERE name = ?) DESC, score, id LIMIT ?
"""  # noqa: S608

_MOST_NAMES = 200
_CLOSE = 3
"""Names that are told, and words that they are looked for by."""


class NoIndexError(UserError):
    """Nothing was indexed yet, or by another version; the message says what to do."""


class DamagedIndexError(UserError):
    """The index was damaged, and is gone so that the next update makes it anew; the message says so."""


class IndexedSource(NamedTuple):
    """A source as it was indexed: its settings then, what was fetched (`resolved`, None for a folder), and when
    (seconds since 1970); how many skills it has, and a sentence on each thing that was skipped."""

    name: str
    address: str
    version: str | None
    resolved: str | None
    updated: float
    skills: int
    remarks: tuple[str, ...]


class Indexed(NamedTuple):
    """A skill of the index. `address` and `version` say where it is fetched from; a lower `score` is a better match."""

    name: str
    description: str
    source: str
    address: str
    version: str | None
    score: float = 0.0


class Found(NamedTuple):
    """The matches of a search, best first; without any, `meant` holds similar names."""

    skills: tuple[Indexed, ...]
    meant: tuple[str, ...] = ()


def index_path() -> str:
    """The absolute path of the index; it need not exist."""
    return os.path.join(cache_folder(), _FILE)


class Index:
    """The index as it was when it was opened; made by `reading`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def sources(self) -> dict[str, IndexedSource]:
        """The sources that were indexed, by name."""
        rows = self._connection.execute(
            "SELECT name, address, version, resolved, updated, last - first + 1, remarks FROM sources ORDER BY name"
        )
        found = (IndexedSource(*row) for row in rows)
        return {one.name: one._replace(remarks=tuple(str(one.remarks).splitlines())) for one in found}

    def skills(self, source: str | None = None, limit: int | None = None) -> tuple[Indexed, ...]:
        """The skills of one source or of all, by source and name."""
        where, values = ("WHERE source = ?", (source,)) if source is not None else ("", ())
        most = -1 if limit is None else limit
        return self._skills(f"{where} ORDER BY source, name LIMIT ?", (*values, most))

    def named(self, name: str) -> tuple[Indexed, ...]:
        """The skills of this name, by source."""
        return self._skills("WHERE name = ? ORDER BY source", (name,))

    def search(self, text: str, limit: int, source: str | None = None) -> Found:
        """The skills that match any word of the query, of one source or of all: an exact name first, then by BM25."""
        query = parse_query(text)
        rows = self._rows_of(source)
        counts = {term: count for term in query.terms if (count := self._count(term, rows))}
        if not counts:
            return Found((), meant=self.close_names(query.words))
        found: dict[int, float] = {}
        for expression in _expressions(counts):
            if len(found) < limit:
                found = found | self._ranked(expression, rows, query.name, limit)
        return Found(self._looked_up(found, limit))

    def close_names(self, words: Iterable[str]) -> tuple[str, ...]:
        """Names that look like the words together, or like one of them; only those that begin alike are looked at."""
        import difflib

        words = tuple(words)[:_CLOSE]
        names: dict[str, str] = {}
        for beginning in dict.fromkeys(word[:1] for word in words):
            for row in self._connection.execute(
                "SELECT DISTINCT name FROM skills WHERE name >= ? AND name < ? LIMIT ?",
                (beginning, beginning + "\U0010ffff", _MOST_NAMES),
            ):
                names |= dict.fromkeys(row[0].split("-"), row[0])
                names[row[0]] = row[0]
        close = [
            part for text in ("-".join(words), *words) for part in difflib.get_close_matches(text, names, _CLOSE, 0.7)
        ]
        return tuple(dict.fromkeys(names[part] for part in close))[:_CLOSE]

    def _rows_of(self, source: str | None) -> tuple[int, int]:
        """The first and last row of a source, or of all."""
        if source is None:
            return 0, _LAST_ROW
        found = self._connection.execute("SELECT first, last FROM sources WHERE name = ?", (source,)).fetchone()
        return found or (0, -1)

    def _count(self, term: str, rows: tuple[int, int]) -> int:
        """The number of matches of a term, counted up to what can be ranked."""
        select = "SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)"
        found = self._connection.execute(select, (term, *rows, _MOST_RANKED)).fetchone()
        return int(found[0])

    def _ranked(self, expression: str, rows: tuple[int, int], name: str, limit: int) -> dict[int, float]:
        """Rows and scores of the best matches."""
        return dict(self._connection.execute(_RANK, (expression, *rows, _MOST_RANKED, name, limit)).fetchall())

    def _looked_up(self, found: dict[int, float], limit: int) -> tuple[Indexed, ...]:
        skills = ((self._skills("WHERE id = ?", (row,)), score) for row, score in islice(found.items(), limit))
        return tuple(one._replace(score=score) for several, score in skills for one in several)

    def _skills(self, which: str, values: tuple[object, ...]) -> tuple[Indexed, ...]:
        select = f"SELECT name, description, source, address, version FROM skills {which}"  # noqa: S608
        return tuple(Indexed(*row) for row in self._connection.execute(select, values))


def _expressions(counts: dict[str, int]) -> tuple[str, ...]:
    """The FTS5 expressions that find any of the terms, in the order in which they are tried."""
    total = 0
    rare = []
    for term in sorted(counts, key=counts.__getitem__):
        total += counts[term]
        if total >= _MOST_RANKED:
            break
        rare.append(term)
    if rare:
        return (" OR ".join(rare),)
    common = " OR ".join(list(counts)[:_MOST_COMMON])
    return f"{{name}} : ({common})", common


@contextlib.contextmanager
def reading() -> Iterator[Index]:
    """Open the index; it stays what it is within the block, whoever writes another.

    Raises:
        NoIndexError: there is none, or one of another version.
        DamagedIndexError: it is damaged, which may show within the block.
        OSError: it can't be read.
    """
    path = index_path()
    with errors_told(path):
        connection = _open(path)
        try:
            if connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
                raise NoIndexError(f"the index of the marketplace is another version's; {UPDATE} makes it anew")
            yield Index(connection)
        finally:
            connection.close()


def _open(path: str) -> sqlite3.Connection:
    if not os.path.lexists(path):
        raise NoIndexError(f"the marketplace was never indexed; {UPDATE} fetches its sources and does it")
    from urllib.parse import quote

    # Nobody changes the file, so nothing has to be locked: that works in folders that can't be written, too.
    return sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1", uri=True)


_OF_THE_SYSTEM = frozenset(
    (
        *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM),
        *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL),
        *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOLFS),
    )
)
"""What says nothing of the index; for the rest a text that can't be read is enough, or a column that is not there."""


@contextlib.contextmanager
def errors_told(path: str) -> Iterator[None]:
    """What SQLite says of the index at `path`, as errors of ours: damage is thrown away, the rest is the system's.

    Raises:
        DamagedIndexError, OSError: as `reading`.
    """
    try:
        yield
    except sqlite3.Error as error:
        if "no such module" in str(error):
            told = "the SQLite of this Python has no full-text search (FTS5); use a Python whose SQLite has it"
            raise OSError(f"the marketplace can't be searched: {told}") from error
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF in _OF_THE_SYSTEM or isinstance(error, sqlite3.ProgrammingError):
            raise OSError(f"the index of the marketplace can't be used: {path}: {error}") from error
        raise thrown_away(path) from error
    except UnicodeDecodeError as error:
        # A text of the index that is none any more.
        raise thrown_away(path) from error


def thrown_away(path: str) -> DamagedIndexError:
    """Take the damaged index at `path` away; the error that says so."""
    with contextlib.suppress(OSError):
        os.unlink(path)
    return DamagedIndexError(f"the index of the marketplace was damaged ({path}); {UPDATE} makes it anew")
