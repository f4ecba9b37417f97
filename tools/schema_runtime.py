"""The published schema of what the commands of `skillbag runtime` print."""

from __future__ import annotations

from schemas import Command, Family
from skillbag.report.answers.types import MistakeJson, RemarksJson
from skillbag.report.runtime import (
    acts,
    dev,
    permissions,
    scan,
    scores,
    skills,
    status,
    testing,
)

_PLANNED = ("activate", "call", "run", "scan", "transform", "wiki")


def _command(names: tuple[str, ...], *records: type, exits: tuple[int, ...] = (0,), remarks: bool = True) -> Command:
    """An answer of these commands; nearly all end with remarks."""
    return Command(tuple(f"runtime {name}" for name in names), (*records, *((RemarksJson,) if remarks else ())), exits)


RUNTIME = Family(
    "runtime",
    "What every command of `skillbag runtime` prints with `--json`",
    "Version 1 of the contract.",
    (
        _command(("list",), skills.SkillsJson),
        _command(("info",), skills.SkillInfoJson),
        _command(("why",), scores.ScoreJson, scores.ThresholdJson),
        _command(("trace",), scores.ForecastJson),
        _command(("status",), status.StatusJson),
        _command(("activate",), acts.ActivationJson),
        _command(("deactivate",), acts.DeactivationJson),
        _command(("call",), acts.CalledJson, exits=(0, 1)),
        _command(("run",), acts.WorkflowJson),
        _command(("run",), acts.FailedWorkflowJson, exits=(1,)),
        _command(_PLANNED, acts.PlanJson, exits=(0, 1)),
        _command(("scan",), scan.ScanJson, exits=(0, 1)),
        _command(("transform",), acts.TransformedJson, exits=(0, 1)),
        _command(("wiki",), acts.WikiJson, exits=(0, 1)),
        _command((*_PLANNED, "deactivate", "hooks"), acts.QuestionsJson, exits=(3,)),
        _command(("hooks",), acts.HooksJson),
        _command(("permissions",), permissions.PermissionsJson),
        _command(("audit",), permissions.AuditJson),
        _command(("dirs add", "dirs list", "dirs remove"), acts.DirsJson, remarks=False),
        _command(("test",), testing.SkillTestsJson, exits=(0, 1, 2), remarks=False),
        _command(("test",), testing.RecordedJson, remarks=False),
        _command(("replay",), testing.ReplayJson, exits=(0, 1), remarks=False),
        _command(("dev",), dev.DevJson, exits=(0, 1), remarks=False),
        _command(("hook",), acts.EventAnswerJson, remarks=False),
    ),
    failure=Command((), (MistakeJson,), (1, 2, 3, 4)),
)
