"""The facts of skills as JSON has them: `schemas/capabilities.schema.json` describes it."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.lint.capabilities.facts import (
    DeclaredCapabilities,
    Fact,
    Risk,
    SkillFacts,
    TargetFacts,
)
from skillbag.report.answers.types import Count

TITLES = {
    "download-run": "downloads that are run",
    "sent": "secrets and inputs that are sent",
    "remote-instructions": "instructions loaded from elsewhere",
    "steering": "orders to act against the user",
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
_REMARKS = ("Declared but unused", "Used but undeclared", "Hosts not named in SKILL.md", "Not read")

_Texts = tuple[str, ...]


class SkillFactsJson(NamedTuple):
    """A skill."""

    name: Annotated[str, "The name of its folder."]
    path: Annotated[str, "Its folder, relative to the root, with `/`."]
    content: Annotated[
        str, "`sha256:` and the tree hash of the folder, as in skillbag.lock; empty where it can't be read."
    ]
    risk: Annotated[Risk, "The highest risk of its facts."]
    facts: tuple[Fact, ...]
    declared: DeclaredCapabilities
    unused: Annotated[_Texts, "Declared, and no use of it is in the files."]
    undeclared: Annotated[_Texts, "Used, and no declaration covers it."]
    unnamed_hosts: Annotated[_Texts, "Hosts contacted that the text of SKILL.md does not name."]
    unread: Annotated[_Texts, "Texts that could not be read."]

    @classmethod
    def of(cls, skill: SkillFacts, root: str) -> SkillFactsJson:
        """The skill, of the target at `root`."""
        path = folder_in(skill, root)
        rest = (skill.facts, skill.declared, *skill.comparison, skill.unread)
        return cls(skill.name, path, skill.content, skill.risk, *rest)


class TargetFactsJson(NamedTuple):
    """A target with its skills."""

    root: Annotated[str, "The absolute path of the target."]
    skills: tuple[SkillFactsJson, ...]


class DeniedJson(NamedTuple):
    """The facts of a skill that --deny refuses."""

    skill: str
    root: Annotated[str, "The absolute path of its target."]
    path: Annotated[str, "Its folder, relative to the root, with `/`."]
    facts: Annotated[tuple[Fact, ...], fits(minItems=1)]


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
        count = sum(skill.is_skill for skill in skills)
        return cls(count, sum(risks.values()), *(risks[risk] for risk in sorted(Risk, reverse=True)))


class CapabilitiesJson(NamedTuple):
    """What the skills can do."""

    targets: tuple[TargetFactsJson, ...]
    denied: Annotated[tuple[DeniedJson, ...], "The facts that --deny refuses, by skill."]
    summary: FactCountsJson

    @classmethod
    def of(
        cls, targets: Sequence[TargetFacts], denied: Iterable[tuple[SkillFacts, str, Sequence[Fact]]]
    ) -> CapabilitiesJson:
        """The facts of these targets, and those that are denied."""
        return cls(
            tuple(
                TargetFactsJson(target.root, tuple(SkillFactsJson.of(skill, target.root) for skill in target.skills))
                for target in targets
            ),
            tuple(DeniedJson(skill.name, root, folder_in(skill, root), tuple(facts)) for skill, root, facts in denied),
            FactCountsJson.of([skill for target in targets for skill in target.skills]),
        )


def under_one_root(targets: Sequence[TargetFacts]) -> list[TargetFacts]:
    """The targets for a report on all: the paths of skills begin at the folder around them, so that each is another."""
    try:
        root = os.path.commonpath([target.root for target in targets])
    except ValueError:  # They are on several drives.
        return [*targets]
    return [target._replace(root=root) for target in targets]


def title_of(skill: SkillFacts, root: str) -> str:
    """What reports call a skill: its folder, relative to the root; what is around skills has words as its name."""
    return posixpath.join(posixpath.dirname(folder_in(skill, root)), skill.name)


def folder_in(skill: SkillFacts, root: str) -> str:
    """The folder of a skill, relative to the root of its target."""
    return os.path.relpath(skill.directory, root).replace(os.sep, "/")


def remarks(skill: SkillFacts) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What there is to say of a skill besides its facts, each with its title."""
    for title, values in zip(_REMARKS, (*skill.comparison, skill.unread), strict=True):
        if values:
            yield title, values
