"""What commands of `skillbag runtime` would do, for their `--dry-run`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from skillbag.doors.cli.answers import CommandOutput
from skillbag.doors.cli.runtime_queries import check_known
from skillbag.doors.cli.runtime_session import EXIT_FAILED, runtime_at, with_remarks
from skillbag.kernel.base.json_records import ABSENT, Absent

if TYPE_CHECKING:
    from skillbag.runtime.sessions.preview import PlannedSkill
    from skillbag.runtime.sessions.runtime import Runtime


def planning(*, trace_file: str | None = None, **acting: Any) -> Runtime:
    """The runtime of a plan, by the options of `runtime_session.act`; nothing is traced."""
    return runtime_at(**acting)


def plan_triggered(then: str, *, message: str = "", **acting: Any) -> CommandOutput:
    """The skills that the message and the workspace would activate, then `then`."""
    from skillbag.runtime.sessions import preview

    with planning(**acting) as runtime:
        return planned(runtime, preview.plan_triggered(runtime, message), [then])


def plan_activation(runtime: Runtime, name: str, then: str) -> CommandOutput:
    """The skills that would be activated for the one of this name, then `then`."""
    from skillbag.runtime.sessions.preview import plan

    check_known(runtime, name)
    return planned(runtime, plan(runtime, [*(found.name for found in runtime.found.named), name]), [then])


def planned(
    runtime: Runtime, steps: Iterable[PlannedSkill], then: Sequence[str], files: tuple[str, ...] | Absent = ABSENT
) -> CommandOutput:
    """The answer: the activations, then the lines of what follows; `files` are the pages that would be written."""
    from skillbag.report.runtime.acts import PlanJson, PlannedJson, plan_text

    plan = PlanJson(True, tuple(map(PlannedJson.of, steps)), files)
    code = EXIT_FAILED if plan.is_refused else 0
    return with_remarks(CommandOutput(plan, plan_text(plan, then), code), runtime.remarks)
