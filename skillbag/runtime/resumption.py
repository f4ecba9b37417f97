"""Going on with a session in another process: its active skills are loaded again, with their permissions."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.phases import Phase
from skillbag.runtime.runtime import Runtime
from skillbag.runtime.sessions import ActiveRecord, SessionPlace, SessionRecord, read_session, update_session
from skillbag.runtime.states import SkillState


@contextmanager
def resumed(runtime: Runtime, phases: Collection[Phase] | None = None) -> Iterator[None]:
    """Within the block, the skills that were active in the runtime's session are active again; what has changed at its
    end is kept for the next process. Without a session, this does nothing but close the runtime.

    With `phases`, only skills with hooks for one of them, and what these need, are loaded; the others stay as they
    were. The skills go on where they were: `OnActivate` and `OnDeactivate` do not fire. One that was edited since, or
    is gone, is not active any more; a remark says so.

    Raises:
        UserError: the id of the session is not allowed. OSError: the session can't be kept.
    """
    request = runtime.request
    if request.session is None:
        with runtime:
            yield
        return
    place = SessionPlace(request.state, request.workspace, request.session)
    before = read_session(place)
    try:
        untouched = _resume(runtime, before, phases)
        try:
            yield
        finally:
            # After an error, too: what was activated and used before it counts.
            update_session(place, before, _record_of(runtime, untouched))
    finally:
        runtime.skills.suspend()
        runtime.store.close()


def _resume(runtime: Runtime, record: SessionRecord, phases: Collection[Phase] | None) -> tuple[ActiveRecord, ...]:
    """Load the skills of the record; returns those that were left as they are."""
    runtime.has_started, runtime.turn = record.started, record.turn
    runtime.limits.restore(record.used)
    is_same_file = record.database == _database(runtime)
    wanted = [each.skill for each in record.active if phases is None or set(phases) & set(each.hooks)]
    loaded = {needed for skill in wanted for needed in _needed(runtime, skill)}
    untouched = []
    for active in _sorted(runtime, record):
        if active.skill not in loaded:
            untouched.append(active)
            continue
        # What was approved once is in the record alone: it counts only for the database that it was consumed in.
        opened = runtime.store.stamp().opened if is_same_file else -1
        try:
            runtime.resume(active.skill, active.origin, active.tree_hash, active.admission._replace(opened=opened))
        except RuntimeFaultError as error:
            runtime.remarks.append(f'skill "{active.skill}" is not active any more: {error}')
    return tuple(untouched)


def _sorted(runtime: Runtime, record: SessionRecord) -> list[ActiveRecord]:
    """The active skills in the order of their activation, each after those that it needs: it would activate them."""
    by_name = {active.skill: active for active in record.active}
    names = dict.fromkeys(needed for skill in by_name for needed in _needed(runtime, skill))
    return [by_name[name] for name in names if name in by_name]


def _needed(runtime: Runtime, skill: str) -> tuple[str, ...]:
    """What the skill needs to be active, and itself last; itself alone if it can't be active any more."""
    return runtime.resolution.activation(skill) if skill in runtime.resolution.requires else (skill,)


def _record_of(runtime: Runtime, untouched: tuple[ActiveRecord, ...]) -> SessionRecord:
    """What is kept of the session now."""
    active = []
    for each in runtime.skills:
        admission = runtime.broker.admission(each.grantee)
        if admission is not None and runtime.skills.status(each.found.name).state is SkillState.ACTIVE:
            hooks = tuple(dict.fromkeys(each.registration.hooks))
            active.append(ActiveRecord(each.found.name, each.grantee.origin, each.grantee.tree_hash, admission, hooks))
    used = dict(runtime.limits.used())
    return SessionRecord(runtime.has_started, runtime.turn, (*untouched, *active), used, _database(runtime))


def _database(runtime: Runtime) -> int:
    try:
        return os.stat(runtime.store.path).st_ino
    except OSError:
        return 0
