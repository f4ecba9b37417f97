"""The objects of SARIF 2.1.0 that a report has; the keys are the standard's."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag.kernel.base.json_records import ABSENT, Absent
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.model.findings import Severity


class SarifMessage(NamedTuple):
    """A text, or a description."""

    text: str
    markdown: str | Absent = ABSENT


class Artifact(NamedTuple):
    """A file: an absolute address, or one below that of `uriBaseId`."""

    uri: str
    uriBaseId: str | Absent = ABSENT


class TextRegion(NamedTuple):
    """A part of a text; columns count code points."""

    startLine: int
    startColumn: int
    endLine: int
    endColumn: int


class Replaced(NamedTuple):
    """New text for a part of a file."""

    deletedRegion: TextRegion
    insertedContent: SarifMessage


class ArtifactChange(NamedTuple):
    """All replacements in one file."""

    artifactLocation: Artifact
    replacements: list[Replaced]


class Fix(NamedTuple):
    """What makes a result disappear."""

    description: SarifMessage | Absent
    artifactChanges: list[ArtifactChange]


class PhysicalLocation(NamedTuple):
    """A place in a file."""

    artifactLocation: Artifact
    region: TextRegion


class ResultLocation(NamedTuple):
    """Where a result is."""

    physicalLocation: PhysicalLocation


class SarifResult(NamedTuple):
    """A finding."""

    ruleId: str
    ruleIndex: int | Absent
    level: Severity
    message: SarifMessage
    locations: tuple[ResultLocation]
    partialFingerprints: Mapping[str, str]
    fixes: tuple[Fix, ...] | Absent
    properties: Mapping[str, bool] | Absent


class Configuration(NamedTuple):
    """How severe the findings of a rule are."""

    level: Severity


class ReportingDescriptor(NamedTuple):
    """A rule; `properties` are those that GitHub reads."""

    id: str
    shortDescription: SarifMessage
    fullDescription: SarifMessage
    help: SarifMessage
    helpUri: str | Absent
    defaultConfiguration: Configuration
    properties: Mapping[str, str | list[str]]


class SarifDriver(NamedTuple):
    """The program, with its rules."""

    name: str
    semanticVersion: str
    informationUri: str
    rules: list[ReportingDescriptor]


class Notification(NamedTuple):
    """What the program says about its run."""

    level: Severity
    message: SarifMessage


class SarifInvocation(NamedTuple):
    """A run of the program."""

    executionSuccessful: bool
    toolExecutionNotifications: tuple[Notification] | Absent
