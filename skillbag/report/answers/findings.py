"""What `check --json` prints: `schemas/findings.schema.json` is made of it."""

from __future__ import annotations

from skillbag.kernel.base.json_records import ABSENT, Absent, fits
from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    from skillbag.kernel.model.findings import Severity
    from skillbag.kernel.model.timing import Timing
    from skillbag.report.answers.edits import EditJson
    from skillbag.report.answers.types import Count, OneBased, PathText, Text


class TargetJson(NamedTuple):
    """A workspace, a source or a folder of skills that was checked, with the plugins and marketplaces in it."""

    kind: Annotated[str, fits(enum=("workspace", "source", "skills"))]
    root: PathText
    skills: Count
    files: Count
    plugins: Count
    marketplaces: Count


class NotJudgedJson(NamedTuple):
    """A SKILL.md that was not checked as a skill, or a text that was not read, or not as code."""

    path: PathText
    reason: Annotated[Text, "Why it was not checked."]


class SameCauseJson(NamedTuple):
    """One of the places that a finding is about."""

    path: PathText
    line: Annotated[OneBased, "1-based."]
    column: Annotated[OneBased, "1-based, in Unicode code points."]
    end_line: Annotated[OneBased, "Of the end, which is exclusive; that of the start for a point."]
    end_column: Annotated[OneBased, "Of the end, which is exclusive; that of the start for a point."]
    message: Annotated[Text, "What is wrong there; secrets are masked."]


class FindingJson(NamedTuple):
    """A finding."""

    rule: Annotated[Text, "The rule's id."]
    clause: Annotated[
        str | None, fits(minLength=1), "The id of the standard's clause; null for a rule beyond the standard."
    ]
    level: Annotated[Severity, "From the clause's MUST, SHOULD or MAY."]
    path: PathText
    line: Annotated[OneBased, "1-based."]
    column: Annotated[OneBased, "1-based, in Unicode code points."]
    end_line: Annotated[OneBased, "Of the end, which is exclusive; that of the start for a point."]
    end_column: Annotated[OneBased, "Of the end, which is exclusive; that of the start for a point."]
    message: Annotated[Text, "One sentence; secrets are masked."]
    fix: Annotated[str | None, "What to do; null if there is no single answer."]
    fixable: Annotated[bool, "Whether `check --fix` can fix it."]
    edits: Annotated[
        tuple[EditJson, ...],
        "What `check --fix` would do: all edits of a finding together. Empty if there is no safe fix, or if an edit"
        " would show a secret. Of edits that overlap, the first is applied; equal edits of several findings are one."
        " Another check shows what they uncover. Texts are UTF-8; a byte order mark at the start of a file stays.",
    ]
    installed: Annotated[
        bool,
        "Whether it is in an installed skill that matches `skillbag.lock`: another author's text, in which only errors"
        " fail the run.",
    ]
    url: Annotated[
        str | None, fits(minLength=1), "The address of the rule's page; null for a team's rule that names none."
    ]
    places: Annotated[
        tuple[SameCauseJson, ...],
        "All places of a finding that stands for several with one cause, its own first; empty for any other.",
    ]


class SummaryJson(NamedTuple):
    """How much was read, and the number of findings of each level."""

    files: Count
    skills: Count
    errors: Count
    warnings: Count
    notes: Count
    test_data: Annotated[Count, "Files of tests, which only rules about security judge; `not_judged` names them."]


class CheckJson(NamedTuple):
    """What was found. The exit code is 1 if findings fail the run."""

    targets: Annotated[tuple[TargetJson, ...], "What was checked."]
    findings: Annotated[tuple[FindingJson, ...], "Sorted by path, line, column and rule."]
    not_judged: Annotated[
        tuple[NotJudgedJson, ...],
        "Each SKILL.md that was not checked as a skill, each text that was not read, or not as code, and each file of"
        " tests, by path.",
    ]
    summary: SummaryJson
    timing: Timing | Absent = ABSENT
