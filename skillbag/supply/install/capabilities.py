"""What the skills of a plan can do, compared with what is installed; imported only where a plan changes a skill."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence

from skillbag.kernel.model.findings import Finding
from skillbag.lint.capabilities.changes import CapabilityChange, change, limits_of
from skillbag.lint.capabilities.collect import folder_facts
from skillbag.lint.capabilities.denied import denied_facts
from skillbag.lint.capabilities.facts import Fact
from skillbag.supply.install.outcome import Problem, ProblemKind, SkillRow, StoppedError
from skillbag.supply.install.plan import InstallPlan, SkillChangeKind
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.verify import warning_notes
from skillbag.supply.sources.fetched import Fetched
from skillbag.supply.sources.skill_layout import folder_in_source

_SHOWN = 5
"""Denied facts of a skill that a message names."""


def plan_capabilities(
    plan: InstallPlan, request: InstallRequest, rows: tuple[SkillRow, ...]
) -> tuple[CapabilityChange, ...]:
    """The facts that each skill of a plan brings, or gains and loses; the reserved skill is left out.

    Raises:
        StoppedError: a fact of a skill to be installed is denied.
    """
    limits, changes, problems = limits_of(request.deny), [], []
    for step in plan.changes:
        if step.act is not SkillChangeKind.PUT or step.row is None:
            continue
        after = folder_facts(step.folder)
        before = folder_facts(f"{plan.root}/{plan.at(step.name)}") if step.before is not None else None
        changes.append(change(step.name, before, after))
        if denied := denied_facts(limits, after, request.accept_rules):
            folder = os.path.relpath(step.folder, step.fetched.root) if step.fetched else step.name
            problems.append(
                _denied(step.name, step.row.source or "", folder.replace(os.sep, "/"), denied, _fix(step.name, request))
            )
    found = tuple(each for each in changes if each.gained or each.lost)
    if problems:
        raise StoppedError(*problems, skills=rows, capabilities=found)
    return found


def plan_warnings(plan: InstallPlan, warnings: Mapping[str, Sequence[Finding]]) -> Iterator[str]:
    """What the rules warn of in the skills that a plan brings: sentences to read before it is agreed to."""
    brought: dict[Fetched, dict[str, Sequence[Finding]]] = {}
    for step in plan.changes:
        if step.fetched is not None:
            brought.setdefault(step.fetched, {})[step.name] = warnings.get(step.name, ())
    for fetched, found in brought.items():
        yield from warning_notes(found, _address(fetched, found))


def _address(fetched: Fetched, names: Collection[str]) -> str:
    """What the command line takes for a source at the version that was fetched, or for its one plain skill there."""
    declared = fetched.source.declared
    if fetched.resolved is None or not fetched.source.kind.has_revisions or not declared.endswith(".git"):
        return declared
    is_one = fetched.plain is not None and fetched.source.remote and len(names) == 1
    folder = folder_in_source(fetched, *names) if is_one else None
    return "/".join(filter(None, (f"{declared}@{fetched.resolved}", folder)))


def _denied(name: str, source: str, folder: str, facts: tuple[Fact, ...], fix: str) -> Problem:
    first = "; ".join(f"{fact.kind} {fact.value} ({fact.risk.value}, {fact.places[0]})" for fact in facts[:_SHOWN])
    more = f"; and {len(facts) - _SHOWN} more" if len(facts) > _SHOWN else ""
    place = facts[0].places[0]
    return Problem(
        ProblemKind.DENIED,
        f"{name}: --deny refuses what it can do: {first}{more}",
        source,
        f"{folder}/{place.path}",
        place.line,
        place.column,
        fix=fix,
        skills=(name,),
    )


def _fix(name: str, request: InstallRequest) -> str:
    """What to do about a denied skill; a name or `--frozen` contradicts `--except`."""
    fix = "Read these places. To accept them, leave out --deny"
    if request.frozen or name in request.names:
        return f"{fix}."
    return f"{fix}; to go on without the skill, give --except {name}."
