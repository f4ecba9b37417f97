"""Every clause that a rule is to hold has one, and every rule names a clause that there is, or none."""

from __future__ import annotations

import re

import pytest

from skillbag.base.package_data import folder
from skillbag.rules.loader import RuleFile, read_folder
from skillbag.rules.model import Clause, load_clauses
from tests.support import PROJECT

RULE_FILES = list(read_folder(folder("rules")))
CLAUSES = load_clauses()
CLAUSES_TABLE = PROJECT.parent / "shared" / "spec" / "clauses.md"


@pytest.mark.parametrize("clause", [c for c in CLAUSES if "lint" in c.proved_by], ids=lambda clause: clause.id)
def test_a_lint_clause_has_a_rule(clause: Clause) -> None:
    assert [rule.data["id"] for rule in RULE_FILES if rule.data.get("clause") == clause.id]


@pytest.mark.parametrize("rule", RULE_FILES, ids=lambda rule: str(rule.data["id"]))
def test_a_rule_names_a_clause_that_lint_proves_or_none(rule: RuleFile) -> None:
    proved = {clause.id for clause in CLAUSES if "lint" in clause.proved_by}
    assert rule.data.get("clause") in {*proved, None}


def test_rules_of_one_clause_with_one_predicate_differ_in_options() -> None:
    seen: dict[str, str] = {}
    for rule in RULE_FILES:
        key = f"{rule.data['check']} {rule.data.get('options')} {sorted(rule.data['targets'])}"
        assert seen.setdefault(key, rule.data["id"]) == rule.data["id"]


def test_the_clauses_are_those_of_the_shared_table() -> None:
    if not CLAUSES_TABLE.is_file():
        pytest.skip("the table of clauses (../shared/spec/clauses.md) is not beside the project")
    rows = re.findall(
        r"^\| ([a-z]+\.[a-z-]+) \| ([A-Z ]+?)(?:,[^|]*)? \| .* \| (.*) \|$", CLAUSES_TABLE.read_text("utf-8"), re.M
    )
    assert [(clause.id, clause.level) for clause in CLAUSES] == [(name, level) for name, level, _ in rows]
    assert [c.id for c in CLAUSES if "lint" in c.proved_by] == [
        name for name, _, by in rows if re.search(r"\blints?\b", by)
    ]
