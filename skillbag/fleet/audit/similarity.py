"""Which skills are copies and near-copies of one another, found in a temporary database: there may be any number.

Copies have the same tree hash. Different trees that share a band of their sketches are compared, and are near-copies if
their estimated likeness is `LEAST` or more. Groups are made of pairs, so that two members may be less alike than that:
each group has the least likeness of a member to its first.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from skillbag.fleet.audit.minhash import Sketch, bands, from_bytes, from_text, likeness, to_bytes
from skillbag.fleet.audit.summary_values import SimilarityGroups, SimilarSkills, SkillPlace
from skillbag.fleet.audit.values import AuditedSkill

LEAST = 0.8
"""Likeness from which two skills are near-copies."""

_LEADERS = 8
"""The most trees of a band with which each further one is compared."""

_TABLES = """
    CREATE TABLE skill (tree INTEGER, source TEXT, path TEXT, name TEXT);
    CREATE TABLE tree (id INTEGER PRIMARY KEY, hash TEXT UNIQUE, sketch BLOB);
    CREATE TABLE band (value INTEGER, tree INTEGER);
    CREATE TABLE ranked (rank INTEGER PRIMARY KEY, tree INTEGER UNIQUE);
    CREATE TABLE member (tree INTEGER PRIMARY KEY, first INTEGER, rank INTEGER);
"""


class _Tree(NamedTuple):
    """A different tree: its rank among all by their hashes, and its row."""

    rank: int
    id: int


class Likeness:
    """The skills of an audit; a context manager that deletes its database."""

    def __init__(self) -> None:
        # Without a name SQLite uses a temporary file, and keeps only some of its pages in memory.
        self._base = sqlite3.connect("")
        self._sketch = lru_cache(maxsize=1 << 14)(self._read)
        self._base.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_TABLES}")

    def __enter__(self) -> Likeness:
        return self

    def __exit__(self, *_error: object) -> None:
        self._base.close()

    def add(self, source: str, skill: AuditedSkill) -> None:
        """Add a skill of a source."""
        if skill.tree is None:
            return
        sketch: Sketch | None = None
        with contextlib.suppress(ValueError):
            sketch = from_text(skill.sketch) if skill.sketch else None
        run = self._base.execute
        new = run("INSERT OR IGNORE INTO tree (hash, sketch) VALUES (?, ?)", (skill.tree, sketch and to_bytes(sketch)))
        if new.rowcount and sketch:
            rows = ((value, new.lastrowid) for value in bands(sketch))
            self._base.executemany("INSERT INTO band VALUES (?, ?)", rows)
        run(
            "INSERT INTO skill SELECT id, ?, ?, ? FROM tree WHERE hash = ?",
            (source, skill.path, skill.name, skill.tree),
        )

    def group(self) -> None:
        """Find the near-copies, for `near`; call it when all skills are added."""
        self._base.executescript(
            "CREATE INDEX skill_tree ON skill (tree); CREATE INDEX band_value ON band (value, tree);"
            "INSERT INTO ranked (tree) SELECT id FROM tree ORDER BY hash;"
        )
        above: dict[_Tree, _Tree] = {}

        def first(tree: _Tree) -> _Tree:
            while (next_ := above.get(tree, tree)) != tree:
                above[tree] = above.get(next_, next_)
                tree = next_
            return tree

        for one, other in self._pairs():
            low, high = sorted((first(one), first(other)))
            above[high] = low
        members = ((tree.id, first(tree).id, first(tree).rank) for tree in {*above, *above.values()})
        self._base.executemany("INSERT INTO member VALUES (?, ?, ?)", members)
        self._base.execute("CREATE INDEX member_first ON member (first)")

    def _pairs(self) -> Iterator[tuple[_Tree, _Tree]]:
        """Trees that are near-copies of one another, in an order that does not depend on that of the records."""
        rows = self._base.execute(
            "SELECT DISTINCT value, rank, band.tree"
            " FROM (SELECT value AS one FROM band GROUP BY one HAVING count(*) > 1)"
            " JOIN band ON value = one JOIN ranked ON ranked.tree = band.tree ORDER BY value, rank"
        )
        for _, band in groupby(rows, itemgetter(0)):
            leaders: list[_Tree] = []
            for tree in (_Tree(*row[1:]) for row in band):
                like = [leader for leader in leaders if self._likeness(leader.id, tree.id) >= LEAST]
                yield from ((leader, tree) for leader in like)
                if not like and len(leaders) < _LEADERS:
                    leaders.append(tree)

    def _likeness(self, one: int, other: int) -> float:
        return likeness(from_bytes(self._sketch(one)), from_bytes(self._sketch(other)))

    def _read(self, tree: int) -> bytes:
        raw: bytes = self._base.execute("SELECT sketch FROM tree WHERE id = ?", (tree,)).fetchone()[0]
        return raw

    @property
    def trees(self) -> int:
        """How many different skills there are."""
        return int(self._base.execute("SELECT count(*) FROM tree").fetchone()[0])

    def copies(self, most: int, shown: int) -> SimilarityGroups:
        """The groups of copies: the `most` largest, each with at most `shown` of its skills."""
        groups = "tree.id, hash FROM skill JOIN tree ON tree.id = skill.tree GROUP BY tree.id HAVING many > 1"
        listed = []
        for many, sources, tree, _ in self._largest(groups, most):
            rows = self._base.execute(
                "SELECT source, path, name FROM skill WHERE tree = ? ORDER BY source, path LIMIT ?", (tree, shown)
            )
            listed.append(_similar(many, sources, 1.0, rows))
        return self._groups("SELECT tree AS one, count(*) AS many FROM skill GROUP BY tree HAVING many > 1", listed)

    def near(self, most: int, shown: int) -> SimilarityGroups:
        """The groups of near-copies: the `most` largest, each with one skill of at most `shown` of its trees."""
        members = "FROM member JOIN skill ON skill.tree = member.tree"
        listed = []
        for many, sources, first, _ in self._largest(f"first, rank {members} GROUP BY first", most):
            trees = self._base.execute("SELECT tree FROM member WHERE first = ?", (first,)).fetchall()
            rows = self._base.execute(
                f"SELECT min(source), path, name {members} WHERE first = ?"
                " GROUP BY member.tree ORDER BY min(source), path LIMIT ?",
                (first, shown),
            )
            least = min(self._likeness(first, tree) for (tree,) in trees)
            listed.append(_similar(many, sources, round(least, 2), rows))
        return self._groups(f"SELECT first AS one, count(*) AS many {members} GROUP BY first", listed)

    def _groups(self, groups: str, listed: list[SimilarSkills]) -> SimilarityGroups:
        query = f"SELECT count(*), ifnull(sum(many), 0) FROM ({groups})"  # noqa: S608
        number, skills = self._base.execute(query).fetchone()
        return SimilarityGroups(number, skills, tuple(listed))

    def _largest(self, groups: str, most: int) -> list[Any]:
        query = f"SELECT count(*) AS many, count(DISTINCT source) AS sources, {groups}"
        return self._base.execute(f"{query} ORDER BY sources DESC, many DESC, 4 LIMIT ?", (most,)).fetchall()


def _similar(skills: int, sources: int, likeness: float, rows: Iterable[tuple[str, str, str]]) -> SimilarSkills:
    """A group, from the source, path and name of each skill that is shown; the first one names it."""
    shown = list(rows)
    return SimilarSkills(
        shown[0][2], skills, sources, likeness, tuple(SkillPlace(source, path) for source, path, _ in shown)
    )
