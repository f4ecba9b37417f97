"""What a check cost, as tables for people."""

from __future__ import annotations

from collections.abc import Sequence

from skillbag.kernel.model.timing import RuleTime, Timing
from skillbag.report.columns import table, wrap
from skillbag.report.sanitize import shown

_MAX = 20
"""Rules that the table lists one by one; JSON has all."""


def timing_text(timing: Timing, width: int) -> str:
    """Two tables, phases and rules, the most expensive first; the caption is wrapped to `width` columns, if any."""
    total = sum(phase.seconds for phase in timing.phases)

    def cost(seconds: float) -> tuple[str, str]:
        return f"{seconds:.4f}", f"{seconds / (total or 1):.1%}"

    phases = [(phase.phase, *cost(phase.seconds)) for phase in timing.phases]
    rules = [(shown(rule.rule), *cost(rule.seconds), *_counts([rule])) for rule in timing.rules[:_MAX]]
    if rest := timing.rules[_MAX:]:
        rules.append((f"{len(rest)} more", *cost(sum(rule.seconds for rule in rest)), *_counts(rest)))
    lines = [
        *(wrap(_caption(timing), width) if width else [_caption(timing)]),
        "",
        *table([("phase", "seconds", "share"), *phases], right=(1, 2), indent="  "),
        "",
        *table([("rule", "seconds", "share", "calls", "findings"), *rules], right=(1, 2, 3, 4), indent="  "),
    ]
    return "".join(f"{line}\n" for line in lines)


def _caption(timing: Timing) -> str:
    if timing.processes == 1:
        return f"The check took {timing.seconds:.4f} s in one process."
    return (
        f"The check took {timing.seconds:.4f} s in {timing.processes} processes. "
        "Their times are added, so the sum may exceed the wall time."
    )


def _counts(rules: Sequence[RuleTime]) -> tuple[str, str]:
    return str(sum(rule.calls for rule in rules)), str(sum(rule.findings for rule in rules))
