"""The index of symbols is read before anybody asks, and yields to checks."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from skillbag.doors.language_server.indexes import Indexes
from skillbag.doors.language_server.session import EditorSession
from skillbag.lint.symbols.units import read_unit
from skillbag.lint.symbols.values import skill_symbol
from tests.doors.language_server.editor import PATIENCE
from tests.lint.symbols.worlds import index_of, words_workspace
from tests.rows import each_row


@pytest.fixture
def words(tmp_path: Path) -> Path:
    return words_workspace(tmp_path)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the folders of skills that are read, in order."""
    found: list[str] = []

    def counted(folder: Any, *others: Any) -> Any:
        found.append(folder.name)
        return read_unit(folder, *others)

    monkeypatch.setattr("skillbag.lint.symbols.index.read_unit", counted)
    return found


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ten seconds later: no change is too new to be told from the next one."""
    real = time.time_ns
    monkeypatch.setattr("skillbag.lint.symbols.index.time.time_ns", lambda: real() + 10_000_000_000)


def tell_changed(session: EditorSession, paths: list[str] | None) -> None:
    for tell in session.on_changed:
        tell(paths)


def tell_checked(session: EditorSession) -> None:
    for tell in session.on_checked:
        tell()


async def until(read: list[str], count: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(read) < count:
            await asyncio.sleep(0.01)


@pytest.mark.asyncio
async def test_after_the_first_check_all_is_read_unless_another_check_is_wanted(words: Path, read: list[str]) -> None:
    session = EditorSession()
    session.folders = (str(words),)
    indexes = Indexes(session)
    tell_changed(session, None)
    tell_checked(session)
    tell_changed(session, [])
    await asyncio.sleep(0.2)
    assert read == []
    tell_checked(session)
    await until(read, 3)
    (index,) = await indexes.current()
    assert len(read) == 3
    assert len(index.definitions(skill_symbol("tidy-words"))) == 1


@pytest.mark.asyncio
async def test_a_request_waits_for_no_check(words: Path, read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillbag.doors.language_server.indexes._LONGEST_REST", 1000)
    session = EditorSession()
    session.folders = (str(words),)
    indexes = Indexes(session)
    tell_changed(session, None)
    async with asyncio.timeout(PATIENCE):
        await indexes.current()
    assert len(read) == 3


@pytest.mark.usefixtures("settled")
def test_what_the_system_calls_unchanged_is_not_read_again(words: Path, read: list[str]) -> None:
    index = index_of(words)
    path = words / ".skills/draft-text/SKILL.md"
    found = []
    for text in (None, path.read_text("utf-8").replace("tidy-words", "neat-words")):
        del read[:]
        if text:
            before = path.stat()
            path.write_text(text, "utf-8")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        index.changed()
        index.refresh()
        found.append([*read])
    assert found == [[], ["draft-text"]]
    assert {path} == {Path(each.path) for each in index.references(skill_symbol("neat-words"))}


@pytest.mark.usefixtures("settled")
@each_row(("changed", "expected"), [("references/rules.md", ["tidy-words"]), ("__pycache__/tidy.pyc", [])])
def test_a_change_counts_in_folders_of_a_skill_but_not_in_those_that_nobody_enters(
    words: Path, read: list[str], changed: str, expected: list[str]
) -> None:
    path = words / ".skills/tidy-words" / changed
    path.parent.mkdir(exist_ok=True)
    index = index_of(words)
    del read[:]
    path.write_text("# Longer rules\n\nShort words, and short sentences.\n", "utf-8")
    index.changed()
    index.refresh()
    assert read == expected


def test_what_has_just_changed_is_read_again(words: Path, read: list[str]) -> None:
    index = index_of(words)
    index.changed()
    index.refresh()
    assert len(read) == 6
