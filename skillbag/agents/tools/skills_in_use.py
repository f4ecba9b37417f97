"""Which skills are in use in a session: begun by their tools, ended by `end_skill` where their limits add up."""

from __future__ import annotations

from contextlib import suppress

from skillbag.agents.permissions.active import (
    NOBODY,
    BadAllowedToolsError,
    DamagedActiveSkillError,
    SkillInUse,
    activate,
    active_skill,
    allowed_tools_of,
    clear_active_skill,
    with_limits,
    without_limits,
)
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.tool import ToolResult, built_in
from skillbag.kernel.base.errors import UserError


def begin(scope: Scope, name: str, directory: str, file: str) -> None:
    """The skill in the folder is used from now on; in a `limited` scope with the limits of those in use.

    Raises:
        BadAllowedToolsError: its list can't be read. OSError: it can't be recorded, or the record is damaged.
    """
    before, used = active_skill(scope), _read(name, directory, file)
    _record(scope, before, with_limits(used, before) if scope.limited else used)


def begin_limits(scope: Scope, name: str, directory: str, file: str) -> None:
    """Hold the calls of a `limited` scope to the list of a skill that is read or activated. It is not begun by that:
    what the user must be asked first has not been. A list that can't be read is none: who reads it may be mending it.
    A damaged record stays as it is, and refuses more than any list.

    Raises:
        OSError: it can't be recorded.
    """
    if not scope.limited:
        return
    with suppress(BadAllowedToolsError, DamagedActiveSkillError):
        if (read := _read(name, directory, file)).allowed_tools is not None:
            before = active_skill(scope)
            _record(scope, before, with_limits(before or NOBODY, read))


def end(scope: Scope, name: str) -> None:
    """The skill of this name is not used any more; a damaged record stays. Raises OSError if it can't be recorded."""
    with suppress(DamagedActiveSkillError):
        active = active_skill(scope)
        if left := without_limits(active, name) if active else None:
            activate(scope, left)
        else:
            clear_active_skill(scope)


def _read(name: str, directory: str, file: str) -> SkillInUse:
    return SkillInUse(name, allowed_tools_of(directory, file), directory)


def _record(scope: Scope, before: SkillInUse | None, now: SkillInUse) -> None:
    # Writing an unchanged record again would take longer than all the rest.
    if before != now:
        activate(scope, now)


def _end_skill(scope: Scope, skill: str = "") -> ToolResult:
    active = active_skill(scope)
    used = [each for each in (active, *active.callers) if each.name] if active else []
    names = list(dict.fromkeys(each.name for each in used))
    name = skill or next(iter(names), "")
    if name and name not in names:
        raise UserError(f"{name} is not in use; in use: {', '.join(names) or 'no skill'}")
    end(scope, name)
    left = [f"{each.name} ({each.allowed_tools})" for each in used if each.allowed_tools and each.name != name]
    ended = f"The skill {name} is not in use any more." if name else "No skill was in use."
    return ToolResult(f"{ended} Lists of allowed tools that still limit calls: {'; '.join(left) or 'none'}.")


END_SKILL = built_in("end_skill", _end_skill)
