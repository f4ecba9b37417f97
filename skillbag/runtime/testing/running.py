"""Runs test cases, each in a temporary workspace with a state of its own, and tells which handlers of the skill they
reach (skill runtime, section 13)."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.fs.without_links import write_beneath
from skillbag.kernel.manifest.cases import SkillTestCase
from skillbag.kernel.manifest.scan_rules import RuleOverride
from skillbag.runtime.activation.request import RuntimeRequest
from skillbag.runtime.backends.backend import CallKind, StandIn
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.scanning.sources import rules_of
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.testing.acts import CaseOutcome, Difference, differences, perform
from skillbag.runtime.testing.playback import Playback, shown_call
from skillbag.runtime.tracing import TraceEvent
from skillbag.runtime.triggers.settings import RuntimeSettings, Sandbox

_NOT_MADE = "this recorded call was not made"
_PASSED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
"""Variables of ours that a case needs: where programs are, and how texts are encoded."""


class SkillTestResult(NamedTuple):
    """A case that was run: what was not as expected (nothing if it passed), and the seconds that it took. `handlers`
    are those that the skill registered and its rules, `reached` those among them that ran, or found something."""

    case: SkillTestCase
    faults: tuple[Difference, ...]
    seconds: float
    handlers: frozenset[str] = frozenset()
    reached: frozenset[str] = frozenset()


class Situation(NamedTuple):
    """How a case is run: who answers what the skill asks of the host, with which variables, network and completer. With
    `sandbox`, code that the system can't keep from the user's files is not started. For `copies` see `RuntimeRequest`.
    """

    stand_in: StandIn
    environment: Mapping[str, str]
    offline: bool = True
    completer: Callable[[str], str] | None = None
    sandbox: Sandbox = Sandbox.BEST_EFFORT
    copies: str = ""


def run_case(
    found: FoundSkill, case: SkillTestCase, sandbox: Sandbox = Sandbox.BEST_EFFORT, copies: str = ""
) -> SkillTestResult:
    """Run a case of a skill; what it asks of the host is answered from the case's record.

    Raises:
        UserError: the workspace of the case can't be made. OSError: the environment fails.
    """
    playback = Playback(case.host)
    situation = Situation(playback, case_environment(case), sandbox=sandbox, copies=copies)
    start = time.monotonic()
    with opened(found, case, situation) as (runtime, events):
        outcome = perform(runtime, found.name, case)
        handlers = registered(runtime, found)
    ran = handlers & reached(events, found.name, outcome.matched)
    return SkillTestResult(case, _faults(case, outcome, playback), time.monotonic() - start, handlers, ran)


def _faults(case: SkillTestCase, outcome: CaseOutcome, playback: Playback) -> tuple[Difference, ...]:
    return (
        *(Difference("host", "", str(fault)) for fault in playback.faults),
        *differences(case.expect, outcome),
        *(Difference("host", f"{_NOT_MADE}: {shown_call(each)}", "") for each in playback.unused),
    )


def case_environment(case: SkillTestCase) -> dict[str, str]:
    """The variables that a skill sees in a case: none of the user's own."""
    return {name: os.environ[name] for name in _PASSED if name in os.environ} | dict(case.env)


@contextlib.contextmanager
def opened(found: FoundSkill, case: SkillTestCase, situation: Situation) -> Iterator[tuple[Runtime, list[TraceEvent]]]:
    """A runtime with the skill, and what it requires from beside it, in a temporary workspace with the case's files;
    and the events of its trace. All of it is gone in the end.

    Raises:
        UserError: the files can't be made.
    """
    events: list[TraceEvent] = []
    required = [each.name for each in found.manifest.dependencies]
    beside = [os.path.dirname(found.directory)] if required else []
    with temporary([found.directory, *beside], situation.sandbox, situation.environment) as (request, workspace):
        _write_files(case, workspace)
        test_request = request._replace(
            approved=frozenset({found.name, *required} if case.approve is True else required),
            mode=case.mode,
            completer=situation.completer,
            confirm=lambda _: case.approve is not False,
            trace=events.append,
            stand_in=situation.stand_in,
            offline=situation.offline,
            copies=situation.copies,
        )
        with Runtime(test_request) as runtime:
            if isinstance(case.approve, tuple):
                permissions = [each for each in case.approve if each in found.manifest.permissions]
                runtime.approvals.grant(runtime.grantee(found.name), ApprovalScope.ALWAYS, permissions=permissions)
            yield runtime, events


