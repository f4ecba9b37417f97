"""What `--deny` refuses: facts, and what the security rules of `check` report, until both read the same detector."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping
from functools import cache

from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.workspace import target
from skillbag.kernel.workspace.model import Workspace
from skillbag.lint.capabilities.changes import CapabilityLimits
from skillbag.lint.capabilities.facts import TAUGHT, Fact, FactKind, FactPlace, Risk, SkillFacts
from skillbag.lint.capabilities.from_instructions import RULES
from skillbag.lint.engine.config import Config, choose
from skillbag.lint.engine.lint import lint_target
from skillbag.lint.facts.values import PlaceRole
from skillbag.lint.rules.builtin import load_core_rules
from skillbag.lint.rules.model import Rule

_ABOUT: Mapping[str, FactKind] = {
    "download-executed": FactKind.DOWNLOAD_RUN,
    "fetched-code-executed": FactKind.DOWNLOAD_RUN,
    "remote-instructions": FactKind.REMOTE_INSTRUCTIONS,
    **{rule: kind for rule, (kind, _) in RULES.items()},
    **dict.fromkeys(("collector-host", "raw-address", "dns-exfiltration"), FactKind.HOST),
    "package-source": FactKind.PACKAGE,
    "secret-file-sent": FactKind.SECRET_FILE,
    "environment-sent": FactKind.VARIABLE,
    "wallet-key-sent": FactKind.WALLET,
    "persistence": FactKind.PERSISTENCE,
    **dict.fromkeys(("agent-configuration-written", "memory-written"), FactKind.AGENT_FILE),
    "allowed-tools-unlimited": FactKind.ALLOWED_TOOL,
    "input-captured": FactKind.INPUT,
    **dict.fromkeys(("encoded-payload", "decoded-payload"), FactKind.ENCODED_TEXT),
    "disguised-file": FactKind.OPAQUE_FILE,
}
"""The kind of fact that a rule is about, where there is one: `--deny` with that kind refuses its findings."""


def denied_facts(limits: CapabilityLimits, skill: SkillFacts, accepted: Container[str] = ()) -> tuple[Fact, ...]:
    """The facts of a skill that are denied, then its findings that are, but for those of `accepted` rules.

    A finding at the line of a denied or taught fact is left out. Suppressions in the skill do not count.
    """
    facts = tuple(limits.denied(skill.facts))
    if limits == CapabilityLimits():
        return facts
    lines = {
        (place.path, place.line)
        for fact in skill.facts
        if fact in facts or TAUGHT in fact.marks
        for place in fact.places
    }
    found = [
        fact
        for fact in _reported(skill.directory)
        if fact.value not in accepted and (fact.places[0].path, fact.places[0].line) not in lines
    ]
    return facts + tuple(fact for fact in found if _is_denied(limits, fact))


def _is_denied(limits: CapabilityLimits, fact: Fact) -> bool:
    return any(limits.denied([fact])) or _ABOUT.get(fact.value) in limits.kinds


def _reported(directory: str) -> Iterator[Fact]:
    """What the security rules report of the skill in a folder: of high risk, but for notes and for what is taught."""
    above, name = os.path.split(directory)
    folder = target.SkillFolder(name, directory, above)
    workspace = Workspace.of(target.Target(target.TargetKind.SKILLS, above, ()), (folder,))
    linted = lint_target(workspace, _rules(), defined=frozenset(), today="", suppressions=False)
    return (_fact(finding, directory) for finding in linted.findings)


def _fact(finding: Finding, directory: str) -> Fact:
    path = os.path.relpath(finding.path, directory).replace(os.sep, "/")
    is_taught = finding.level is Severity.WARNING and finding.rule in _errors()
    risk = Risk.LOW if is_taught or finding.level is Severity.NOTE else Risk.HIGH
    place = FactPlace(path, finding.line, finding.column)
    return Fact(FactKind.FINDING, finding.rule, risk, (), finding.message, (place,))


@cache
def _errors() -> frozenset[str]:
    """The rules whose warnings are about what is taught or a test: what the agent is to do is an error of theirs."""
    return frozenset(rule.id for rule in _rules() if rule.roles.get(PlaceRole.MEANT) is Severity.ERROR)


@cache
def _rules() -> tuple[Rule, ...]:
    return tuple(rule for rule in choose(load_core_rules(), Config(folder="")) if rule.family == "security")
