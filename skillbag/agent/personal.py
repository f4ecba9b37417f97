"""The user's personal skills: added from a folder, removed by name, each change whole or not at all."""

from __future__ import annotations

from typing import NamedTuple


class PersonalSkill(NamedTuple):
    """A personal skill. `directory` is absolute, `file` is `SKILL.md` or `skill.md`; `name` is what it declares."""

    name: str
    description: str
    directory: str
    file: str


class PersonalSkills(NamedTuple):
    """The valid ones by name in order (of two of one name the first folder counts); a sentence on each other."""

    skills: tuple[PersonalSkill, ...]
    remarks: tuple[str, ...] = ()


class PersonalChange(NamedTuple):
    """What was done: `status` is `installed`, `replaced` or `removed`."""

    summary: str
    skill_name: str
    status: str

    def values(self) -> dict[str, str]:
        """As the tools give it: `summary`, `skillName`, `status`, and nothing else."""
        return {"summary": self.summary, "skillName": self.skill_name, "status": self.status}


def personal_skills(root: str | None) -> PersonalSkills:
    """The skills in the personal root; none where it is not configured or not there."""
    raise NotImplementedError


def add_personal_skill(root: str | None, folder: str) -> PersonalChange:
    """Copy the skill in `folder` into the personal root, in place of the one of its name, as a whole.

    Raises:
        UserError: no personal root is configured, `folder` is no folder, holds no valid skill, or one of a bad name.
        OSError: it can't be written; what was there is there.
    """
    raise NotImplementedError


def remove_personal_skill(root: str | None, name: str) -> PersonalChange:
    """Delete the personal skill that declares this name, in any case of letters.

    Raises:
        UserError: no personal root is configured, `name` is none, or there is no such personal skill.
        OSError: it can't be deleted; it is there as it was.
    """
    raise NotImplementedError
