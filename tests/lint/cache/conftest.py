"""A check that is remembered, for tests of what may be wrong with its cache file."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.fs.read import traced
from skillbag.kernel.model.result import CheckResult
from skillbag.lint.cache import entry
from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.cache.store import place_of
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.lint.cache.edited_worlds import tick
from tests.support import Tree, skill

SUPPRESSED = '<!-- skillbag: ignore[link-broken] reason="it comes" until=2999-01-01 -->\n[gone](gone.md)\n'


COLUMNS = ("questions", "stamps", "files", "digests", "verdicts", "summaries")
LAST = 23
"""Bytes of the last line: two numbers of eleven places, and the line's end."""


NAMES = ("one", "two", "three")


@pytest.fixture
def top(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace of three skills, whose times count at once."""
    monkeypatch.setattr(entry, "SETTLED", 0)
    catalog = "".join(f"- {name} - Tidy a folder. Use when files lie about.\n" for name in sorted(NAMES))
    skills = {f".skills/{name}/SKILL.md": skill(name) for name in NAMES}
    return tree({"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": catalog, **skills})


class Kept:
    """A workspace with findings, what a check finds there, and the file in which that is remembered."""

    def __init__(self, top: Path) -> None:
        # With few rules the file is small.
        self.request = CheckRequest(
            (str(top),), select=("links", "suppressions", "standard-version-mismatch", "name-folder-mismatch")
        )
        self.top = top
        self.file = Path(place_of(self.request))
        self.expected = Checker(self.request).check()
        self.rest = tick(top)

    def check(self) -> CheckResult:
        time.sleep(self.rest)
        return CachedChecker(self.request).check()

    def is_remembered(self) -> bool:
        with traced() as accesses:
            assert self.check() == self.expected
        return not accesses

    def rewrite(self, change: Callable[[dict[str, Any], dict[str, bytes]], object]) -> None:
        """Change facts and columns, with checksums as they should be."""
        magic, rest = self.file.read_bytes().split(b"\n", 1)
        rest, line = rest[:-LAST], rest[-LAST:]
        size = int(line[: LAST // 2])
        head, at, columns = json.loads(rest[-size:]), 0, {}
        for name, length in zip(COLUMNS, head["sizes"], strict=True):
            columns[name], at = rest[at : at + length], at + length
        change(head, columns)
        head["sizes"] = [len(column) for column in columns.values()]
        tail = json.dumps(head, separators=(",", ":")).encode()
        content = b"".join(columns.values()) + tail
        self.file.write_bytes(magic + b"\n" + content + b"%11d%11d\n" % (len(tail), zlib.crc32(content)))


@pytest.fixture
def kept(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """A check that is remembered."""
    monkeypatch.setattr(entry, "SETTLED", 0)
    top = tree(
        {
            "SKILLBAG.md": "SkillBag v9.0.0\n",
            ".skills/SKILLS.md": "- one - Tidy a folder. Use when files lie about.\n",
            ".skills/one/SKILL.md": skill("one") + SUPPRESSED,
            ".skills/two/SKILL.md": skill("another") + "[gone](gone.md)\n",
        }
    )
    kept = Kept(top)
    assert kept.check() == kept.expected
    assert kept.is_remembered()
    return kept
