"""A damaged or malformed cache file is ignored: the check has the right result, and is remembered again."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from skillbag.lint.cache.entry import CacheEntry, PackedResult
from skillbag.lint.cache.store import Snapshot, read_snapshot, write_snapshot
from skillbag.lint.engine.checker import Checker
from tests.lint.cache.conftest import COLUMNS, Kept


def test_no_flipped_bit_and_no_cut_goes_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "small.checks"
    questions = ["n/top\0k/top/.skills", "n/top/.skills/one\0c/top/.skills/one/SKILL.md", "c/top/CONTEXT.md"]
    known = [CacheEntry(text, bytes(24) * (text.count("\0") + 1), 1, b"12", b"[]", b"[1]") for text in questions]
    sound = Snapshot(known, [["target", "rules", "inventory", 3]], None, "2026-06-15")
    write_snapshot(str(path), sound)
    data = path.read_bytes()
    assert read_snapshot(str(path)) == sound
    for at in range(len(data)):
        path.write_bytes(data[:at])
        assert read_snapshot(str(path)) is None, f"cut at {at}"
        for bit in {0, at % 8}:
            path.write_bytes(data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :])
            # White space may be another one.
            assert read_snapshot(str(path)) in (None, sound), f"bit {bit} flipped at {at}"
    path.write_bytes(data + b"\n")
    assert read_snapshot(str(path)) is None


def test_a_damaged_cache_is_none(kept: Kept) -> None:
    data = kept.file.read_bytes()
    for number in range(40):
        generated = random.Random(number)
        at = generated.randrange(len(data))
        damaged = bytearray(data)
        damaged[at] ^= 1 << generated.randrange(8)
        kept.file.write_bytes(
            generated.choice((bytes(damaged), data[:at], generated.randbytes(at), data[at:], data * 2))
        )
        assert kept.check() == kept.expected
        assert kept.is_remembered()


Head = dict[str, Any]
Columns = dict[str, bytes]
FACTS = ["targets", "result", "day"]


def without_column(name: str, head: Head, columns: Columns) -> None:
    del columns[name]


def with_head(values: Head, head: Head, columns: Columns) -> None:
    head.update(values)


def with_fact(number: int, value: object, head: Head, columns: Columns) -> None:
    head["facts"][number] = value


def with_target(number: int, value: object, head: Head, columns: Columns) -> None:
    head["facts"][FACTS.index("targets")][0][number] = value


def with_findings(value: object, head: Head, columns: Columns) -> None:
    head["facts"][FACTS.index("result")][PackedResult._fields.index("findings")] = value


def columns_of(name: str, change: Callable[[bytes], bytes]) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    def work(head: dict[str, Any], columns: dict[str, bytes]) -> None:
        columns[name] = change(columns[name])

    return work


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "none": lambda data: b"",
    "half": lambda data: data[: len(data) // 16 * 8],
    "odd": lambda data: data[:-1],
    "twice": lambda data: data * 2,
    "more lines": lambda data: data + b"\n\n",
    "more parts": lambda data: data + b"\0c/x",
    "longer": lambda data: data + bytes(24),
    "zeros": lambda data: bytes(len(data)),
    "words": lambda data: b"x" * len(data),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_that_do_not_fit_together_are_none(name: str, kept: Kept) -> None:
    for how, change in CHANGES.items():
        if name == "files" and how in ("zeros", "words"):
            # Another number of files is as good as the right one.
            continue
        kept.rewrite(columns_of(name, change))
        with open(kept.top / ".skills/two/SKILL.md", "a", encoding="utf-8") as file:
            file.write("[gone too](gone-too.md)\n")
        kept.expected = Checker(kept.request).check()
        if how == "words" and name in ("questions", "verdicts", "summaries"):
            # Lines of the right number that are no JSON, of skills that were edited and of others.
            (kept.top / ".skills/one/SKILL.md").touch()
        assert kept.check() == kept.expected, how
        assert kept.is_remembered(), how


def test_no_column_may_be_missing(kept: Kept) -> None:
    for name in COLUMNS:
        kept.rewrite(partial(without_column, name))
        assert kept.check() == kept.expected
        assert kept.is_remembered()


ODD: tuple[Any, ...] = (None, 5, "x", [], {}, [[]], [None], {"x": 1}, -1, True)


ROW = ["target", "rules", "inventory", "number of entries"]


@pytest.mark.parametrize("key", [*FACTS, *ROW])
def test_facts_of_another_shape_are_none(key: str, kept: Kept) -> None:
    for edited in (False, True):
        for value in ODD:
            if key in ROW:
                kept.rewrite(partial(with_target, ROW.index(key), value))
            else:
                kept.rewrite(partial(with_fact, FACTS.index(key), value))
            if edited:
                (kept.top / ".skills/one/notes.md").write_text(f"{value}")
                kept.expected = Checker(kept.request).check()
            assert kept.check() == kept.expected, value
        assert kept.is_remembered()


def test_a_head_of_another_shape_is_none(kept: Kept) -> None:
    for value in (*ODD, "[" * 5000):
        kept.rewrite(partial(with_head, {"facts": value}))
        assert kept.check() == kept.expected
    for value in (5, {"x": 1}):
        kept.rewrite(partial(with_findings, value))
        assert kept.check() == kept.expected
    assert kept.is_remembered()
