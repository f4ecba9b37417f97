"""Verify all sources; errors of security rules that the user has accepted stop nothing, and are recorded.

Only the command line and the workspace's own lock accept anything. What a source says of itself counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import did_you_mean
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.supply.install.outcome import Problem, StoppedError
from skillbag.supply.install.resolve import Resolution
from skillbag.supply.install.state import InstalledState, tree_in
from skillbag.supply.sources.fetched import Fetched
from skillbag.supply.sources.skill_layout import at_folders, folder_in_source


def check_acceptable(rules: Iterable[str]) -> None:
    """Check that each of these is a rule about security: a breach of the standard can't be accepted.

    Raises:
        UserError: one is not.
    """
    if not rules:
        return
    from skillbag.supply.install.verify import security_rules

    for rule in rules:
        if rule not in security_rules():
            raise UserError(f"--accept {rule}: {_unacceptable(rule, security_rules())}")


def _unacceptable(rule: str, acceptable: frozenset[str]) -> str:
    from skillbag.lint.rules.builtin import load_core_rules

    rules = load_core_rules()
    if any(rule == each.id for each in rules):
        return "it is no rule of the family security, and only the errors of these can be accepted"
    if any(rule == each.family for each in rules):
        return "this is a family of rules; accept the rules that the refusal names, one option for each"
    if "," in rule or " " in rule:
        return "give one option for each rule"
    those = "`skillbag explain security` lists those that can be accepted"
    hint = did_you_mean(rule[:80], sorted(acceptable), those)
    return f"there is no such rule; {hint}"


Warnings = Mapping[str, Sequence[Finding]]
"""By skill the warnings about it."""


def verified(
    state: InstalledState, resolution: Resolution, given: frozenset[str]
) -> tuple[Resolution, tuple[Problem, ...], Warnings]:
    """The resolution with what was accepted for each skill, the accepted errors, and the warnings.

    Every fault of every source is found before anything else (clauses install.validate, install.all-or-nothing).

    Raises:
        StoppedError: a source has faults that are not accepted.
    """
    taken: dict[tuple[str, bool], dict[str, Fetched]] = {}
    for chosen in resolution.chosen.values():
        if (fetched := chosen.fetched) is not None:
            taken.setdefault((fetched.root, fetched.plain is None), {})[chosen.name] = fetched
    problems = [*resolution.problems]
    accepted: list[Problem] = []
    warnings: dict[str, Sequence[Finding]] = {}
    if taken:
        # Most runs find everything installed, and need no rules.
        from skillbag.supply.install.verify import verify_source

        for wanted in taken.values():
            # Each skill may be taken from another folder.
            fetched = next(iter(wanted.values()))
            fetched = at_folders(fetched, {name: folder_in_source(each, name) for name, each in wanted.items()})
            allowed = given | _recorded(state, fetched, wanted)
            verdict = verify_source(fetched, wanted)
            warnings |= verdict.warnings
            for problem in verdict.problems:
                if problem.skills and all(state.locked(name) and not tree_in(fetched, name) for name in problem.skills):
                    stay = " ".join(f"--except {name}" for name in problem.skills)
                    problem = problem._replace(fix=f"{problem.fix} {stay} leaves what is here as it is.".strip())
                (accepted if problem.rule in allowed else problems).append(problem)
    if problems:
        raise StoppedError(*problems)
    return _with_accepted(resolution, accepted), tuple(accepted), warnings


def _recorded(state: InstalledState, fetched: Fetched, wanted: Iterable[str]) -> frozenset[str]:
    """The rules that the lock records as accepted for all of these skills, each with the content of the source."""
    from skillbag.supply.install.verify import security_rules

    rules = security_rules()
    for name in wanted:
        locked = state.locked(name)
        if locked is None or not locked.accepted or locked.tree != tree_in(fetched, name):
            return frozenset()
        rules &= {*locked.accepted}
    return rules


def _with_accepted(resolution: Resolution, accepted: Iterable[Problem]) -> Resolution:
    rules: dict[str, set[str]] = {}
    for problem in accepted:
        for name in problem.skills:
            rules.setdefault(name, set()).add(problem.rule)
    chosen = {
        name: replace(each, accepted=tuple(sorted(rules[name]))) if name in rules else each
        for name, each in resolution.chosen.items()
    }
    return replace(resolution, chosen=chosen)


def accepted_notes(accepted: Iterable[Problem], given: frozenset[str]) -> Iterable[str]:
    """A sentence for each accepted error: what it is, where, and who has accepted it."""
    for problem in accepted:
        who = f"--accept {problem.rule}" if problem.rule in given else f"{LOCK} ({problem.rule})"
        place = ":".join(map(str, filter(None, (problem.path, problem.line))))
        yield f"Accepted by {who}: {problem.message}, at {place} of {problem.source}."
