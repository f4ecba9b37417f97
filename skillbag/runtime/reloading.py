"""Skills that are written, edited or removed while a runtime is open (skill runtime, sections 2 and 13).

What an active skill has loaded is what was approved, so an edited one begins again: it is deactivated, and activated
with its new content if that is approved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from skillbag.runtime.activation import ActiveSkill
from skillbag.runtime.compatibility import unusable
from skillbag.runtime.content import content_stamp
from skillbag.runtime.dependencies import resolve
from skillbag.runtime.discovery import discover
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.grantees import grantee_of
from skillbag.runtime.guards import no_guard
from skillbag.runtime.outcomes import Turn
from skillbag.runtime.runtime import Runtime
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.triggers import in_activation_order, least_of


class Reloading:
    """Keeps the skills of a runtime as they are on the disk. Use it in one thread at a time."""

    def __init__(self, runtime: Runtime, failed: Iterable[str] = ()) -> None:
        """`failed`: skills of the runtime that could not be activated."""
        self._runtime = runtime
        self._stamps: dict[str, str] = {}
        self._failed = {name: _stamp(runtime.skills.status(name).found) for name in failed}
        """Skills that could not be activated with the content of this stamp: the next edit may mend them."""

    def reload(self) -> Turn | None:
        """Look for changes; None if there are none. Else skills that changed are deactivated with what requires them;
        these, and new ones that the workspace triggers, are activated.

        Raises:
            UserError: a skill that was named explicitly is gone. OSError: the environment fails.
        """
        runtime = self._runtime
        guards = {each.found.name for each in runtime.skills if each.is_guard}
        found = discover(runtime.request.discovery)
        now = {skill.name: skill for skill in found.skills}
        changed = [each.found.name for each in runtime.skills if self._differs(each, now.get(each.found.name))]
        failed = [name for name in self._failed if name in now]
        retried = failed if any(_stamp(now[name]) != self._failed[name] for name in failed) else []
        if not changed and not retried and found == runtime.found:
            return None
        before = {skill.name: skill for skill in runtime.found.skills}
        ended = [name for each in changed for name in runtime.skills.unload(each)]
        runtime.found, runtime.resolution = found, resolve(found.skills, unusable(found.skills, runtime.request))
        runtime.skills.replace(now, runtime.resolution)
        new = {name for name, skill in now.items() if skill != before.get(name)}
        with runtime.skills.lost.holding(guards.intersection(ended)):
            turn = runtime.activate_all(self._ordered({*retried, *ended}, new))
            self._check_guards(guards.intersection(ended))
        kept = {} if retried else self._failed
        self._failed = {**kept, **{name: _stamp(now[name]) for name in turn.failed}}
        return turn

    def _check_guards(self, names: Iterable[str]) -> None:
        """Skills that guarded calls, and were edited so that they do not any more, need the user's activation."""
        skills = self._runtime.skills
        for name in names:
            if (active := skills.get(name)) and not active.is_guard:
                skills.fail(name, no_guard(name))
                skills.lost.add(name, is_guard=True)

    def _ordered(self, names: Collection[str], new: Collection[str]) -> tuple[str, ...]:
        """These skills, and those of the new ones that the workspace triggers, as they are activated."""
        thresholds = self._runtime.request.settings.thresholds
        scored = self._runtime.explain()
        triggered = {each.skill.name for each in scored if each.score.total >= least_of(each.skill, *thresholds)}
        wanted = {*names, *(triggered & set(new))}
        return in_activation_order(each for each in scored if each.skill.name in wanted)

    def _differs(self, active: ActiveSkill, found: FoundSkill | None) -> bool:
        """Whether an active skill is not what is on the disk."""
        if found is None or found._replace(hides=()) != active.found._replace(hides=()):
            return True
        stamp = _stamp(found)
        if self._stamps.get(found.name) == stamp:
            return False
        try:
            if grantee_of(found, self._runtime.request.settings.mcp_servers) != active.grantee:
                return True
        except RuntimeFaultError:
            return True
        self._stamps[found.name] = stamp
        return False


def _stamp(found: FoundSkill) -> str:
    """That of its files; empty for what has none, or none that can be read."""
    try:
        return content_stamp(found.directory) if found.directory else ""
    except OSError:
        return ""
