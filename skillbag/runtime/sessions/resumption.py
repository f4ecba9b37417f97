"""Going on with a session in another process: its active skills are loaded again, with their permissions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from skillbag.kernel.base.time_limit import is_over
from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.broker.session_records import (
    ActiveRecord,
    HookFailures,
    SessionPlace,
    SessionRecord,
    missed,
    read_session,
    update_session,
)
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.hooks.guards import no_guard
from skillbag.runtime.sessions.endings import ended
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.sessions.standings import course, database_of, is_let_go, needed_by, session_record
from skillbag.runtime.states import SkillState

ReportedDigests = list[str]
"""Digests of sentences, the oldest first."""


@contextmanager
def resumed(runtime: Runtime, phases: Collection[Phase] | None = None) -> Iterator[ReportedDigests]:
    """Within the block, the skills that were active in the runtime's session are active again; what has changed at its
    end is kept for the next process. Without a session, this does nothing but close the runtime. Yields the digests
    of the session, a list that can be changed.

    With `phases`, only skills with hooks for one of them, and what these need, are loaded; the others stay as they
    were. The skills go on where they were: `OnActivate` and `OnDeactivate` do not fire. One that was edited since, is
    gone or fails to load is not active any more; a remark says so. One that guards calls stays in the record all the
    same: the host refuses calls until it is deactivated or activated again. Not so if the user has denied or revoked
    its permissions: that is a decision, and `runtime.skills.withdrawn` has the name.

    Raises:
        UserError: the id of the session is not allowed. OSError: the session can't be kept.
    """
    request = runtime.request
    if request.session is None:
        with runtime:
            yield []
        return
    place = SessionPlace(request.state, request.workspace, request.session)
    before = read_session(place)
    try:
        runtime.has_started, runtime.turn = before.started, before.turn
        runtime.limits.restore(before.used)
        untouched, reported = _load(runtime, before, phases), list(before.reported)
        try:
            yield reported
        finally:
            # After an error, too: what was activated and used before it counts.
            update_session(place, before, _record_of(runtime, before, untouched)._replace(reported=tuple(reported)))
    finally:
        runtime.skills.suspend()
        runtime.store.close()


def resume_guards(runtime: Runtime) -> None:
    """Load the skills of the runtime's session that guard calls, for a door that keeps the runtime open and the session
    as it is. Calls are refused where one can't be loaded.

    Raises:
        UserError: the id of the session is not allowed.
    """
    _load(runtime, session_record(runtime), (Phase.BEFORE_TOOL_CALL,))


def _load(runtime: Runtime, record: SessionRecord, phases: Collection[Phase] | None) -> tuple[ActiveRecord, ...]:
    """Load the skills of the record; returns those that were left as they are."""
    _load_missed(runtime, [each for each in record.active if each.is_missed])
    record = record._replace(active=tuple(each for each in record.active if not each.is_missed))
    wanted = [each.skill for each in record.active if phases is None or set(phases) & set(each.hooks)]
    loaded = {needed for skill in wanted for needed in needed_by(runtime, skill)}
    found = course(runtime, record, loaded)
    guards = {each.skill: each.is_guard for each in record.active}
    for name, lapse in found.ended.items():
        if lapse.chosen:
            runtime.skills.withdrawn.add(name)
        else:
            runtime.skills.lost[name] = guards[name]
        runtime.remarks.append(ended(name, lapse.reason))
    left, late = {each.skill for each in found.going} - loaded, list[str]()
    for active in (each for each in found.going if each.skill in loaded):
        try:
            runtime.resume(active.skill, active.origin, active.tree_hash, active.admission)
            _check_guards(runtime, active)
            runtime.hooks.restore(active.skill, active.failures)
        except RuntimeFaultError as error:
            if is_over() and active.skill not in runtime.skills.lost:
                left.add(active.skill)
                late.append(active.skill)
                continue
            runtime.skills.lost[active.skill] = guards[active.skill]
            runtime.remarks.append(ended(active.skill, str(error)))
    if late:
        runtime.remarks.append(f"not asked, since the time of this step is over: {', '.join(late)}")
    return tuple(each for each in record.active if each.skill in left)


def _load_missed(runtime: Runtime, missed: Iterable[ActiveRecord]) -> None:
    """Activate the guards that could not begin, if they can now, and nobody must be asked."""
    for each in missed:
        if is_let_go(runtime, each.skill):
            runtime.skills.withdrawn.add(each.skill)
            continue
        runtime.skills.lost.add(each.skill, is_guard=True, is_unknown=each.is_unknown)
        if each.is_unknown:
            continue
        try:
            missing = [name for question in runtime.questions(each.skill) for name in question.permissions]
            if not missing:
                runtime.activate(each.skill)
                continue
            reason = f"a person must decide about {', '.join(missing)}"
        except (NotFoundError, RuntimeFaultError) as error:
            reason = str(error)
        runtime.remarks.append(f'the guard "{each.skill}" is not active: {reason}')


def _check_guards(runtime: Runtime, record: ActiveRecord) -> None:
    """Raises RuntimeFaultError for a skill that guarded calls, and was edited so that it does not any more."""
    loaded = runtime.skills.get(record.skill)
    if record.is_guard and loaded and not loaded.is_guard:
        reason = no_guard(record.skill)
        runtime.skills.fail(record.skill, reason)
        raise RuntimeFaultError(reason)


def _record_of(runtime: Runtime, before: SessionRecord, untouched: tuple[ActiveRecord, ...]) -> SessionRecord:
    """What is kept of the session now."""
    lost = [each for each in before.active if each.skill in runtime.skills.lost]
    active = [each for each in lost if each.is_guard]
    new = set(runtime.skills.lost.guards).difference(each.skill for each in lost)
    active += [missed(name, unknown=name in runtime.skills.lost.unknown) for name in sorted(new)]
    failures: dict[str, list[HookFailures]] = {}
    for hook, count, _ in runtime.hooks.listed():
        if count:
            failures.setdefault(hook.skill, []).append(HookFailures(hook.phase, hook.number, count))
    database = database_of(runtime) if list(runtime.skills) else 0
    for each in runtime.skills:
        admission = runtime.broker.admission(each.grantee)
        if admission is not None and runtime.skills.status(each.found.name).state is SkillState.ACTIVE:
            name, failed = each.found.name, tuple(failures.get(each.found.name, ()))
            origin, content = each.grantee.origin, each.grantee.tree_hash
            active.append(ActiveRecord(name, origin, content, admission, each.phases, failed, database))
    used = dict(runtime.limits.used())
    return SessionRecord(runtime.has_started, runtime.turn, (*untouched, *active), used)
