"""Skills that are written, edited or removed while a runtime is open (skill runtime, sections 2 and 13).

The new one is loaded beside the old one, and takes its place once it works. What an active skill has loaded is what was
approved: where the new content needs an approval that is missing, the old one ends before anybody is asked. A guard
ends in any case, and no call passes until it is active again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.activation.activation import ActivatedSkill, why_failed
from skillbag.runtime.activation.compatibility import unusable
from skillbag.runtime.activation.dependencies import DependencyResolution, resolve
from skillbag.runtime.activation.grantees import grantee_of, question_about
from skillbag.runtime.activation.request import Turn
from skillbag.runtime.broker.content import content_stamp
from skillbag.runtime.discovery.discovery import Discovered, discover
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.hooks.guards import no_guard
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, Grantee
from skillbag.runtime.triggers.triggers import in_activation_order, reaching


class HotReload:
    """Keeps the skills of a runtime as they are on the disk. Use it in one thread at a time."""

    def __init__(self, runtime: Runtime, failed: Iterable[str] = ()) -> None:
        """`failed`: skills of the runtime that could not be activated."""
        self._runtime = runtime
        self._seen: dict[str, tuple[FoundSkill, str]] = {}
        """The content of active skills on the disk that needs no further look, and its stamp."""
        self._failed = {name: _stamp(runtime.skills.status(name).found) for name in failed}
        """Skills that could not be activated with the content of this stamp: the next edit may mend them."""

    def reload(self) -> Turn | None:
        """Look for changes; None if there are none. Else edited skills are replaced, or they end with what requires
        them and begin again; new ones that the workspace triggers are activated.

        Raises:
            UserError: a skill that was named explicitly is gone. OSError: the environment fails.
        """
        runtime = self._runtime
        guards = {each.found.name for each in runtime.skills if each.is_guard}
        found = discover(runtime.request.discovery)
        now = {skill.name: skill for skill in found.skills}
        changed = [each for each in runtime.skills if self._differs(each, now.get(each.found.name))]
        failed = [name for name in self._failed if name in now]
        retried = failed if any(_stamp(now[name]) != self._failed[name] for name in failed) else []
        if not changed and not retried and found == runtime.found:
            return None
        before = {skill.name: skill for skill in runtime.found.skills}
        ended = self._take_over(found, now, changed)
        new = {name for name, skill in now.items() if skill != before.get(name)}
        with runtime.skills.lost.holding(guards.intersection(ended)):
            turn = runtime.activate_all(self._ordered({*retried, *ended}, new))
            self._check_guards(guards.intersection(ended))
        kept = {} if retried else self._failed
        self._failed = {**kept, **{name: _stamp(now[name]) for name in turn.failed}}
        return turn

    def _take_over(
        self, found: Discovered, now: Mapping[str, FoundSkill], changed: Iterable[ActivatedSkill]
    ) -> list[str]:
        """From now on there are the found skills. Returns the names of the active ones that have ended."""
        runtime = self._runtime
        resolution = resolve(found.skills, unusable(found.skills, runtime.request))
        beside = [each for each in changed if _can_wait(runtime, each, now.get(each.found.name), resolution)]
        over = [each for each in changed if each not in beside]
        over += [each for each in runtime.skills if each.found.name in resolution.blocked]
        ended = [name for each in over for name in runtime.skills.unload(each.found.name)]
        runtime.found, runtime.resolution = found, resolution
        runtime.skills.replace(now, resolution)
        for each in beside:
            if each.found.name not in ended:
                ended += self._replace(each, now[each.found.name])
        return ended

    def _replace(self, old: ActivatedSkill, found: FoundSkill) -> tuple[str, ...]:
        """Put the new skill in the place of the old one. If it fails, the old one goes on if it may, else it ends;
        returns the names of those that have ended."""
        runtime = self._runtime
        try:
            _swap(runtime, old, _beside(runtime, old, found))
        except Exception as error:
            # Whatever a skill brings about here, the others are reloaded.
            if runtime.skills.get(found.name) is None:
                return (found.name,)
            if not _may_go_on(runtime, old, found):
                return runtime.skills.unload(found.name)
            runtime.remarks.append(f'skill "{found.name}" goes on as it was before it was edited: {why_failed(error)}')
            self._seen[found.name] = (found._replace(hides=()), _stamp(found))
        return ()

    def _check_guards(self, names: Iterable[str]) -> None:
        """Skills that guarded calls, and were edited so that they do not any more, need the user's activation."""
        skills = self._runtime.skills
        for name in names:
            if (active := skills.get(name)) and not active.is_guard:
                skills.fail(name, no_guard(name))
                skills.lost.add(name, is_guard=True)

    def _ordered(self, names: Collection[str], new: set[str]) -> tuple[str, ...]:
        """These skills, and those of the new ones that the workspace triggers, as they are activated."""
        scored = self._runtime.explain()
        wanted = {*names, *new.intersection(reaching(scored, *self._runtime.request.settings.thresholds))}
        return in_activation_order(each for each in scored if each.skill.name in wanted)

    def _differs(self, active: ActivatedSkill, found: FoundSkill | None) -> bool:
        """Whether an active skill is not what is on the disk, and that was not tried yet."""
        if found is None:
            return True
        seen = (found._replace(hides=()), _stamp(found))
        if self._seen.get(found.name) == seen:
            return False
        if seen[0] != active.found._replace(hides=(), copy="") or _grantee(self._runtime, found) != active.grantee:
            return True
        self._seen[found.name] = seen
        return False


