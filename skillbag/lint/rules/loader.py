"""Rules and clauses from files, of this package and of teams; errors name file and line."""

from __future__ import annotations

import contextlib
import os
import string
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_reading import from_json
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.package_data import schema_fault, schema_place, schema_words
from skillbag.kernel.documents.nodes import Mapping as NodeMapping
from skillbag.kernel.documents.nodes import Node, Sequence, YamlError, core_value, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import Severity
from skillbag.lint.checks.lazy_predicate import INDEXED, all_predicates
from skillbag.lint.checks.predicate import Predicate
from skillbag.lint.rules.model import (
    PAGES,
    SECURITY,
    Clause,
    Rule,
    RuleBindingError,
    check_options,
    literals_of,
    read_options,
)
from skillbag.lint.rules.written import WrittenRule

_CAPS = {"MUST": Severity.ERROR, "MUST NOT": Severity.ERROR, "SHOULD": Severity.WARNING, "SHOULD NOT": Severity.WARNING}
_OF_ALL = ("told", "taught")
"""The roles that any match has."""
_ORDER = (Severity.NOTE, Severity.WARNING, Severity.ERROR)


class BadRuleError(UserError):
    """A rule file that can't be used; the message begins with `path:line:`."""


@dataclass(frozen=True)
class RuleFile:
    """A rule file of valid shape: what it says, and the place of each value."""

    document: Document
    node: Node
    written: WrittenRule

    def bind(self, clauses: Mapping[str, Clause], taken: AbstractSet[str], own: Mapping[str, Predicate] = {}) -> Rule:
        """The rule, bound; `own` are the predicates of its pack.

        Raises:
            BadRuleError: it does not fit its predicate or clause, or its id is taken.
        """
        if self.written.id in taken:
            raise _error(self.document, self.node, ["id"], f"there is a rule {self.written.id!r} already")
        keys: list[str] = []
        try:
            rule = _bound(self.written, clauses, own)
            if self.written.plain:
                keys = ["plain"]
                raw: Any = core_value(self.node)
                written = from_json(WrittenRule, {**raw, "family": rule.family, "clause": None, **self.written.plain})
                rule = rule._replace(plain=_bound(written, clauses, own))
            return rule
        except RuleBindingError as error:
            keys += error.key.split(".")
            is_top = keys[:2] == ["options", "when"] and self.written.when is not None
            raise _error(self.document, self.node, keys[is_top:], error.message) from error


def load_own(folders: Iterable[str], rules: tuple[Rule, ...], clauses: Iterable[Clause]) -> tuple[Rule, ...]:
    """`rules` and those of a team's own `folders` (absolute).

    Raises:
        BadRuleError: a rule of a folder can't be used, or has an id that is taken.
    """
    known = {clause.id: clause for clause in clauses}
    loaded = list(rules)
    for folder in folders:
        for rule_file in read_folder(folder):
            loaded.append(rule_file.bind(known, {rule.id for rule in loaded}))
    return tuple(loaded)


def read_rules(paths: Iterable[str], clauses: Iterable[Clause]) -> Iterator[Rule]:
    """The rules of this package that files at `paths` have.

    Raises:
        BadRuleError: one can't be used.
    """
    known = {clause.id: clause for clause in clauses}
    for path in paths:
        rule = read_rule_file(path).bind(known, frozenset())
        yield rule._replace(url=f"{PAGES}/{rule.id}.md")


def read_folder(folder: str, family: str = "") -> Iterator[RuleFile]:
    """The rule files below `folder`, by path; `clauses.yaml` is not one.

    The family of a rule is the name of its file's folder; that of the files in `folder` itself is `family`, if given.

    Raises:
        BadRuleError: the folder does not exist, or a file is not YAML of a rule's shape.
    """
    if not os.path.isdir(folder):
        fault = "this is a file; name its folder" if os.path.exists(folder) else "there is no such folder of rules"
        raise BadRuleError(f"{folder}:1: {fault}")
    for current, folders, names in os.walk(folder):
        with contextlib.suppress(OSError):
            tracked.entries(current)
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith((".yaml", ".yml")) and name != "clauses.yaml":
                yield read_rule_file(os.path.join(current, name), family if current == folder else "")


def read_rule_file(path: str, family: str = "") -> RuleFile:
    """Read and shape-check one rule file; without a `family`, its folder gives the rule's.

    Raises:
        BadRuleError: it can't be read, is not YAML, or has not the shape of `schemas/rule.schema.json`.
    """
    document = read_document(path, os.path.dirname(path))
    if isinstance(document, DocumentProblem):
        raise BadRuleError(f"{path}:{document.line}:{document.column}: {document.detail}")
    node = parse_yaml(document.text)
    if isinstance(node, YamlError):
        line, column = document.position(node.offset)
        raise BadRuleError(f"{path}:{line}:{column}: {node.detail}")
    if not isinstance(node, NodeMapping):
        raise BadRuleError(f"{path}:1: a rule is a list of `key: value`")
    plain = core_value(node)
    if error := schema_fault("rule", plain):
        where = ".".join(map(str, error.absolute_path))
        raise _error(document, node, schema_place(error), f"{where + ': ' if where else ''}{schema_words(error)}")
    written = from_json(WrittenRule, plain)
    stem = os.path.splitext(os.path.basename(path))[0]
    if written.id != stem:
        raise _error(document, node, ["id"], f"the id {written.id!r} is not the file's name {stem!r}")
    return RuleFile(document, node, written._replace(family=family or os.path.basename(os.path.dirname(path))))


