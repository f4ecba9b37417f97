"""The suite: all cases, those made of the rules' examples among them, and the reasons for clauses that have none."""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from skillbag.fleet.conformance.case import (
    BadCaseError,
    ConformanceCase,
    Operation,
    place,
    read_cases,
    read_yaml,
)
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.package_data import folder
from skillbag.kernel.documents.nodes import core_value
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.rules.builtin import load_clauses
from skillbag.lint.rules.loader import read_folder
from skillbag.lint.rules.model import STANDARD, Clause
from skillbag.lint.rules.written import RuleExample, WrittenRule

RULES = "rules"
"""What the ids of cases begin with that are made of the examples of a clause's rules: `rules/<clause>`."""


class NoCaseError(UserError):
    """The selection matches no case."""


class Suite(NamedTuple):
    """All cases in their order, the clauses of the standard, and why a clause has no case: only an agent can do it."""

    cases: tuple[ConformanceCase, ...]
    clauses: tuple[Clause, ...]
    reasons: Mapping[str, str]


@cache
def load_suite(top: str | None = None) -> Suite:
    """The suite in the folder `top`, the package's own by default.

    Raises:
        BadCaseError: a file of it can't be used.
    """
    top = top or folder("conformance")
    clauses = load_clauses()
    names = frozenset(clause.id for clause in clauses)
    cases = (*_written(os.path.join(top, "cases"), names), *_of_rules({clause.id: clause for clause in clauses}))
    return Suite(cases, clauses, _reasons(os.path.join(top, "reasons.yaml"), names))


def chosen(suite: Suite, clauses: Iterable[str] = (), pattern: str | None = None) -> tuple[ConformanceCase, ...]:
    """The cases about any of the clauses (all, where none is named) whose id the pattern matches, as a shell's does.

    A clause's first word names all that begin with it: `inputs`.

    Raises:
        NoCaseError: there is no such clause, or no case is left.
    """
    wanted = frozenset(clause for name in clauses for clause in _named(suite, name))
    cases = tuple(
        case
        for case in suite.cases
        if (not clauses or not wanted.isdisjoint(case.clauses))
        and (pattern is None or fnmatch.fnmatchcase(case.id, pattern))
    )
    if not cases:
        raise NoCaseError("no case matches; skillbag team conformance --list shows them all, each with its clauses")
    return cases


def _named(suite: Suite, name: str) -> Collection[str]:
    known = [clause.id for clause in suite.clauses]
    named = [clause for clause in known if name in (clause, clause.partition(".")[0])]
    if not named:
        raise NoCaseError(f"the standard has no clause {name[:80]!r}{nearest(name, known)}; --list shows them")
    return named


def _written(top: str, clauses: Collection[str]) -> Iterator[ConformanceCase]:
    for name in sorted(glob.glob("**/*.yaml", root_dir=top, recursive=True)):
        yield from read_cases(os.path.join(top, name), name.replace(os.sep, "/").removesuffix(".yaml"), clauses)


def _reasons(path: str, clauses: Collection[str]) -> Mapping[str, str]:
    document, node = read_yaml(path)
    reasons: Any = core_value(node)
    if not isinstance(reasons, dict):
        raise BadCaseError(f"{path}:1: reasons are a mapping of clauses to sentences")
    for clause, reason in reasons.items():
        where = place(document, node, [clause])
        if clause not in clauses:
            raise BadCaseError(f"{where}: the standard has no clause {clause!r}{nearest(clause, clauses)}")
        if not isinstance(reason, str) or not reason.strip():
            raise BadCaseError(f"{where}: a reason is a sentence")
    return {clause: " ".join(reason.split()) for clause, reason in reasons.items()}


def _of_rules(clauses: Mapping[str, Clause]) -> Iterator[ConformanceCase]:
    """A case for each clause with the examples of its rules that `examples.yaml` names, each in a folder of its own."""
    files = tuple(read_folder(os.path.join(folder(RULES), STANDARD)))
    examples = {place: example for file in files for place, example in _examples(file.written)}
    chosen_examples: Any = core_value(read_yaml(os.path.join(folder("conformance"), "examples.yaml"))[1])
    rules = [file.bind(clauses, set()) for file in files]
    for clause in clauses:
        if places := chosen_examples.get(clause):
            why = " ".join(rule.summary for rule in rules if rule.clause == clause)
            yield _of_examples(clause, {place: examples[place] for place in places}, why)


def _of_examples(clause: str, examples: Mapping[str, RuleExample], why: str) -> ConformanceCase:
    failing = [place for place in examples if "-fail-" in place]
    inputs = {"clause": clause, "folders": {place: _target(example) for place, example in examples.items()}}
    broken = {place: {"contains" if place in failing else "excludes": clause} for place in examples}
    return ConformanceCase(
        f"{RULES}/{clause}",
        (clause,),
        "breach" if failing else "plain",
        {f"{place}/{path}": data for place, example in examples.items() for path, data in example.contents().items()},
        (Operation("check", None, inputs, {"status": "done", "broken": broken}),),
        why=why,
        links={
            f"{place}/{path}": target for place, example in examples.items() for path, target in example.links.items()
        },
        repositories={place: example.git for place, example in examples.items() if example.git is not None},
    )


def _target(example: RuleExample) -> str:
    """What the example is checked as: nobody has to detect it."""
    if example.target is not None:
        return example.target.value
    is_source = "AGENTS.md" in example.files and "SKILLBAG.md" not in example.files
    return (TargetKind.SOURCE if is_source else TargetKind.WORKSPACE).value


def _examples(written: WrittenRule) -> Iterator[tuple[str, RuleExample]]:
    """The examples of a rule, by the names of their folders."""
    for kind, examples in (("pass", written.examples.pass_), ("fail", written.examples.fail)):
        yield from ((f"{written.id}-{kind}-{number}", example) for number, example in enumerate(examples, 1))
