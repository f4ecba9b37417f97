"""The records as tables in Parquet files, written in batches: memory does not grow with their number."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from skillbag.fleet.audit.values import SourceRecord
from skillbag.kernel.base.extras import extra
from skillbag.kernel.fs.atomic import open_atomic
from skillbag.kernel.model.findings import Severity

_Row: TypeAlias = Mapping[str, str | int | float | None]

_BATCH = 20_000
"""Rows of a table in memory."""

_LEVELS = {level.value: f"{level.value}s" for level in Severity}
_OTHERS = ("suppressed", "excused", "files")
_SOURCE = {"key": "string", "source": "string"}
_TABLES: Mapping[str, Mapping[str, str]] = {
    "sources": _SOURCE
    | dict.fromkeys(("status", "run", "at", "kind", "version", "resolved", "error", "program", "standard"), "string")
    | {"pinned": "bool_", "seconds": "float64", "bytes": "int64"}
    | dict.fromkeys((*_LEVELS.values(), *_OTHERS, "targets", "skills"), "int64"),
    "findings": _SOURCE
    | dict.fromkeys(("path", "rule", "clause", "level", "message", "fingerprint"), "string")
    | dict.fromkeys(("line", "column"), "int64"),
    "skills": _SOURCE
    | dict.fromkeys(("name", "path", "description", "tree", "sketch"), "string")
    | {"valid": "bool_", "tokens": "int64"},
    "dependencies": _SOURCE
    | {"in": "string"}
    | dict.fromkeys(("target", "who", "name", "version"), "string")
    | dict.fromkeys(("required", "pinned", "locked"), "bool_"),
}
"""The columns of each table with their types."""


def write_parquet(records: Iterable[SourceRecord], folder: str) -> None:
    """Write the tables of the records into `folder`; each takes its name when it is complete.

    Raises:
        MissingExtraError: the extra `audit` is not installed.
        OSError: a file can't be written.
    """
    arrow, parquet = (extra(name, "--format parquet", "audit") for name in ("pyarrow", "pyarrow.parquet"))
    with contextlib.ExitStack() as opened:
        writers = []
        for name, columns in _TABLES.items():
            schema = arrow.schema([(column, getattr(arrow, kind)()) for column, kind in columns.items()])
            file = opened.enter_context(open_atomic(os.path.join(folder, f"{name}.parquet"), root=folder))
            writers.append(_Writer(opened.enter_context(parquet.ParquetWriter(file, schema, compression="zstd"))))
        for record in records:
            # A source that was not checked has a row in the first table only.
            for writer, rows in zip(writers, _rows(record), strict=False):
                for row in rows:
                    writer.add(row)
        for writer in writers:
            writer.write()


def _rows(record: SourceRecord) -> Iterator[Iterable[_Row]]:
    """The rows of a record for each table."""
    head, found = record
    numbers: dict[str, int] = {}
    if found:
        numbers = {column: getattr(found.counts, level) for level, column in _LEVELS.items()}
        numbers |= {name: getattr(found.counts, name) for name in _OTHERS}
        numbers |= {"targets": len(found.targets), "skills": len(found.skills)}
    yield [{**head._asdict(), **numbers}]
    # In a dependency, `source` is where the required skill comes from, and `in` the source that declares it.
    for rows, column in (
        ((found.findings, "source"), (found.skills, "source"), (found.dependencies, "in")) if found else ()
    ):
        yield ({**row._asdict(), "key": head.key, column: head.source} for row in rows)


class _Writer:
    """A table that is being written, some rows at a time."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._rows: list[_Row] = []

    def add(self, row: _Row) -> None:
        self._rows.append({name: row.get(name) for name in self._file.schema.names})
        if len(self._rows) >= _BATCH:
            self.write()

    def write(self) -> None:
        """Write the rows that are in memory."""
        table = extra("pyarrow", "--format parquet", "audit").Table
        self._file.write_table(table.from_pylist(self._rows, schema=self._file.schema))
        self._rows = []
