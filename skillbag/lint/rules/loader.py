"""Rule files, of this package and of teams; errors name file and line."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, cast

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.package_data import schema_fault, schema_place, schema_words
from skillbag.kernel.documents.nodes import Mapping as NodeMapping
from skillbag.kernel.documents.nodes import Node, Sequence, YamlError, core_value, parse_yaml
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs import tracked
from skillbag.lint.checks.predicate import Predicate
from skillbag.lint.rules.model import Clause, Rule, RuleBindingError, bind, load_clauses


class BadRuleError(UserError):
    """A rule file that can't be used; the message begins with `path:line:`."""


@dataclass(frozen=True)
class RuleFile:
    """A rule file of valid shape: its plain data with examples, and the place of each value."""

    document: Document
    node: Node
    data: Mapping[str, Any]

    def bind(self, clauses: Mapping[str, Clause], taken: AbstractSet[str], own: Mapping[str, Predicate] = {}) -> Rule:
        """The rule, bound; `own` are the predicates of its pack.

        Raises:
            BadRuleError: it does not fit its predicate or clause, or its id is taken.
        """
        if self.data["id"] in taken:
            raise self.error(["id"], f"there is a rule {self.data['id']!r} already")
        try:
            return bind(self.data, clauses, own)
        except RuleBindingError as error:
            raise self.error(error.key.split("."), error.message) from error

    def error(self, keys: list[Any], message: str) -> BadRuleError:
        """The error at the value that `keys` lead to, or at the deepest one that exists."""
        line, column = self.document.position(_locate(self.node, keys))
        return BadRuleError(f"{self.document.path}:{line}:{column}: {message}")


def load_own(folders: Iterable[str], rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """`rules` and those of a team's own `folders` (absolute).

    Raises:
        BadRuleError: a rule of a folder can't be used, or has an id that is taken.
    """
    clauses = {clause.id: clause for clause in load_clauses()}
    loaded = list(rules)
    for folder in folders:
        for rule_file in read_folder(folder):
            loaded.append(rule_file.bind(clauses, {rule.id for rule in loaded}))
    return tuple(loaded)


def read_folder(folder: str, family: str = "") -> Iterator[RuleFile]:
    """The rule files below `folder`, by path; `clauses.yaml` is not one.

    The family of a rule is the name of its file's folder; that of the files in `folder` itself is `family`, if given.

    Raises:
        BadRuleError: the folder does not exist, or a file is not YAML of a rule's shape.
    """
    if not os.path.isdir(folder):
        raise BadRuleError(f"{folder}:1: there is no such folder of rules")
    for current, folders, names in os.walk(folder):
        with contextlib.suppress(OSError):
            tracked.entries(current)
        folders.sort()
        for name in sorted(names):
            if name.endswith((".yaml", ".yml")) and name != "clauses.yaml":
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
    data = cast(dict[str, Any], core_value(node))
    rule_file = RuleFile(document, node, {**data, "family": family or os.path.basename(os.path.dirname(path))})
    if error := schema_fault("rule", data):
        where = ".".join(map(str, error.absolute_path))
        raise rule_file.error(schema_place(error), f"{where + ': ' if where else ''}{schema_words(error)}")
    stem = os.path.splitext(os.path.basename(path))[0]
    if data["id"] != stem:
        raise rule_file.error(["id"], f"the id {data['id']!r} is not the file's name {stem!r}")
    return rule_file


def _locate(node: Node, keys: list[Any]) -> int:
    for key in keys:
        entry = node.entry(str(key)) if isinstance(node, NodeMapping) else None
        if entry is not None:
            node = entry.value
        elif isinstance(node, Sequence) and isinstance(key, int) and key < len(node.items):
            node = node.items[key]
        else:
            break
    return node.start
