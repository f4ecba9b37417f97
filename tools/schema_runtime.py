"""The published schema of what the commands of `skillbag runtime` print."""

from __future__ import annotations

from schemas import Command, Family
from skillbag.report import (
    runtime_acts,
    runtime_dev,
    runtime_permissions,
    runtime_scan,
    runtime_scores,
    runtime_skills,
    runtime_status,
    runtime_testing,
)
from skillbag.report.answers.types import MistakeJson, RemarksJson

_PLANNED = ("activate", "call", "run", "scan", "transform", "wiki")


def _command(names: tuple[str, ...], *records: type, exits: tuple[int, ...] = (0,), remarks: bool = True) -> Command:
    """An answer of these commands; nearly all end with remarks."""
    return Command(tuple(f"runtime {name}" for name in names), (*records, *((RemarksJson,) if remarks else ())), exits)


RUNTIME = Family(
    "runtime",
    "What every command of `skillbag runtime` prints with `--json`",
    "Version 1 of the contract.",
    (
        _command(("list",), runtime_skills.SkillsJson),
        _command(("info",), runtime_skills.SkillInfoJson),
        _command(("why",), runtime_scores.ScoreJson, runtime_scores.ThresholdJson),
        _command(("trace",), runtime_scores.ForecastJson),
        _command(("status",), runtime_status.StatusJson),
        _command(("activate",), runtime_acts.ActivationJson),
        _command(("deactivate",), runtime_acts.DeactivationJson),
        _command(("call",), runtime_acts.CalledJson, exits=(0, 1)),
        _command(("run",), runtime_acts.WorkflowJson),
        _command(("run",), runtime_acts.FailedWorkflowJson, exits=(1,)),
        _command(_PLANNED, runtime_acts.PlanJson, exits=(0, 1)),
        _command(("scan",), runtime_scan.ScanJson, exits=(0, 1)),
        _command(("transform",), runtime_acts.TransformedJson, exits=(0, 1)),
        _command(("wiki",), runtime_acts.WikiJson, exits=(0, 1)),
        _command((*_PLANNED, "deactivate", "hooks"), runtime_acts.QuestionsJson, exits=(3,)),
        _command(("hooks",), runtime_acts.HooksJson),
        _command(("permissions",), runtime_permissions.PermissionsJson),
        _command(("audit",), runtime_permissions.AuditJson),
        _command(("dirs add", "dirs list", "dirs remove"), runtime_acts.DirsJson, remarks=False),
        _command(("test",), runtime_testing.SkillTestsJson, exits=(0, 1, 2), remarks=False),
        _command(("test",), runtime_testing.RecordedJson, remarks=False),
        _command(("replay",), runtime_testing.ReplayJson, exits=(0, 1), remarks=False),
        _command(("dev",), runtime_dev.DevJson, exits=(0, 1), remarks=False),
        _command(("hook",), runtime_acts.EventAnswerJson, remarks=False),
    ),
    failure=Command((), (MistakeJson,), (1, 2, 3, 4)),
)