def reload(runtime: Runtime, name: str) -> ActivatedSkill:
    """Load an active skill anew, and put it in the place of the one that is active. After an error, that one stays.

    `OnDeactivate` of the old one fires before, `OnActivate` of the new one after that; calls that run end with the old
    one.

    Raises:
        NotFoundError: the skill is not active, or gone. QuestionsError: the user must be asked about the changed files.
        RuntimeFaultError: it can't be loaded; the message says why.
    """
    old = runtime.skills.get(name)
    if old is None:
        raise NotFoundError(f'skill "{name}" is not active, so that it can\'t be reloaded')
    found = _found_again(runtime, old.found)
    resolution = _resolved(runtime, found)
    new = _beside(runtime, old, found)
    skills = tuple(found if each.name == name else each for each in runtime.found.skills)
    runtime.found, runtime.resolution = runtime.found._replace(skills=skills), resolution
    runtime.skills.replace({each.name: each for each in skills}, resolution)
    _swap(runtime, old, new)
    return new


def _beside(runtime: Runtime, old: ActivatedSkill, found: FoundSkill) -> ActivatedSkill:
    """The skill as it is now, loaded beside the old one; nothing of it counts yet."""
    grantee = grantee_of(found, runtime.request.settings.mcp_servers)
    _ask(runtime, found, grantee)
    return runtime.activator.prepare(found, grantee, replaced=old)


def _swap(runtime: Runtime, old: ActivatedSkill, new: ActivatedSkill) -> None:
    """Put the new one in the place of the old one, which ends."""
    name = new.found.name
    runtime.fire(Phase.DEACTIVATE, old)
    if not runtime.skills.swap(old, new):
        new.undo.close()
        raise NotFoundError(f'skill "{name}" was deactivated meanwhile')
    runtime.hooks.replace(name, new.hooks)
    runtime.request.trace({"event": "skill:reloaded", "skill": name, "version": new.found.manifest.version})
    old.undo.close()
    runtime.fire(Phase.ACTIVATE, new)
    runtime.remarks.extend(new.remarks)


def _found_again(runtime: Runtime, old: FoundSkill) -> FoundSkill:
    """The skill as its folder has it now."""
    found = discover(runtime.request.discovery)
    for each in found.skills:
        if (each.name, each.directory) == (old.name, old.directory):
            return each
    faults = [(bad.file, fault) for bad in found.faults if bad.file == old.file for fault in bad.faults]
    if faults:
        lines = (f"{file}:{fault.line}:{fault.column}: {fault.message}" for file, fault in faults)
        raise RuntimeFaultError("; ".join(lines))
    raise NotFoundError(f'skill "{old.name}" is not in {old.directory} any more')


def _resolved(runtime: Runtime, found: FoundSkill) -> DependencyResolution:
    """The dependencies with the skill as it is now; those that it requires must be active."""
    skills = [found if each.name == found.name else each for each in runtime.found.skills]
    resolution = resolve(skills, unusable(skills, runtime.request))
    if reason := resolution.blocked.get(found.name):
        raise RuntimeFaultError(f'skill "{found.name}" can\'t be activated: {reason}')
    for needed in resolution.requires[found.name]:
        if not runtime.skills.get(needed):
            raise RuntimeFaultError(f'skill "{found.name}" requires "{needed}" now, which is not active')
    return resolution


def _ask(runtime: Runtime, found: FoundSkill, grantee: Grantee) -> None:
    """Ask the user about the skill as it is now, if somebody can answer."""
    session = runtime.request.session
    if missing := runtime.approvals.missing(grantee, session):
        runtime.ask_about([(question_about(found, missing, session), grantee)])


def _can_wait(
    runtime: Runtime, old: ActivatedSkill, found: FoundSkill | None, resolution: DependencyResolution
) -> bool:
    """Whether the old one may be active until the new one works: nobody must be asked, and nothing else activated. An
    edited guard lets no call pass meanwhile, since the new one might refuse it."""
    if old.is_guard or found is None or found.origin != old.found.origin or found.name in resolution.blocked:
        return False
    needed = {*resolution.activation(found.name)} - {*runtime.resolution.activation(found.name)}
    return all(map(runtime.skills.get, needed)) and _is_approved(runtime, _grantee(runtime, found))


def _may_go_on(runtime: Runtime, old: ActivatedSkill, found: FoundSkill) -> bool:
    """Whether the old one may be active although its files are others now: all that it may do is approved for both, as
    it is for a skill that declares nothing, or that is approved by its name."""
    grantee = _grantee(runtime, found)
    edited = grantee and grantee._replace(declared=old.grantee.declared)
    return _is_approved(runtime, old.grantee) and _is_approved(runtime, edited)


def _is_approved(runtime: Runtime, grantee: Grantee | None) -> bool:
    """Whether it may be active without a question; False if it can't be read."""
    approvals, session = runtime.approvals, runtime.request.session
    with suppress(RuntimeFaultError):
        return grantee is not None and not (approvals.refusal(grantee) or approvals.missing(grantee, session))
    return False


def _grantee(runtime: Runtime, found: FoundSkill) -> Grantee | None:
    """The skill as it is now; None if it can't be read."""
    with suppress(RuntimeFaultError):
        return grantee_of(found, runtime.request.settings.mcp_servers)
    return None


def _stamp(found: FoundSkill) -> str:
    """That of its files; empty for what has none, or none that can be read."""
    with suppress(OSError):
        return content_stamp(found.directory) if found.directory else ""
    return ""
