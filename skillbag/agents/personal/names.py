"""Names that an agent may call a skill by."""

from __future__ import annotations

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.names import fixable, is_name

RESERVED = frozenset({"marketplace", "add", "remove"})
"""Names whose `skill_NAME` is a built-in tool: a skill of that name gets no tool."""

PREFIX = "skill_"


class UnknownSkillError(UserError):
    """There is no such skill, or no skill can have the name; `meant` is the name that may be meant."""

    def __init__(self, message: str, meant: str | None = None) -> None:
        """With the name that may be meant."""
        super().__init__(message)
        self.meant = meant


def check_name(name: str) -> None:
    """Refuse what can't be a skill's name before it is used for a path (clause root.name-pattern).

    Raises:
        UnknownSkillError: it can't; with the name that may be meant.
    """
    if is_name(name):
        return
    from skillbag.session.settings.value import short

    better = fixable(name[:200])
    hint = f"; is {better} meant?" if better else ""
    raise UnknownSkillError(f"{short(ascii(name))} is not a skill's name: a-z, 0-9 and single hyphens{hint}", better)
