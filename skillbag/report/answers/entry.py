"""The answer of `enter`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.transaction.agreed_steps import ExtraSteps
from skillbag.report.answers.inputs import NoteJson, QuestionJson, at, questions_json
from skillbag.report.answers.order import OrderJson
from skillbag.report.answers.runs import InvocationJson
from skillbag.report.answers.types import ExecutionId, File, LevelName, Line, Owner, SkillName, Text, Typed
from skillbag.report.catalog import described
from skillbag.report.entry import address, is_left_out, setting_value, whole
from skillbag.session.entry.entry import EntryReport, EntryStatus
from skillbag.session.order.order import INITIALISE
from skillbag.session.settings.effective_settings import EffectiveSetting, Statement, Tagging
from skillbag.session.skills.skills import CatalogSkill, execution_id


class SettingJson(NamedTuple):
    """A setting of the context files."""

    kind: Statement
    skill: Owner
    name: Annotated[str, "The parameter; the tag; `source` or `version` of an override; else empty."]
    value: Annotated[
        Typed | None,
        "The value; null if it removes an earlier one, or for a prohibited skill. `add` or `remove` for a tag, the "
        "skills for a winner.",
    ]
    level: LevelName
    file: File
    line: Line
    effective: Annotated[bool, "Whether it is effective: no other setting overrides it."]

    @classmethod
    def of(cls, setting: EffectiveSetting) -> SettingJson:
        """One setting; no secret is in it."""
        value = setting_value(setting)
        head = (setting.kind, setting.skill, setting.name, value and value.value, setting.level.label)
        return cls(*head, *at(setting.place), effective=setting.is_effective)


class CutJson(NamedTuple):
    """A shortened file, and the line from which to read on."""

    file: File
    line: Line


class CatalogSkillJson(NamedTuple):
    """A skill in the catalog."""

    name: SkillName
    run: ExecutionId
    description: str
    tags: Annotated[tuple[Text, ...], "The effective tags, with those that the user context adds and removes."]


class MissingJson(NamedTuple):
    """A declared skill that is not installed."""

    name: SkillName
    source: Annotated[str | None, "As declared, without credentials."]
    version: Annotated[str | None, "As declared."]
    file: File
    line: Line


class EntryJson(NamedTuple):
    """The report of a workspace entry."""

    session: Annotated[Text, "The session's id, for later commands."]
    root: Annotated[Text, "The workspace's absolute path."]
    status: Annotated[
        EntryStatus,
        "`already`: the session had entered; nothing was read, and the lists are empty. `again`: the report was "
        "repeated.",
    ]
    ready: Annotated[bool, "Whether nothing is missing and there are no questions."]
    read: Annotated[tuple[Text, ...], "The files that were read, in this order, relative to the workspace, with `/`."]
    settings: Annotated[tuple[SettingJson, ...], "The settings of the context files, including overridden ones."]
    prose: Annotated[
        Mapping[str, str],
        "The prose of the files, outside of their blocks, by path; complete except for the files in `cut`.",
    ]
    cut: Annotated[tuple[CutJson, ...], "The shortened files, and the line from which to read on."]
    catalog: Annotated[tuple[CatalogSkillJson, ...], "The skills in the catalog."]


class EntryRestJson(NamedTuple):
    """What follows from it."""

    always: Annotated[
        tuple[InvocationJson, ...], "The `#run/always` skills, each with its instructions or its questions."
    ]
    missing: Annotated[tuple[MissingJson, ...], "Declared skills that are not installed."]
    steps: Annotated[tuple[ExtraSteps, ...], "Accepted extra installation steps of the installed skills."]
    install: Annotated[
        str | None, fits(enum=("skillbag install", None)), "The command that installs them; null if nothing is missing."
    ]
    questions: Annotated[
        tuple[QuestionJson, ...], "All of them: those about missing skills, then those of the skills in `always`."
    ]
    notes: Annotated[tuple[NoteJson, ...], "Entries of the context files without effect."]
    active_skills: Annotated[
        tuple[Text, ...], "The names of the active skills (`SKILL.yaml`) of the workspace and of the user."
    ]


def catalog_json(catalog: Iterable[CatalogSkill], tagging: Tagging) -> tuple[CatalogSkillJson, ...]:
    """Skills of the catalog with their effective tags."""
    return tuple(
        CatalogSkillJson(each.name, execution_id(each.name), described(each, tagging), tagging.texts(each.name))
        for each in catalog
    )


def entry_json(report: EntryReport, active: Sequence[str] = ()) -> tuple[EntryJson, OrderJson, EntryRestJson]:
    """The report; of a session that has entered already, the lists are empty. `active` are names of active skills."""
    first = EntryJson(
        report.session,
        report.root,
        report.status,
        report.ready,
        report.read,
        tuple(map(SettingJson.of, report.stated)),
        {prose.path: whole(prose, prose.words) for prose in report.prose},
        tuple(CutJson(prose.path, 1) for prose in report.prose if is_left_out(prose)),
        catalog_json(report.catalog, report.tagging),
    )
    rest = EntryRestJson(
        tuple(map(InvocationJson.of, report.always)),
        tuple(MissingJson(each.name, address(each.source), each.version, *at(each.place)) for each in report.missing),
        report.steps,
        INITIALISE if report.missing else None,
        questions_json(report.questions),
        tuple(map(NoteJson.of, report.remarks)),
        tuple(active),
    )
    return first, OrderJson.of(report.order), rest
