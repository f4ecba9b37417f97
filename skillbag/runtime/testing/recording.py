"""Runs a case with the functions of the host themselves, and keeps what they answer (skill runtime, section 13)."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.manifest.cases import ABSENT, RECORDED, Expectation, HostRecord, SkillTestCase
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, Json
from skillbag.runtime.testing.acts import CaseOutcome, perform
from skillbag.runtime.testing.running import Situation, opened
from skillbag.runtime.triggers.settings import Sandbox


class Recorder:
    """Carries out each call and keeps its answer, secrets masked. Thread safe."""

    def __init__(self) -> None:
        self.records: list[HostRecord] = []
        """The calls in the order in which they began."""
        self._lock = threading.Lock()
        self._inside = 0
        """Workflows of other skills that run: what they call is a part of the answer."""

    def __call__(self, function: str, values: Mapping[str, Json], run: Callable[[], Json]) -> Json:
        """The function's answer."""
        with self._lock:
            is_kept = function in RECORDED and not self._inside
            self._inside += function == "invoke_skill"
            place = len(self.records)
            if is_kept:
                self.records.append(HostRecord(function, _masked(dict(values))))
        try:
            result = run()
        except (UserError, OSError) as error:
            if is_kept:
                self.records[place] = self.records[place]._replace(error=mask(format_error(error)))
            raise
        finally:
            with self._lock:
                self._inside -= function == "invoke_skill"
        if is_kept:
            self.records[place] = self.records[place]._replace(result=_masked(result))
        return result


def approve(runtime: Runtime, name: str) -> None:
    """Ask the user about a skill as for an activation; what they allow once is used up.

    Raises:
        QuestionsError: nobody can answer. NotPermittedError: it is denied.
    """
    runtime.ask(name)
    grantee = runtime.grantee(name)
    runtime.broker.admit(grantee)
    runtime.broker.release(grantee)


def record(
    found: FoundSkill, case: SkillTestCase, sandbox: Sandbox, completer: Callable[[str], str] | None
) -> SkillTestCase:
    """The case with what the host answers now, in the case's own workspace, and with an expectation, if it has none.

    Programs run, and the network is reached: the user must have approved that.

    Raises:
        UserError: the workspace of the case can't be made. OSError: the environment fails.
    """
    recorder = Recorder()
    situation = Situation(recorder, {**os.environ, **case.env}, False, completer, sandbox)
    with opened(found, case, situation) as (runtime, _):
        outcome = perform(runtime, found.name, case)
    expect = case.expect if case.expect != Expectation() else _expectation(outcome)
    return case._replace(host=tuple(recorder.records), expect=expect)


def _expectation(outcome: CaseOutcome) -> Expectation:
    if outcome.error or outcome.value is ABSENT:
        return Expectation(error=mask(outcome.error) or "no error")
    value = outcome.value
    if isinstance(value, str):
        try:
            decoded = json.loads(value)
        except (ValueError, RecursionError):
            decoded = value
        # A number that is a text stays one: the tool gave a text.
        value = decoded if isinstance(decoded, dict | list) else value
    return Expectation(value=_masked(value))


def _masked(value: Json) -> Json:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list | tuple) else value
