"""The runtime's database `runtime.db`: approvals, the audit log and answers of registries (skill runtime, section 5).

Several processes may use it at once. A change is durable when it returns; appended rows are after a crash of the
process, and after one of the system up to the last moments.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.base.user_dirs import STATE_VARIABLE
from skillbag.kernel.fs.changes import create
from skillbag.runtime.broker.database_file import (
    DAMAGED,
    Identity,
    StoreError,
    busy_error,
    check_file,
    identity,
    locked,
    make_private,
    set_aside,
)
from skillbag.runtime.broker.store_tables import (
    VERSION,
    DamagedStoreError,
    as_text,
    check_rows,
    check_tables,
    make_tables,
    read_only,
    roll_back,
)

FILE = "runtime.db"
BUSY = 5.0
"""Seconds to wait for another process."""

_DAMAGED = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG))
_BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED))
_FULL = frozenset((sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR))
_UNWRITABLE = frozenset((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM))

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class Stamp(NamedTuple):
    """A state of the database: it differs once a change was made, by any process. Audit entries of this store do not
    count. `opened` numbers the openings: a new one means that the file was replaced."""

    opened: int
    others: int
    own: int


_FAULTS = (sqlite3.Error, DamagedStoreError, OSError, UnicodeDecodeError)
"""`sqlite3` raises a `UnicodeDecodeError` where its message about a damaged schema quotes bytes that are no text."""


class RuntimeStore:
    """The database in a folder, opened at the first use. Thread safe.

    Every method raises StoreError if the database is locked for too long, read-only, of a newer version, or not the
    user's own. If it is damaged, it is renamed, `remark` gets a sentence about it, and an empty one takes its place.
    """

    def __init__(self, folder: str, remark: Callable[[str], object], *, wait: float = BUSY) -> None:
        """`wait`: seconds to wait for other processes."""
        self.folder, self.path = folder, os.path.join(folder, FILE)
        self._remark = remark
        self._wait = wait
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._identity: Identity | None = None
        self._opened = 0
        self._changes = 0

    def run(self, work: Work[T]) -> T:
        """The result of `work`; each of its statements counts at once. What it writes does not wait for the disk."""
        with self._lock:
            try:
                return work(self._open())
            except _FAULTS as error:
                with _as_store_errors(self.path, self._wait):
                    if not _is_damage(error):
                        raise
                    remark = self._recover(str(error))
        if remark:
            # Without the lock: it may do anything.
            self._remark(remark)
        with self._lock, _as_store_errors(self.path, self._wait):
            return work(self._open())

    def read(self, work: Work[T], empty: T) -> T:
        """As `run` for what only reads: `empty` if there is no database, and none is made then. It may be read-only."""
        with contextlib.suppress(OSError):
            if self._connection is None and identity(self.path) is None:
                return empty
        try:
            return self.run(work)
        except StoreError as error:
            if error.__cause__ is None or not _is_unwritable(error.__cause__):
                raise
        with self._lock, _as_store_errors(self.path, self._wait):
            return read_only(self.path, work)

    def rows(self, select: str, values: Sequence[object]) -> list[Any]:
        """The rows of a query, as `read`; all rows of the database are checked for damage."""

        def work(connection: sqlite3.Connection) -> list[Any]:
            check_rows(connection)
            return connection.execute(select, values).fetchall()

        return self.read(work, list[Any]())

    def change(self, work: Work[T]) -> T:
        """The result of `work`, done in one transaction: whole, or not at all if it raises."""

        def transaction(connection: sqlite3.Connection) -> T:
            # Without FULL, a power failure could bring back what was revoked or consumed.
            connection.execute("PRAGMA synchronous=FULL")
            try:
                connection.execute("BEGIN IMMEDIATE")
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                roll_back(connection)
                raise
            finally:
                connection.execute("PRAGMA synchronous=NORMAL")
            self._changes += 1
            return result

        return self.run(transaction)

    @property
    def opened(self) -> int:
        """How often the database was opened: within `work`, the number of the file that it works on."""
        return self._opened

    def stamp(self) -> Stamp:
        """The state now; it takes a few microseconds."""
        return self.run(self._stamped)

    def _stamped(self, connection: sqlite3.Connection) -> Stamp:
        (others,) = connection.execute("PRAGMA data_version").fetchone()
        return Stamp(self._opened, others, self._changes)

    def close(self) -> None:
        """Close the database; a later use opens it again."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _open(self) -> sqlite3.Connection:
        """The connection to the file that is there now: another process may have set the old one aside."""
        if self._connection is not None:
            if identity(self.path) == self._identity:
                return self._connection
            self.close()
        make_private(os.path.dirname(self.path))
        if not check_file(self.path):
            with locked(self.path, self._wait):
                self._create()
        # Before it is opened: if it is replaced in between, the next use notices.
        found = identity(self.path)
        connection = self._connect()
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._identity = connection, found
        self._opened += 1
        return connection

    def _create(self) -> None:
        """Create an empty private file, unless another process was faster. SQLite removes what a killed process left
        beside it, because it is empty."""
        if not check_file(self.path):
            create(self.path, 0o600).close()

    def _connect(self) -> sqlite3.Connection:
        from urllib.parse import quote

        name = f"file:{quote(os.fsencode(self.path))}?mode=rw"
        connection = sqlite3.connect(
            name, uri=True, timeout=self._wait, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        connection.text_factory = as_text
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            with locked(self.path, self._wait):
                make_tables(connection)
        elif version > VERSION:
            known = f"version {version}, this one knows {VERSION}"
            advice = f"install a newer one, or set {STATE_VARIABLE} to another folder"
            raise StoreError(f"{self.path}: a newer skillbag has written it ({known}); {advice}")
        check_tables(connection)
        connection.execute("PRAGMA synchronous=NORMAL")

    def was_damaged(self) -> bool:
        """Whether a damaged database lies beside this one, so that what was in it is not known any more."""
        with contextlib.suppress(OSError):
            return any(name.startswith(f"{FILE}{DAMAGED}") for name in os.listdir(self.folder))
        return False

    def _recover(self, fault: str) -> str:
        """Set the damaged file aside and give a sentence about it; none if it is sound now, or another process has done
        so."""
        self.close()
        with locked(self.path, self._wait):
            if not check_file(self.path) or self._is_sound():
                return ""
            kept = set_aside(self.path)
        return (
            f"The runtime's database was damaged ({fault}); it was renamed to {kept}, and all approvals must be given "
            "again"
        )

    def _is_sound(self) -> bool:
        connection = self._connect()
        try:
            found = connection.execute("PRAGMA integrity_check(1)").fetchall()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                check_tables(connection)
                check_rows(connection)
            return found == [("ok",)]
        except (sqlite3.DatabaseError, DamagedStoreError, UnicodeDecodeError) as error:
            if not _is_damage(error):
                raise
            return False
        finally:
            connection.close()


def _is_damage(error: Exception) -> bool:
    is_short = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHORT_READ
    return is_short or isinstance(error, DamagedStoreError | UnicodeDecodeError) or _code(error) in _DAMAGED


def _code(error: BaseException) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _is_unwritable(error: BaseException) -> bool:
    return isinstance(error, OSError) or _code(error) in _UNWRITABLE


@contextlib.contextmanager
def _as_store_errors(path: str, wait: float) -> Iterator[None]:
    """Translate errors of SQLite and of the system.

    Raises:
        StoreError: the message names the database and says what to do.
    """
    try:
        yield
    except _FAULTS as error:
        if _code(error) in _BUSY:
            raise busy_error(path, wait) from error
        room = "make room on its disk, or " if _code(error) in _FULL else ""
        advice = (
            f"; {room}set {STATE_VARIABLE} to a folder that can be written" if room or _is_unwritable(error) else ""
        )
        raise StoreError(f"{path}: the runtime's database can't be used ({format_error(error)}){advice}") from error
