"""What commands of `skillbag runtime` that need triggered skills would do, for their `--dry-run`."""

from __future__ import annotations

from typing import Any

from skillbag.cli.answers import Answer
from skillbag.cli.runtime_session import EXIT_FAILED, runtime_at, with_remarks


def plan(then: str, *, message: str = "", **acting: Any) -> Answer:
    """The skills that would be activated, then `then`; `acting` are the options of `runtime_session.act`."""
    from skillbag.report.runtime_acts import plan_text, plan_values
    from skillbag.runtime.triggered import plan_triggered

    acting.pop("trace_file", None)
    with runtime_at(**acting) as runtime:
        steps = plan_triggered(runtime, message)
        code = EXIT_FAILED if any(step.refusal for step in steps) else 0
        return with_remarks(Answer(plan_values(steps), plan_text(steps, then), code), runtime.remarks)
