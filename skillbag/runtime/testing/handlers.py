"""The handlers of a skill, and those that ran: what its test cases reach (skill runtime, section 13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.kernel.manifest.scan_rules import RuleOverride
from skillbag.runtime.backends.backend import CallKind
from skillbag.runtime.scanning.sources import rules_of
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.tracing import TraceEvent

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
