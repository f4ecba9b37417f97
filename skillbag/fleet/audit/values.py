"""The records of an audit: what is written of each source, and read again (`schemas/audit.schema.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple

from skillbag.kernel.base.json_reading import JsonShapeError, from_json
from skillbag.kernel.base.json_records import fits
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.kernel.workspace.target import TargetKind

FORMAT = 1
"""The version of the contract: within it nothing is removed, renamed or given another meaning."""

Status = Literal["ok", "failed", "nothing"]
OK: Final = "ok"
FAILED: Final = "failed"
NOTHING: Final = "nothing"
"""The status of a source: it was checked; that failed; it holds nothing to check."""

Number = Annotated[int, fits(minimum=0)]
Format = Annotated[
    int,
    fits(const=FORMAT),
    "The version of this contract. Within a version nothing is removed, renamed or given another meaning.",
]
Seconds = Annotated[float, fits(minimum=0)]
_KINDS = (*(kind.value for kind in SourceKind if not kind.has_releases), None)
_Line = Annotated[int, fits(minimum=1)]


class AuditedTarget(NamedTuple):
    """A workspace, a source or a folder of skills that was checked."""

    kind: TargetKind
    path: str
    skills: Number
    files: Number
    conforms: Annotated[bool, "Whether it conforms to the checked clauses; these do not apply to plain skills."]


class AuditCounts(NamedTuple):
    """Numbers of a source."""

    error: Number
    warning: Number
    note: Number
    suppressed: Annotated[Number, "Findings suppressed by comments in the files."]
    excused: Annotated[Number, "Findings excluded by the audit's configuration."]
    files: Number
    rules: Annotated[Mapping[str, Number], "The number of findings of each rule."]


class AuditedFinding(NamedTuple):
    """A finding."""

    path: str
    line: _Line
    column: _Line
    rule: str
    clause: str | None
    level: Severity
    message: str
    fingerprint: Annotated[str, "A fingerprint that does not depend on line numbers."]


class AuditedSkill(NamedTuple):
    """A skill."""

    name: str
    path: str
    description: str | None
    valid: bool
    tree: Annotated[str | None, "The tree hash, as in the lock; null if a file cannot be read."]
    sketch: Annotated[
        str | None,
        "MinHash of the text of SKILL.md: 126 numbers of 16 bits, little-endian, in base64;"
        " null if there are too few words.",
    ]
    tokens: Annotated[Number, "A quarter of the characters of SKILL.md."]


class AuditedDependency(NamedTuple):
    """A dependency that the target's context, its overrides or its skills declare."""

    target: str
    who: Annotated[str, "The file or skill that declares it."]
    name: str
    source: str | None
    version: str | None
    required: bool
    pinned: Annotated[bool | None, "Whether the version is an exact commit or hash; null without a source."]
    locked: Annotated[bool, "Whether it is in the workspace's lock."]


class Inspected(NamedTuple):
    """What was found in a source that was checked, with paths relative to its root, with `/`."""

    targets: tuple[AuditedTarget, ...]
    counts: AuditCounts
    findings: tuple[AuditedFinding, ...]
    skills: tuple[AuditedSkill, ...]
    dependencies: tuple[AuditedDependency, ...]


class SourceHead(NamedTuple):
    """Which source it is, and how its audit went. What `records_file` needs of a record that it skips comes first."""

    key: Annotated[str, fits(pattern="^[0-9a-f]{64}$"), "The same for two spellings of one source at one version."]
    status: Annotated[
        Status,
        "`ok`: it was checked; `failed`: it could not be checked; `nothing`: it has nothing to check.",
    ]
    run: Annotated[
        str,
        fits(pattern="^[0-9a-f]{32}$"),
        "A hash of everything else that findings depend on: program, standard, rules, configuration.",
    ]
    at: Annotated[str, fits(format="date-time"), "When the source was finished, in UTC."]
    format: Format
    source: Annotated[str, "The source as given, without secrets."]
    kind: Annotated[SourceKind | None, fits(enum=_KINDS), "The kind of source at the address; null if there is none."]
    version: Annotated[str | None, "The requested version."]
    resolved: Annotated[
        str | None,
        "The commit of a git source, `sha256:…` of an archive;"
        " null for a folder and for a source that could not be fetched.",
    ]
    pinned: Annotated[bool | None, "Whether the requested version cannot change; null if there is none."]
    error: Annotated[str | None, "Why it was not checked."]
    seconds: Annotated[Seconds, "The duration."]
    bytes: Annotated[Number, "Bytes fetched for it, compressed."]
    program: Annotated[str, "The version of skillbag."]
    standard: Annotated[str, "The version of the standard."]


class SourceRecord(NamedTuple):
    """The record of one source; `found` is None unless it was checked. Its line has the keys of both."""

    head: SourceHead
    found: Inspected | None


def read_record(value: Any) -> SourceRecord:
    """The record that a value of JSON stands for: files of records are copied between machines, and may hold anything.

    Raises:
        JsonShapeError: it is no record of this format.
    """
    head = from_json(SourceHead, value)
    if head.status != OK:
        if not value.keys().isdisjoint(Inspected._fields):
            raise JsonShapeError(f"expected nothing to be found in a source with the status {head.status}")
        return SourceRecord(head, None)
    found = from_json(Inspected, value)
    if not found.counts.rules.keys() >= {finding.rule for finding in found.findings}:
        raise JsonShapeError("expected a number for the rule of each finding")
    return SourceRecord(head, found)
