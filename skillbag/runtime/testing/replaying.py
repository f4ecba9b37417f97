"""A trace carried out again: the same calls and hooks of the skills as they are now, with the host's answers from the
trace (skill runtime, section 13)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.manifest.cases import Expectation, HostRecord, SkillTestCase
from skillbag.kernel.manifest.names import BackendKind
from skillbag.runtime.activation.activation import ActivatedSkill, Activator, loaded_event
from skillbag.runtime.backends.backend import CallKind, HostFunctions
from skillbag.runtime.chain import Running
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, Grantee, Json
from skillbag.runtime.states import SkillState
from skillbag.runtime.testing.playback import Playback, matches
from skillbag.runtime.testing.running import case_environment, temporary
from skillbag.runtime.testing.suite import sandbox_of
from skillbag.runtime.testing.trace_file import Event, TraceError
from skillbag.runtime.triggers.settings import Sandbox

_REGISTERED = ("tools", "hooks", "workflows", "scanners")


class Deviation(NamedTuple):
    """Where a replay is not the trace: the line there, what it is about, and both values."""

    line: Annotated[int, fits(minimum=0)]
    what: str
    expected: Json
    actual: Json


class Replayed(NamedTuple):
    """What a replay did: the calls and hooks that were run, the first difference, if there is one, and remarks."""

    calls: int
    hooks: int
    deviation: Deviation | None = None
    notes: tuple[str, ...] = ()


class _DifferentError(Exception):
    """The first difference; nothing is done after it."""

    def __init__(self, deviation: Deviation) -> None:
        super().__init__(deviation.what)
        self.deviation = deviation


class _Replay:
    """One replay: the skills that are active so far."""

    def __init__(self, runtime: Runtime, events: Iterable[Event]) -> None:
        self._runtime = runtime
        records: dict[tuple[int, str], list[HostRecord]] = defaultdict(list)
        for event in events:
            if event.kind == "host":
                records[event.values["within"], event.values["skill"]].append(_record(event))
        self._playbacks = {key: Playback(found) for key, found in records.items()}
        self._run = self._line = 0
        """The number of what runs now, and its line."""
        self._activator: Activator = runtime.activator._replace(host_of=self._host_of)
        self._active: dict[str, ActivatedSkill] = {}
        self._failed: dict[str, str] = {}
        """Skills that could not be loaded, and why."""
        self.notes: list[str] = []
        self.counts = {"call": 0, "hook": 0}

    def close(self) -> None:
        """End all processes."""
        for active in reversed(self._active.values()):
            active.undo.close()

    def step(self, event: Event) -> None:
        """Carry out one event. Raises _DifferentError at the first difference."""
        skill = event.values["skill"]
        self._line = event.line
        match event.kind:
            case "loading":
                self._load(event, skill)
            case "loaded":
                self._loaded(event, skill)
            case "skill:error":
                self._in_error(event, skill)
            case "skill:deactivated":
                self._end(skill)
            case "call":
                self._call(event, skill)
            case "hook":
                self._hook(event, skill)

    def _host_of(self, found: FoundSkill, _: Grantee) -> HostFunctions:
        """The functions of a skill: each is answered from what the trace has of the run."""
        return lambda name, arguments: self._playback(found.name).answer(name, _plain(dict(arguments)))

    def _playback(self, skill: str) -> Playback:
        return self._playbacks.setdefault((self._run, skill), Playback(()))

    def _finish(self, skill: str) -> None:
        """Raise the first difference in what the run has asked; also a call of the trace that it has not made."""
        playback = self._playback(skill)
        for call, _, record in playback.faults:
            expected = _called(record) if record else None
            line = record.line if record else self._line
            raise _DifferentError(Deviation(line, "a call of the host", expected, _called(call)))
        if self._run and playback.unused:
            record = playback.unused[0]
            raise _DifferentError(Deviation(record.line, "a call of the host was not made", _called(record), None))

    def _load(self, event: Event, skill: str) -> None:
        """Load a skill; whether it should work is in a later event."""
        grantee = self._runtime.grantee(skill)
        if grantee.tree_hash != event.values["content"]:
            self.notes.append(f'the files of the skill "{skill}" are not those of the trace')
        self._end(skill)
        self._run = 0
        try:
            self._active[skill] = self._activator.prepare(self._runtime.skills.status(skill).found, grantee)
        except RuntimeFaultError as error:
            self._failed[skill] = str(error)
        self._finish(skill)

    def _loaded(self, event: Event, skill: str) -> None:
        if skill in self._failed:
            raise _different(event, f"the state of {skill}", "active", f"error: {self._failed[skill]}")
        active = self._loaded_skill(event, skill)
        now = _plain(loaded_event(active.found, active.registration))
        for part in _REGISTERED:
            if event.values[part] != now[part]:
                raise _different(event, f"the {part} of {skill}", event.values[part], now[part])

    def _in_error(self, event: Event, skill: str) -> None:
        """A skill that could not be loaded must fail now, too, for the same reason."""
        if event.values["before"] == SkillState.ACTIVATING and (skill in self._active or skill in self._failed):
            reason, now = event.values["reason"], self._failed.get(skill)
            if now is None:
                raise _different(event, f"the state of {skill}", f"error: {reason}", "active")
            if not matches(reason, now):
                raise _different(event, f"the error of {skill}", reason, now)
        self._end(skill)

    def _end(self, skill: str) -> None:
        self._failed.pop(skill, None)
        if active := self._active.pop(skill, None):
            active.undo.close()

    def _call(self, event: Event, skill: str) -> None:
        values = event.values
        self.counts["call"] += 1
        what = f"{values['kind']} {values['name']} of {skill}"
        self._compare(event, skill, what, CallKind(values["kind"]), values["name"], values.get("input"), 0)

    def _hook(self, event: Event, skill: str) -> None:
        values = event.values
        self.counts["hook"] += 1
        what = f"hook {values['phase']} {values['number'] + 1} of {skill}"
        self._compare(event, skill, what, CallKind.HOOK, values["phase"], values["data"], values["number"])

    def _compare(
        self, event: Event, skill: str, what: str, kind: CallKind, name: str, value: Json, number: int
    ) -> None:
        backend = self._loaded_skill(event, skill).backend
        if backend is None:
            raise TraceError(f'line {event.line}: the skill "{skill}" has no code')
        self._run, failed = event.values["run"], False
        try:
            with Running(self._active[skill].grantee):
                answer = _plain(backend.call(kind, name, value, number=number))
        except RuntimeFaultError as error:
            answer, failed = {"error": str(error), "code": error.code}, True
        self._finish(skill)
        expected = event.values.get("answer")
        if failed != event.values["failed"] or not matches(expected, answer):
            raise _different(event, what, expected, answer)

    def _loaded_skill(self, event: Event, skill: str) -> ActivatedSkill:
        if skill not in self._active:
            raise TraceError(f'line {event.line}: the skill "{skill}" is not loaded at this place of the trace')
        return self._active[skill]


def _different(event: Event, what: str, expected: Json, actual: Json) -> _DifferentError:
    return _DifferentError(Deviation(event.line, what, expected, actual))


def replay(events: tuple[Event, ...], skills: Iterable[FoundSkill], approved: Collection[str]) -> Replayed:
    """Carry out a trace, up to the first difference. `skills` are those of now; for `approved` see `run_all`.

    Raises:
        TraceError: a skill of the trace is not there, or the trace is none. OSError: the environment fails.
    """
    found = {skill.name: skill for skill in skills}
    names = {event.values["skill"] for event in events if event.kind == "loading"}
    for name in sorted(names):
        if name not in found:
            raise TraceError(f'there is no skill "{name}", which the trace has; name its folder with --skills')
        implementation = found[name].manifest.implementation
        if implementation and implementation.backend is BackendKind.MCP:
            raise TraceError(f'the skill "{name}" is an MCP server, which can\'t be kept from its work; not replayed')
    strict = any(sandbox_of(found[name], approved) is Sandbox.REQUIRE for name in names)
    sandbox = Sandbox.REQUIRE if strict else Sandbox.BEST_EFFORT
    dirs = [found[name].directory for name in sorted(names)]
    with (
        temporary(dirs, sandbox, case_environment(SkillTestCase("replay", Expectation()))) as (request, _),
        Runtime(request._replace(approved=frozenset(names), offline=True)) as runtime,
    ):
        steps = _Replay(runtime, events)
        deviation = None
        try:
            for event in events:
                steps.step(event)
        except _DifferentError as error:
            deviation = error.deviation
        finally:
            steps.close()
    return Replayed(steps.counts["call"], steps.counts["hook"], deviation, tuple(dict.fromkeys(steps.notes)))


def _record(event: Event) -> HostRecord:
    """A call of the host as the trace has it."""
    values, answer = event.values, event.values.get("answer")
    call = HostRecord(values["function"], values["arguments"], answer, line=event.line)
    if not values["failed"]:
        return call
    fault = answer if isinstance(answer, dict) else {}
    code = fault.get("code")
    is_code = isinstance(code, int)
    return call._replace(error=str(fault.get("error", "")), code=code if is_code else RuntimeFaultError.code)


def _called(record: HostRecord) -> dict[str, Json]:
    return {"function": record.call, "arguments": dict(record.args)}


def _plain(value: Json) -> Json:
    """A value as a trace has it."""
    return json.loads(json.dumps(value, default=str))
