"""An active skill whose files have changed is replaced: the new one is loaded beside the old one, and takes its place
once it works (skill runtime, section 13)."""

from __future__ import annotations

from skillbag.runtime.activation import ActiveSkill
from skillbag.runtime.compatibility import unusable
from skillbag.runtime.dependencies import Resolution, resolve
from skillbag.runtime.discovery import discover
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.grantees import check_startable, grantee_of, what_is_not_held
from skillbag.runtime.outcomes import QuestionsError
from skillbag.runtime.phases import Phase
from skillbag.runtime.questions import PermissionQuestion
from skillbag.runtime.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, Grantee


def reload(runtime: Runtime, name: str) -> ActiveSkill:
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
    grantee = grantee_of(found, runtime.request.settings.mcp_servers)
    _ask(runtime, found, grantee)
    check_startable(found, runtime.request)
    new = runtime.activator.prepare(found, grantee, replaced=old)
    runtime.fire(Phase.DEACTIVATE, old)
    if not runtime.skills.swap(old, new):
        new.undo.close()
        raise NotFoundError(f'skill "{name}" was deactivated meanwhile')
    runtime.hooks.replace(name, new.hooks)
    skills = tuple(found if each.name == name else each for each in runtime.found.skills)
    runtime.found, runtime.resolution = runtime.found._replace(skills=skills), resolution
    runtime.skills.replace({each.name: each for each in skills}, resolution)
    runtime.request.trace({"event": "skill:reloaded", "skill": name, "version": found.manifest.version})
    old.undo.close()
    runtime.fire(Phase.ACTIVATE, new)
    runtime.remarks.extend(new.remarks)
    return new


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


def _resolved(runtime: Runtime, found: FoundSkill) -> Resolution:
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
    missing = runtime.approvals.missing(grantee, session)
    if not missing:
        return
    question = PermissionQuestion(found.name, missing, what_is_not_held(found), session is not None)
    scope = runtime.request.ask(question) if runtime.request.ask else None
    if scope is None:
        raise QuestionsError((question,))
    runtime.approvals.grant(grantee, scope, session, missing)