def _error(document: Document, node: Node, keys: list[Any], message: str) -> BadRuleError:
    """The error at the value that `keys` lead to, or at the deepest one that exists."""
    line, column = document.position(_locate(node, keys))
    return BadRuleError(f"{document.path}:{line}:{column}: {message}")


def _locate(node: Node, keys: list[Any]) -> int:
    for key in keys:
        entry = node.entry(str(key)) if isinstance(node, NodeMapping) else None
        if entry is not None:
            node = entry.value
        elif isinstance(node, Sequence) and str(key).isdecimal() and int(key) < len(node.items):
            node = node.items[int(key)]
        else:
            break
    return node.start


def _bound(written: WrittenRule, clauses: Mapping[str, Clause], own: Mapping[str, Predicate]) -> Rule:
    # Importing the module of every predicate takes longer than checking a hundred skills.
    predicate = own.get(written.check) or INDEXED.get(written.check) or all_predicates().get(written.check)
    if predicate is None:
        near = nearest(written.check, [*all_predicates(), *own])
        raise RuleBindingError("check", f"there is no predicate {written.check!r}{near}")
    clause = written.clause
    if clause is not None and clause not in clauses:
        raise RuleBindingError("clause", f"the standard has no clause {clause!r}{nearest(clause, clauses)}")
    _check_template("message", written.message, predicate)
    _check_template("fix", written.fix, predicate)
    when = {} if written.when is None else {"when": written.when}
    given = read_options(predicate, {**written.options, **when})
    check_options(predicate, given)
    by_role = _by_role(written, predicate)
    level = _level(written, by_role, clauses.get(clause) if clause else None)
    roles = by_role or (_softened(level) if predicate.has_roles else {})
    raised = written.raised and written.raised.level
    if raised and _ORDER.index(raised) <= _ORDER.index(level):
        raise RuleBindingError("raised.level", f"the raised level {raised.value} is not above {level.value}")
    # The other fields of a rule mean the same as those of its file.
    same = {name: value for name, value in written._asdict().items() if name in Rule._fields}
    read = {"level": level, "targets": frozenset(written.targets), "given": given, "raised": raised, "roles": roles}
    return Rule(**{**same, **read, "plain": None, "predicate": predicate, "literals": literals_of(predicate, given)})


def _by_role(written: WrittenRule, predicate: Predicate) -> Mapping[str, Severity | None]:
    """The levels that a rule gives by role."""
    if not isinstance(written.level, Mapping):
        return {}
    other = next((role for role in written.level if role not in _OF_ALL), None)
    if other and not predicate.has_roles:
        raise RuleBindingError(f"level.{other}", f"{predicate.name} has the roles {' and '.join(_OF_ALL)} alone")
    return {role: None if level == "none" else Severity(level) for role, level in written.level.items()}


def _softened(level: Severity) -> Mapping[str, Severity | None]:
    """The levels by role of a rule with one level; what is quoted, forbidden or data is no finding."""
    softer = min(level, Severity.WARNING, key=_ORDER.index)
    return {"told": level, "taught": softer, "test": softer}


def _level(written: WrittenRule, by_role: Mapping[str, Severity | None], clause: Clause | None) -> Severity:
    given = written.level if isinstance(written.level, Severity) else None
    if by_role:
        given = max((level for level in by_role.values() if level), key=_ORDER.index, default=None)
    if clause is None and given is None:
        raise RuleBindingError(
            "level", "a rule without a clause says its level: error, warning or note; not `none` for each role"
        )
    highest = _CAPS.get(clause.level, Severity.NOTE) if clause else Severity.ERROR
    if capped := written.heuristic and written.family != SECURITY:
        highest = min(highest, Severity.WARNING, key=_ORDER.index)
    level = given or highest
    if _ORDER.index(level) > _ORDER.index(highest):
        reason = "it is heuristic" if capped else f"the clause gives at most {highest.value}"
        raise RuleBindingError("level", f"the level {level.value} is too high: {reason}")
    return level


def _check_template(key: str, template: str | None, predicate: Predicate) -> None:
    try:
        names = {name for _, name, _, _ in string.Formatter().parse(template or "") if name is not None}
    except ValueError as error:
        raise RuleBindingError(key, f"the template can't be read: {error}") from error
    for name in sorted(names - set(predicate.values)):
        known = ", ".join(f"{{{value}}}" for value in predicate.values) or "none"
        raise RuleBindingError(key, f"{predicate.name} gives no value {{{name}}}; it gives {known}")
