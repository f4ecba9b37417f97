"""What a skill says of itself: that it is about attacks, and what its files do."""

from __future__ import annotations

from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts.role_signs import LESSON


def skill_of(text: TextFile) -> Skill | None:
    """The skill that a text belongs to, also where a folder groups skills; None outside of skills."""
    return text.skill.nearest(text.relative) if text.skill else None


def stated(text: TextFile) -> str:
    """The text of SKILL.md, for another file of its skill; nothing for a file without one, and for itself."""
    skill = skill_of(text)
    document = skill.document if skill and skill.path != text.document.path else None
    return document.text if isinstance(document, Document) else ""


def is_lesson(text: TextFile) -> bool:
    """Whether the skill of a text says of itself that it is about attacks: its texts and lists show them."""
    skill = skill_of(text)
    if skill is None:
        return False
    description = skill.field("description")
    said = f"{skill.folder} {description.value if isinstance(description, Scalar) else ''}"
    return LESSON().search(said) is not None
