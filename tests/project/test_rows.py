"""A test of a table: each row is tried, in a folder of its own, and each that fails is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rows import each_row
from tests.support import Tree


def test_each_row_that_fails_is_named_and_those_behind_it_are_tried() -> None:
    tried = []

    @each_row("number, most", [(1, 1), pytest.param(3, 2, id="three"), (2, 2), (9, 2)])
    def is_small(number: int, most: int) -> None:
        tried.append(number)
        assert number <= most

    with pytest.raises(BaseExceptionGroup, match="2 of 4 rows") as raised:
        is_small()
    assert [error.__notes__[-1] for error in raised.value.exceptions] == ["row 1: three", "row 3: (9, 2)"]
    assert tried == [1, 3, 2, 9]


def test_a_row_that_raises_nothing_where_it_must_fails() -> None:
    @each_row("text", ["x", "1"], ids=str)
    def is_no_number(text: str) -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 rows"):
        is_no_number()


def test_a_row_has_a_folder_of_its_own(tmp_path: Path) -> None:
    @each_row("name", ["a", "b"])
    def is_alone(tree: Tree, tmp_path: Path, name: str) -> None:
        assert tree({name: ""}) == tmp_path
        assert [path.name for path in tmp_path.iterdir()] == [name]

    is_alone(tmp_path=tmp_path)


def test_a_table_has_rows() -> None:
    with pytest.raises(ValueError, match="no rows"):
        each_row("name", [])
