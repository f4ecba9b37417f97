"""The active skill of a session: the one that was invoked last, whose `allowed-tools` hold until the next one."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.agent.scope import Scope


class ActiveSkill(NamedTuple):
    """`allowed_tools` is the text of its front matter as written (a list joined by `, `), None where it has none."""

    name: str
    allowed_tools: str | None


class DamagedActiveSkillError(OSError):
    """There is a record, and it can't be read: nobody knows what is allowed, so nothing else may be."""


def activate(scope: Scope, skill: ActiveSkill) -> None:
    """Make it the active skill of the scope's session, atomically; without a session nothing is recorded."""
    raise NotImplementedError


def active_skill(scope: Scope) -> ActiveSkill | None:
    """The active skill of the scope's session.

    Raises:
        DamagedActiveSkillError: its record can't be read.
    """
    raise NotImplementedError


def clear_active_skill(scope: Scope) -> None:
    """No skill is active any more: a session starts. A damaged record goes as well."""
    raise NotImplementedError


def allowed_tools_of(directory: str, file: str) -> str | None:
    """What the front matter of the skill in the absolute `directory` allows, for `ActiveSkill`.

    Raises:
        UserError: its front matter can't be read.
    """
    raise NotImplementedError
