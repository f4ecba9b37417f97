"""The facts of skills as JSON has them: `schemas/capabilities.schema.json` describes it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from skillbag.lint.capabilities.changes import CapabilityChange
from skillbag.lint.capabilities.facts import Fact, Risk, SkillFacts, TargetFacts
from skillbag.report.sanitize import exact

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


def targets_as_json(targets: Iterable[TargetFacts]) -> list[dict[str, Any]]:
    """Each target with its skills."""
    return [
        {"root": exact(target.root), "skills": [skill_as_json(skill, target.root) for skill in target.skills]}
        for target in targets
    ]


def skill_as_json(skill: SkillFacts, root: str) -> dict[str, Any]:
    """A skill with its facts; its path is relative to the target's root, with `/`."""
    says, comparison = skill.declared, skill.comparison
    return {
        "name": exact(skill.name),
        "path": exact(os.path.relpath(skill.directory, root).replace(os.sep, "/")),
        "content": skill.content,
        "risk": skill.risk.word,
        "facts": facts_as_json(skill.facts),
        "declared": {
            "tools": _texts(says.tools),
            "permissions": _texts(says.permissions),
            "compatibility": exact(says.compatibility),
            "programs": _texts(says.programs),
            "variables": _texts(says.variables),
        },
        "unused": _texts(comparison.unused),
        "undeclared": _texts(comparison.undeclared),
        "unnamed_hosts": _texts(comparison.unnamed_hosts),
        "unread": _texts(skill.unread),
    }


def facts_as_json(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    """Facts, each with its risk and places."""
    return [
        {
            "kind": fact.kind.value,
            "value": exact(fact.value),
            "risk": fact.risk.word,
            "marks": list(fact.marks),
            "detail": exact(fact.detail),
            "places": [{"path": exact(p.path), "line": p.line, "column": p.column} for p in fact.places],
        }
        for fact in facts
    ]


def changes_as_json(changes: Iterable[CapabilityChange]) -> list[dict[str, Any]]:
    """What installing would bring, skill by skill."""
    return [
        {
            "skill": exact(change.skill),
            "installed": change.installed,
            "gained": facts_as_json(change.gained),
            "lost": facts_as_json(change.lost),
        }
        for change in changes
    ]


def counted(skills: Sequence[SkillFacts]) -> dict[str, int]:
    """The number of skills and of facts, and of facts of each risk."""
    risks = Counter(fact.risk for skill in skills for fact in skill.facts)
    return {
        "skills": len(skills),
        "facts": sum(risks.values()),
        **{risk.word: risks[risk] for risk in sorted(Risk, reverse=True)},
    }


def _texts(values: Iterable[str]) -> list[str]:
    return [exact(value) for value in values]
