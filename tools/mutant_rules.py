"""Whether the failing examples of rules fail while the predicates of these rules find nothing."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from mutant_patches import Claim, Verdict
from rule_set import Entry, RuleSet

from skillbag.lint.rules.model import Rule
from skillbag.lint.rules.written import RuleExamples
from skillbag.supply.rule_packs.examples import ExampleResult, run_examples


def judge_examples(rules: RuleSet, claim: Claim) -> Verdict:
    """Run the failing examples of each rule of the clause, without what its predicate finds."""
    results = [result for entry in rules.entries if entry.rule.clause == claim.clause for result in _results(entry)]
    said = {f"{result.rule}, failing example {result.number}": "; ".join(result.faults) for result in results}
    red = {name: faults for name, faults in said.items() if faults}
    return Verdict(claim, red, [name for name in said if name not in red])


def _results(entry: Entry) -> Iterator[ExampleResult]:
    rule = _blind(entry.rule)._replace(plain=entry.rule.plain and _blind(entry.rule.plain))
    # What fixes make of the files is the business of other tests.
    examples = tuple(example._replace(fixed=None) for example in entry.file.written.examples.fail)
    return run_examples(rule, RuleExamples((), examples))


def _blind(rule: Rule) -> Rule:
    predicate = copy.copy(rule.predicate)
    predicate.check = lambda subject, options: ()
    return rule._replace(predicate=predicate)