@contextlib.contextmanager
def temporary(
    dirs: Iterable[str], sandbox: Sandbox, environment: Mapping[str, str]
) -> Iterator[tuple[RuntimeRequest, str]]:
    """A request for a runtime with the skills of these folders in an empty workspace, and the path of that. All of it
    is gone in the end."""
    with tempfile.TemporaryDirectory(prefix="skillbag-case-", ignore_cleanup_errors=True) as folder:
        workspace, state, home = (
            os.path.join(os.path.realpath(folder), name) for name in ("workspace", "state", "home")
        )
        os.mkdir(workspace)
        settings = RuntimeSettings(dirs=tuple(dirs), sandbox=sandbox)
        yield RuntimeRequest(workspace, None, state, settings, environment={"HOME": home, **environment}), workspace


def _write_files(case: SkillTestCase, workspace: str) -> None:
    for path, text in case.files.items():
        try:
            write_beneath(workspace, tuple(path.split("/")), text.encode("utf-8", "surrogatepass"))
        except OSError as error:
            raise UserError(f"case {case.name}: the file {path} can't be made: {format_error(error)}") from error


_KINDS = {CallKind.TOOL: "tool", CallKind.WORKFLOW: "workflow", CallKind.SCAN: "scanner"}


def registered(runtime: Runtime, found: FoundSkill) -> frozenset[str]:
    """The handlers that the skill has registered, such as `tool search` or `hook OnAfterResponse 1`, and its rules
    (`rule http`); what its manifest declares if it is not active."""
    active = runtime.skills.get(found.name)
    if active is None:
        return declared(found)
    code = active.registration
    phases = [f"hook {phase} {code.hooks[:at].count(phase) + 1}" for at, phase in enumerate(code.hooks)]
    return frozenset(
        (
            *(f"tool {tool.name}" for tool in active.tools),
            *phases,
            *(f"workflow {name}" for name in code.workflows),
            *(f"scanner {name}" for name in code.scanners),
            *_rules(found),
        )
    )


def declared(found: FoundSkill) -> frozenset[str]:
    """The handlers that the manifest of a skill declares, and its rules."""
    rules = found.manifest.security_rules
    scanners = rules.scanners if rules else ()
    tools = (f"tool {tool.name}" for tool in found.manifest.tools)
    return frozenset((*tools, *(f"scanner {each.name}" for each in scanners), *_rules(found)))


def _rules(found: FoundSkill) -> Iterator[str]:
    """The rules of a skill that its overrides don't switch off everywhere."""
    rules, overrides, _ = rules_of(found)
    for rule in rules:
        override = overrides.get(rule.id, RuleOverride())
        if override.enabled or override.paths:
            yield f"rule {rule.id}"


def reached(events: Iterable[TraceEvent], skill: str, matched: Iterable[str] = ()) -> frozenset[str]:
    """The handlers of a skill that ran, by the events of a trace; and of the rules in `matched` (`SKILL/RULE`), its
    own."""
    ran = {f"rule {rule}" for owner, _, rule in (each.partition("/") for each in matched) if owner == skill}
    for event in events:
        if event.get("skill") != skill:
            continue
        if event["event"] == "call":
            ran.add(f"{_KINDS[event['kind']]} {event['name']}")
        elif event["event"] == "hook":
            ran.add(f"hook {event['phase']} {event['number'] + 1}")
    return frozenset(ran)
