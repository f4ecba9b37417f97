"""Tests of a table as one test: as a test of its own, a row mostly costs more than what it tries."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from tests.support import writer_in

Test = Callable[..., None]


def each_row(
    names: str | Sequence[str], rows: Iterable[Any], ids: Iterable[object] | Callable[..., object] = ()
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`: run a test for each row, and name each one that fails.

    A row has a folder of its own, as `tmp_path` and for `tree`. All else that the test asks for is shared by the rows.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [*_labelled(len(keys), rows, ids)]
    if not table:
        raise ValueError("a table with no rows tries nothing")

    def decorate(test: Test) -> Test:
        parameters = inspect.signature(test).parameters
        shared = [parameter for name, parameter in parameters.items() if name not in {*keys, *_OF_A_ROW}]
        own = [name for name in _OF_A_ROW if name in parameters]
        if own:
            shared.append(inspect.Parameter("tmp_path", inspect.Parameter.POSITIONAL_OR_KEYWORD))

        @wraps(test)
        def run(**fixtures: Any) -> None:
            failures = []
            base = fixtures.pop("tmp_path", None)
            for number, (label, values) in enumerate(table):
                if own:
                    folder = base / str(number)
                    folder.mkdir()
                given = {name: _OF_A_ROW[name](folder) for name in own}
                try:
                    test(**fixtures, **dict(zip(keys, values, strict=True)), **given)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"row {number}: {label}")
                    failures.append(error)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} rows", failures)

        run.__signature__ = inspect.Signature(shared)  # type: ignore[attr-defined]
        return run

    return decorate


def _folder(folder: Path) -> Path:
    return folder


_OF_A_ROW: dict[str, Callable[[Path], Any]] = {"tmp_path": _folder, "tree": writer_in}


def _labelled(width: int, rows: Iterable[Any], ids: Iterable[object] | Callable[..., object]) -> Iterator[Any]:
    """The rows, each with what names it in a failure."""
    rows = [*rows]
    names = [ids(row) for row in rows] if callable(ids) else [*ids] or [None] * len(rows)
    for row, name in zip(rows, names, strict=True):
        if isinstance(row, type(pytest.param())):
            yield row.id or row.values, row.values
        else:
            values = row if width > 1 else (row,)
            yield name or values, values
