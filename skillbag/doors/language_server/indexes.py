"""The indexes of symbols of the targets in the opened folders, and places as the client counts them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lsprotocol import types

from skillbag.doors.language_server.positions import width
from skillbag.doors.language_server.session import EditorSession
from skillbag.doors.language_server.threads import in_thread
from skillbag.kernel.workspace.discovery import NothingToCheckError, find_targets
from skillbag.kernel.workspace.target import Target
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.values import Occurrence

_REST = 0.05
"""Seconds after a check until the reading goes on: more keys may come."""
_YIELD = 0.0002
"""Seconds that give the interpreter to the other threads, which wait much longer for it otherwise."""
_LONGEST_REST = 1.0
"""Seconds of a rest that no check ends."""


@dataclass(frozen=True, slots=True)
class FoundSymbol:
    """An occurrence at the cursor, and the index that has it."""

    index: SymbolIndex
    occurrence: Occurrence


class Indexes:
    """The indexes by target. After a key one file is read again; everything is read in a thread of its own.

    The first check is followed by the first reading, so that no request waits for it. It rests while a check is wanted,
    unless a request waits.
    """

    def __init__(self, session: EditorSession) -> None:
        self._session = session
        self._indexes: dict[Target, SymbolIndex] = {}
        self._pending: set[str] | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_read = False
        self._waiting = 0
        self._calm = threading.Event()
        self._timer: asyncio.TimerHandle | None = None
        session.on_changed += [self.changed, self._rest]
        session.on_checked.append(self._resume)

    def changed(self, paths: Iterable[str] | None = None) -> None:
        """Note that these files may have changed; None for any."""
        if paths is None:
            self._pending = None
        elif self._pending is not None:
            self._pending.update(paths)

    async def current(self) -> list[SymbolIndex]:
        """All indexes, up to date, the innermost targets first."""
        self._waiting += 1
        self._calm.set()
        try:
            while self._pending is None or self._pending or self._task:
                if self._task is None and self._pending is not None:
                    self._refresh(self._pending)
                    continue
                await asyncio.shield(self._begin())
        finally:
            self._waiting -= 1
        return self._all()

    def _begin(self) -> asyncio.Task[None]:
        """Read everything, unless that is being done."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._read_all())
        return self._task

    def _pause(self) -> None:
        """Before each skill, in the thread that reads: let others go first."""
        if not self._waiting:
            time.sleep(_YIELD)
            self._calm.wait(_LONGEST_REST)

    def _rest(self, _: object) -> None:
        if self._timer:
            self._timer.cancel()
        if not self._waiting:
            self._calm.clear()

    def _resume(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_REST, self._calm.set)
        if not self._is_read:
            self._begin()

    def _all(self) -> list[SymbolIndex]:
        return sorted(self._indexes.values(), key=lambda index: -len(index.target.root))

    def _refresh(self, paths: set[str]) -> None:
        self._pending = set()
        buffers = self._session.buffers()
        for index in self._all():
            index.changed(paths)
            index.refresh(buffers)

    async def _read_all(self) -> None:
        self._pending = set()
        session, known = self._session, {**self._indexes}
        alone = [
            document.path for document in session.documents if document.path and not self._is_inside(document.path)
        ]
        work = _reading(known, session.folders, alone, session.buffers(), self._pause)
        try:
            self._indexes = await in_thread(work)
            self._is_read = True
        except BaseException:
            self._pending = None
            raise
        finally:
            self._task = None

    def _is_inside(self, path: str) -> bool:
        return any(path.startswith(os.path.join(folder, "")) for folder in self._session.folders)

    async def of(self, path: str) -> SymbolIndex | None:
        """The index of the target that a file is in; None if it is in none."""
        indexes = await self.current()
        return next((index for index in indexes if path.startswith(os.path.join(index.target.root, ""))), None)

    async def at(self, document: types.TextDocumentIdentifier, position: types.Position) -> FoundSymbol | None:
        """What is at the client's cursor."""
        path = self._session.path(document.uri)
        index = await self.of(path) if path else None
        text = self._session.text(path) if path else None
        if index is None or text is None or path is None:
            return None
        occurrence = index.at(path, text.offset(position))
        return FoundSymbol(index, occurrence) if occurrence else None

    def range(self, index: SymbolIndex, occurrence: Occurrence) -> types.Range:
        """The client's range of an occurrence; it takes no reading of its file."""
        file, encoding = index.file(occurrence.path), self._session.documents.encoding
        size = occurrence.end - occurrence.start
        if file is None or file.odd_ends or occurrence.form == "value":
            text = self._session.text(occurrence.path)
            if text is not None:
                return text.range(occurrence.start, occurrence.end)
        number, start = occurrence.line - 1, occurrence.column - 1
        line = file.odd_lines.get(occurrence.line) if file else None
        if line is None:
            return types.Range(types.Position(number, start), types.Position(number, start + size))
        first, last = width(line[:start], encoding), width(line[: start + size], encoding)
        return types.Range(types.Position(number, first), types.Position(number, last))

    def locations(self, index: SymbolIndex, occurrences: Iterable[Occurrence]) -> list[types.Location]:
        """Occurrences as the client's locations."""
        return [types.Location(self._session.uri(each.path), self.range(index, each)) for each in occurrences]


def _reading(
    known: dict[Target, SymbolIndex],
    folders: Iterable[str],
    alone: Iterable[str],
    buffers: dict[str, bytes],
    pause: Callable[[], object],
) -> Callable[[], dict[Target, SymbolIndex]]:
    def work() -> dict[Target, SymbolIndex]:
        indexes = {target: known.get(target) or SymbolIndex(target) for target in _targets(folders, alone)}
        for index in indexes.values():
            index.changed()
            index.refresh(buffers, pause)
        return indexes

    return work


def _targets(folders: Iterable[str], alone: Iterable[str]) -> Iterator[Target]:
    """The targets of the opened folders, and those around files that were opened without one."""
    for path in (*folders, *alone):
        with contextlib.suppress(NothingToCheckError, OSError):
            yield from find_targets([path])
