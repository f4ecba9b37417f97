"""The skills of this program (skill runtime, section 11). They need no approval, but the user has to name them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from skillbag.runtime.skill import FoundSkill, SkillSource

FOLDER = os.path.dirname(os.path.realpath(__file__))
"""The folder of the skills."""


def unnamed(skills: Iterable[FoundSkill], allowed: Collection[str]) -> dict[str, str]:
    """The built-in skills that the user has not named, each with the reason why it can't be activated. `allowed` are
    names of skills that the user approves by name.

    Nobody is asked about their permissions: neither an agent nor a skill that depends on them may activate them.
    """
    return {
        skill.name: f"the user must name a built-in skill: --skills {skill.name}, or SKILLBAG_SKILLS"
        for skill in skills
        if skill.source is SkillSource.BUILTIN and not skill.inline and skill.name not in allowed
    }
