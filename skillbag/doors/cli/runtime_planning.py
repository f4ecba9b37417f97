"""What commands of `skillbag runtime` that need triggered skills would do, for their `--dry-run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from skillbag.doors.cli.answers import CommandOutput
from skillbag.doors.cli.runtime_session import EXIT_FAILED, runtime_at, with_remarks
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.runtime.sessions.preview import PlannedSkill
    from skillbag.runtime.sessions.runtime import Runtime


def plan(then: str, *, message: str = "", **acting: Any) -> CommandOutput:
    """The skills that would be activated, then `then`; `acting` are the options of `runtime_session.act`."""
    return plan_with(lambda runtime, steps: ([then], {}), message=message, **acting)


def plan_with(
    follows: Callable[[Runtime, tuple[PlannedSkill, ...]], tuple[list[str], dict[str, Any]]],
    *,
    message: str = "",
    **acting: Any,
) -> CommandOutput:
    """The same; `follows` gives what comes after the activations, as lines and as further values."""
    from skillbag.report.encoding import json_object
    from skillbag.report.runtime_acts import plan_text, plan_values
    from skillbag.runtime.sessions.triggered import plan_triggered

    acting.pop("trace_file", None)
    with runtime_at(**acting) as runtime:
        steps = plan_triggered(runtime, message)
        (then, *lines), more = follows(runtime, steps)
        code = EXIT_FAILED if any(step.refusal for step in steps) else 0
        values = {**plan_values(steps), **json_object(**more)}
        text = plan_text(steps, then) + "".join(f"{shown(line)}\n" for line in lines if not code)
        return with_remarks(CommandOutput(values, text, code), runtime.remarks)
