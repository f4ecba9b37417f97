"""What a test case does with a runtime, and what comes of it, compared with what it expects (skill runtime, section
13)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import fits
from skillbag.kernel.documents.equality import meaning
from skillbag.kernel.documents.source import DocumentProblem, decode
from skillbag.kernel.manifest.cases import (
    ABSENT,
    Expectation,
    HookRun,
    ScannerRun,
    SkillTestCase,
    ToolCall,
    WorkflowRun,
)
from skillbag.kernel.manifest.names import Phase
from skillbag.kernel.workspace.text import TextFile, language_of
from skillbag.runtime.activation.activation import ActivatedSkill
from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.scanning.findings import ScanFinding, as_value
from skillbag.runtime.scanning.inspection import Inspection
from skillbag.runtime.scanning.sources import is_for_scans, source_of
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import Json
from skillbag.runtime.states import SkillState


class CaseOutcome(NamedTuple):
    """What came of a case: the `value` (ABSENT if there is none), or the message of a failure. `reason` is that of a
    cancellation, `matched` has the rules that have found something, as `SKILL/RULE`."""

    value: Json = ABSENT
    error: str = ""
    cancelled: bool = False
    reason: str = ""
    score: int = 0
    state: SkillState = SkillState.INACTIVE
    matched: frozenset[str] = frozenset()


def perform(runtime: Runtime, skill: str, case: SkillTestCase) -> CaseOutcome:
    """Do what a case says; whatever the skill does wrong is in the outcome."""
    try:
        outcome = _perform(runtime, skill, case)
    except QuestionsError as error:
        outcome = CaseOutcome(error=f"the user has not approved this: {error}")
    except UserError as error:
        outcome = CaseOutcome(error=str(error))
    return outcome._replace(state=runtime.skills.status(skill).state)


def _perform(runtime: Runtime, skill: str, case: SkillTestCase) -> CaseOutcome:
    if case.trigger:
        return _triggered(runtime, skill, case)
    if case.message:
        runtime.begin(case.message, case.current_path)
    runtime.activate(skill)
    match case.act:
        case ToolCall(tool, value):
            return _called(runtime, tool, value)
        case WorkflowRun(workflow, value):
            return CaseOutcome(runtime.run_workflow(f"{skill}/{workflow}", value))
        case ScannerRun() as scan:
            return _scanned(runtime, skill, scan)
        case HookRun(phase, data):
            return _fired(runtime, skill, Phase(phase), dict(data))
    raise AssertionError(case)


def _triggered(runtime: Runtime, skill: str, case: SkillTestCase) -> CaseOutcome:
    scores = {item.skill.name: item.score for item in runtime.explain(case.message, case.current_path)}
    turn = runtime.begin(case.message, case.current_path)
    waits = [question for question in turn.questions if question.skill == skill]
    error = turn.failed.get(skill, "") or (str(QuestionsError(tuple(waits))) if waits else "")
    return CaseOutcome(score=scores[skill].total, error=error)


def _called(runtime: Runtime, tool: str, value: Json) -> CaseOutcome:
    output = runtime.call_tool(tool, value).output
    return CaseOutcome(error=output.content) if output.is_error else CaseOutcome(output.content)


def _scanned(runtime: Runtime, skill: str, scan: ScannerRun) -> CaseOutcome:
    active = runtime.skills.get(skill)
    if active is None or not is_for_scans(active):
        raise NotFoundError(f'skill "{skill}" takes no part in scans')
    if not scan.scanner:
        return _inspected(runtime, active, scan)
    if scan.scanner not in active.registration.scanners:
        raise NotFoundError(f'skill "{skill}" has no scanner "{scan.scanner}"')
    return CaseOutcome(runtime.calls.scan(active, scan.scanner, scan.path, scan.content))


def _inspected(runtime: Runtime, active: ActivatedSkill, scan: ScannerRun) -> CaseOutcome:
    """What the rules and all scanners of a skill find in a text, in the order of the lines."""
    document = decode(
        os.path.join(runtime.request.workspace or "", scan.path), scan.content.encode("utf-8", "surrogatepass")
    )
    if isinstance(document, DocumentProblem):
        raise RuntimeFaultError(f"the text to scan can't be used: {document.detail}")
    found: list[ScanFinding] = []
    inspection = Inspection(runtime, [source_of(active)], found.append)
    inspection.run([TextFile(document, scan.path, language_of(scan.path) or "text")])
    findings = [as_value(each) for each in sorted(found, key=lambda each: (each.start, each.rule, each.message))]
    return CaseOutcome(
        findings, "; ".join(error.message for error in inspection.errors), matched=frozenset(inspection.matched)
    )


def _fired(runtime: Runtime, skill: str, phase: Phase, data: dict[str, Json]) -> CaseOutcome:
    # A case may call any tool its own: what the hook does is tested, and not whether it is asked.
    found = runtime.hooks.dispatch(phase, data, skill)
    failed = "; ".join(found.notes)
    return CaseOutcome(dict(found.modified), failed, found.cancelled_by is not None, found.reason)


class Difference(NamedTuple):
    """What differs, and both texts; of what is not expected at all, the one that came alone."""

    what: Annotated[str, fits(enum=("value", "contains", "error", "cancel", "score", "state", "host"))]
    expected: str
    actual: str


def differences(expect: Expectation, outcome: CaseOutcome) -> Iterator[Difference]:
    """All that is not as expected."""
    if expect.error:
        if expect.error not in outcome.error:
            yield Difference("error", expect.error, outcome.error or f"no error, but {_text(outcome.value)}")
    elif outcome.error and not (outcome.cancelled and expect.cancel):
        yield Difference("error", "", outcome.error)
        return
    if expect.value is not ABSENT and not _equal(expect.value, outcome.value):
        yield Difference("value", _text(expect.value), _text(_like(expect.value, outcome.value)))
    text = "\n".join(part for part in (_text(outcome.value), outcome.reason, outcome.error) if part)
    if expect.contains and expect.contains not in text:
        yield Difference("contains", expect.contains, text)
    if expect.cancel is not None and expect.cancel != outcome.cancelled:
        yield Difference("cancel", _text(expect.cancel), _text(outcome.cancelled))
    if expect.score is not None and expect.score != outcome.score:
        yield Difference("score", str(expect.score), str(outcome.score))
    if expect.state and expect.state != outcome.state:
        yield Difference("state", expect.state, str(outcome.state))


def _equal(expected: Json, actual: Json) -> bool:
    return actual is not ABSENT and meaning(expected) == meaning(_like(expected, actual))


def _like(expected: Json, actual: Json) -> Json:
    """A text as the JSON in it, where another value than a text is expected: that is how tools give values."""
    if not isinstance(actual, str) or isinstance(expected, str):
        return actual
    try:
        return json.loads(actual)
    except (ValueError, RecursionError):
        return actual


def _text(value: Json) -> str:
    """A value for people: a text as it is, others as JSON, an item a line."""
    if value is ABSENT:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
