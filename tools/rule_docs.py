"""The pages of `docs/` that repeat what the rule files say: a page a rule, the list of rules, the table of clauses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from clause_tests import read_proofs
from conformance_cases import cases_document
from rule_set import Entry, RuleSet
from tables import table

from skillbag import STANDARD_VERSION
from skillbag.lint.rules.model import Clause, Rule
from skillbag.lint.rules.pages import render_page
from skillbag.lint.rules.written import RuleExample

_MADE = "<!-- Made by tools/generate.py from the files in rules/: change those, then run `make generate`. -->"

_RULES = f"""\
# Rules

{_MADE}

A rule's level is *error*, *warning* or *note*. Errors fail a run; warnings fail it with `--strict`. A rule that is off
runs when `select` names it itself, or when the configuration gives it a level. `select` and `ignore` take rules, whole
families, and clauses; see [configuration](configuration.md). `skillbag explain ID` prints a rule's page.
"""

_CLAUSES = f"""\
# Clauses

{_MADE}

Every normative statement of SkillBag {STANDARD_VERSION} in short (the standard's own words decide), and what proves it.

`skillbag check` holds files to {{held}} of the {{all}} clauses by {{rules}} rules; these are the *checked clauses* that
its reports speak of. The rest is about what a program or an agent does, which files can't show: installing skills
(*install*), the course of a session (*lifecycle*), the values of parameters (*inputs*), the effect of tags (*tags*),
and what only the agent itself can do (*agent*). Those parts are proved by tests that name the clause. Each of them but
those of *agent* fails once its behaviour is switched off, as the rules' examples do (`tools/mutants`).
An agent is told of all of them: the `SKILLBAG.md` that `skillbag init` writes has every clause.

*Cases* counts those of the [conformance kit](../conformance/PROTOCOL.md), which holds any implementation to the
standard; there are {{cases}} in all.

"""


def rule_page(entry: Entry, clauses: Iterable[Clause]) -> str:
    """The page of one rule, as `skillbag explain ID` prints it."""
    return render_page(entry.file.written, entry.rule, clauses)


def rules_page(rules: RuleSet) -> str:
    """The list of all rules, a table for each family."""
    return "".join(_families(rules))


def _families(rules: RuleSet) -> Iterator[str]:
    yield _RULES
    for family, entries in groupby(rules.entries, lambda entry: entry.rule.family):
        yield f"\n## {family}\n\n"
        yield table(("Rule", "Level", "On by default", "Safe fix", "What it asks for"), *map(_row, entries))


def _row(entry: Entry) -> tuple[str, ...]:
    rule, fixed = entry.rule, any(map(_is_fixed, entry.file.written.examples.fail))
    level = rule.level.value
    if rule.plain and rule.plain.level is not rule.level:
        level += f"; {rule.plain.level} in plain skills"
    return _link(rule), level, "yes" if rule.default else "no", "yes" if fixed else "", rule.summary


def clauses_page(rules: RuleSet) -> str:
    """The table of all clauses with what proves each."""
    held = [clause for clause in rules.clauses if rules.holding(clause)]
    count = sum(len(rules.holding(clause)) for clause in held)
    cases = cases_document(Path(__file__).resolve().parent.parent)["cases"]
    number = Counter(clause for case in cases for clause in case["clauses"])
    head = _CLAUSES.format(held=len(held), all=len(rules.clauses), rules=count, cases=len(cases))
    rows = (
        (f"`{clause.id}`", clause.level, clause.gist, _proof(clause, rules), str(number[clause.id]))
        for clause in rules.clauses
    )
    return head + table(("Clause", "Level", "What it asks for", "Proved by", "Cases"), *rows)


def _proof(clause: Clause, rules: RuleSet) -> str:
    parts = []
    if "lint" in clause.proved_by:
        parts.append(", ".join(_link(rule) for rule in rules.holding(clause)) or "**no rule**")
    behaviour = [kind for kind in clause.proved_by if kind != "lint"]
    parts += (f"{kind}: {_tests(kind, clause)}" for kind in behaviour)
    return "; ".join(parts)


def _tests(kind: str, clause: Clause) -> str:
    """Links to the files whose tests prove the clause, with how many there are in each."""
    files = Counter(proof.path for proof in read_proofs() if (proof.kind, proof.clause) == (kind, clause.id))
    said = (
        f"[{path.rpartition('/')[2]}](../{path})" + (f" ({count})" if count > 1 else "")
        for path, count in files.items()
    )
    return ", ".join(said) or "**no test**"


def _link(rule: Rule) -> str:
    return f"[{rule.id}](rules/{rule.id}.md)"


def _is_fixed(example: RuleExample) -> bool:
    return example.fixed is not None
