"""The facts of skills as JSON has them: `schemas/capabilities.schema.json` describes it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.lint.capabilities.changes import CapabilityChange
from skillbag.lint.capabilities.facts import (
    DeclaredCapabilities,
    Fact,
    FactKind,
    FactPlace,
    Risk,
    SkillFacts,
    TargetFacts,
)
from skillbag.report.answers.types import Count, Text

TITLES = {
    "download-run": "downloads that are run",
    "remote-instructions": "instructions loaded from elsewhere",
    "host": "hosts contacted",
    "unknown-host": "hosts known at run time only",
    "program": "programs run",
    "package": "packages installed",
    "secret-file": "secret files",
    "variable": "environment variables",
    "wallet": "payments and wallets",
    "write-outside": "writes outside the workspace",
    "rights": "rights",
    "persistence": "persistence",
    "agent-file": "files of agents",
    "mcp-server": "MCP servers",
    "hook": "hooks",
    "allowed-tool": "tools allowed unasked",
    "input": "screen, clipboard, input",
    "encoded-text": "encoded texts",
    "opaque-file": "files that are no text",
    "finding": "findings of the security rules",
}
"""What reports call each kind."""


_Texts = tuple[str, ...]
_RiskWord = Annotated[str, fits(enum=tuple(risk.word for risk in Risk))]


class FactJson(NamedTuple):
    """A fact."""

    kind: Annotated[FactKind, "What it is about; the page of `skillbag capabilities` explains each."]
    value: str
    risk: _RiskWord
    marks: Annotated[tuple[Text, ...], "Words that say more."]
    detail: str
    places: Annotated[
        tuple[FactPlace, ...],
        fits(minItems=1),
        "Where it is read, relative to the skill; line and column are 1-based, 0 for a whole file.",
    ]

    @classmethod
    def of(cls, fact: Fact) -> FactJson:
        """The fact."""
        return cls(fact.kind, fact.value, fact.risk.word, fact.marks, fact.detail, fact.places)


class SkillFactsJson(NamedTuple):
    """A skill."""

    name: Annotated[str, "The name of its folder."]
    path: Annotated[str, "Its folder, relative to the root, with `/`."]
    content: Annotated[
        str, "`sha256:` and the tree hash of the folder, as in skillbag.lock; empty where it can't be read."
    ]
    risk: Annotated[_RiskWord, "The highest risk of its facts."]
    facts: tuple[FactJson, ...]
    declared: DeclaredCapabilities
    unused: Annotated[_Texts, "Declared, and no use of it is in the files."]
    undeclared: Annotated[_Texts, "Used, and no declaration covers it."]
    unnamed_hosts: Annotated[_Texts, "Hosts contacted that the text of SKILL.md does not name."]
    unread: Annotated[_Texts, "Texts that could not be read."]

    @classmethod
    def of(cls, skill: SkillFacts, root: str) -> SkillFactsJson:
        """The skill, of the target at `root`."""
        path = os.path.relpath(skill.directory, root).replace(os.sep, "/")
        values = (facts_json(skill.facts), skill.declared, *skill.comparison, skill.unread)
        return cls(skill.name, path, skill.content, skill.risk.word, *values)


class TargetFactsJson(NamedTuple):
    """A target with its skills."""

    root: Annotated[str, "The absolute path of the target."]
    skills: tuple[SkillFactsJson, ...]


class DeniedJson(NamedTuple):
    """The facts of a skill that --deny refuses."""

    skill: str
    facts: Annotated[tuple[FactJson, ...], fits(minItems=1)]


class FactCountsJson(NamedTuple):
    """The number of skills and of facts, and of facts of each risk."""

    skills: Count
    facts: Count
    high: Count
    medium: Count
    low: Count
    info: Count

    @classmethod
    def of(cls, skills: Sequence[SkillFacts]) -> FactCountsJson:
        """The numbers of these skills."""
        risks = Counter(fact.risk for skill in skills for fact in skill.facts)
        return cls(len(skills), sum(risks.values()), *(risks[risk] for risk in sorted(Risk, reverse=True)))


class CapabilitiesJson(NamedTuple):
    """What the skills can do."""

    targets: tuple[TargetFactsJson, ...]
    denied: Annotated[tuple[DeniedJson, ...], "The facts that --deny refuses, by skill."]
    summary: FactCountsJson

    @classmethod
    def of(cls, targets: Sequence[TargetFacts], denied: Iterable[tuple[str, Sequence[Fact]]]) -> CapabilitiesJson:
        """The facts of these targets, and those that are denied."""
        return cls(
            tuple(
                TargetFactsJson(target.root, tuple(SkillFactsJson.of(skill, target.root) for skill in target.skills))
                for target in targets
            ),
            tuple(DeniedJson(name, facts_json(facts)) for name, facts in denied),
            FactCountsJson.of([skill for target in targets for skill in target.skills]),
        )


class CapabilityChangeJson(NamedTuple):
    """What installing would bring to a skill."""

    skill: Annotated[str, fits(minLength=1)]
    installed: bool
    gained: tuple[FactJson, ...]
    lost: tuple[FactJson, ...]

    @classmethod
    def of(cls, change: CapabilityChange) -> CapabilityChangeJson:
        """The change."""
        return cls(change.skill, change.installed, facts_json(change.gained), facts_json(change.lost))


def facts_json(facts: Iterable[Fact]) -> tuple[FactJson, ...]:
    """Facts, each with its risk and places."""
    return tuple(map(FactJson.of, facts))
