"""What a subject must have for some predicates to find anything: asked first, it spares loading those that can't."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skillbag.documents.source import Document
from skillbag.workspace.skill import Skill
from skillbag.workspace.target import BOOTSTRAP_SKILL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _parameters(skill: Skill) -> bool:
    return bool(skill.parameter_blocks)


def _allowed_tools(skill: Skill) -> bool:
    return skill.field("allowed-tools") is not None


def _bootstrap_skill(skill: Skill) -> bool:
    return skill.folder == BOOTSTRAP_SKILL


def _declarations(skill: Skill) -> bool:
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return any(text.find(f"{key}:", skill.body_start) >= 0 for key in ("required", "optional", "dependencies"))


NEEDS: Mapping[str, Callable[[Any], bool]] = {
    "parameters": _parameters,
    "allowed-tools": _allowed_tools,
    "bootstrap-skill": _bootstrap_skill,
    "declarations": _declarations,
}
"""By the name that a predicate gives: whether a subject has it."""
