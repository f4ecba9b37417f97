"""The rules and clauses of this package: those of the index, which `tools/generate.py` makes.

In a checkout a rule file that is newer than the index counts at once.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from skillbag.kernel.base.package_data import clauses, folder, is_installed, rule_sources
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.checks.lazy_predicate import INDEXED, LazyPredicate
from skillbag.lint.rules.model import LATE, PAGES, Clause, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INDEXES = tuple(os.path.join(os.path.dirname(__file__), name) for name in ("index.py", "late_index.py"))
"""The files of the index: the rules without their examples."""

_SOURCES = folder("rules")
_LATE_FOLDERS = {os.path.join(_SOURCES, family): family for family in sorted(LATE)}


def load_rules() -> tuple[Rule, ...]:
    """The rules of this package, by family and id."""
    return tuple(sorted((*load_core_rules(), *load_late_rules()), key=lambda rule: (rule.family, rule.id)))


def load_core_rules() -> tuple[Rule, ...]:
    """The rules of this package without those that are loaded late, by family and id."""
    from skillbag.lint.rules.index import PREDICATES, RULES

    return _current(_indexed(RULES, PREDICATES), is_late=False)


def load_late_rules() -> tuple[Rule, ...]:
    """The rules of this package about manifests of active skills and about files around skills, by family and id."""
    from skillbag.lint.rules.late_index import PREDICATES, RULES

    return _current(_indexed(RULES, PREDICATES), is_late=True)


def late_families() -> Mapping[str, str]:
    """The families of the rules that are loaded late by their ids, without loading them."""
    from skillbag.lint.rules.index import LATE_RULES

    if is_installed():
        return LATE_RULES
    return {name[:-5]: family for folder, family in _LATE_FOLDERS.items() for name in os.listdir(folder)}


def load_clauses() -> tuple[Clause, ...]:
    """The clauses of the standard, in its order; a check of these rules alone needs none of them."""
    from skillbag.kernel.documents.nodes import core_value, parse_yaml

    parsed: Any = parse_yaml(clauses())
    rows: Any = core_value(parsed)
    return tuple(Clause(row["id"], row["level"], row["gist"], tuple(row["proved-by"])) for row in rows)


def _is_newer(source: os.DirEntry[str]) -> bool:
    return source.stat().st_mtime > os.stat(INDEXES[0]).st_mtime


def _current(indexed: tuple[Rule, ...], *, is_late: bool) -> tuple[Rule, ...]:
    """The rules of the index; in a checkout those whose files are newer as these say, and new but no deleted ones."""
    if is_installed():
        return indexed
    levels, *sources = rule_sources()
    files = {entry.path: entry for entry in sources if entry.path.startswith((*_LATE_FOLDERS,)) == is_late}
    known = {f"{_SOURCES}{os.sep}{rule.family}{os.sep}{rule.id}.yaml": rule for rule in indexed}
    # The level of a rule follows from its clause.
    made = 0.0 if _is_newer(levels) else os.stat(INDEXES[0]).st_mtime
    edited = [path for path, entry in files.items() if entry.stat().st_mtime > made or path not in known]
    if not edited and len(files) == len(known):
        return indexed
    # It needs the readers of documents and the schema validator.
    from skillbag.lint.rules.loader import read_rules

    rules = [*(known[path] for path in files.keys() - edited), *read_rules(edited, load_clauses())]
    return tuple(sorted(rules, key=lambda rule: (rule.family, rule.id)))


def _indexed(rows: Collection[tuple[Any, ...]], known: Mapping[str, tuple[Any, ...]]) -> tuple[Rule, ...]:
    # The generator has checked them.
    predicates = {name: LazyPredicate(name, *described) for name, described in known.items()}
    INDEXED.update(predicates)
    # There are few different ones, and a member of an enumeration takes long to look up.
    kinds = {targets: frozenset(map(TargetKind, targets)) for targets in {row[4] for row in rows}}
    return tuple([_bound(row, predicates, kinds) for row in rows])


_LEVELS: Mapping[str | None, Severity | None] = {None: None, **{str(level): level for level in Severity}}


def _bound(row: tuple[Any, ...], predicates: Mapping[str, LazyPredicate], kinds: Mapping[Any, Any]) -> Rule:
    name, family, clause, level, targets, check, given, *rest, raised, owasp, once, roles, literals, sign, plain = row
    known = (name, family, clause, _LEVELS[level], kinds[targets], predicates[check], dict(given), *rest)
    levels = {role: _LEVELS[each] for role, each in roles}
    form = plain and _bound(plain, predicates, kinds)
    return Rule._make((*known, _LEVELS[raised], owasp, once, f"{PAGES}/{name}.md", levels, literals, sign, form))
