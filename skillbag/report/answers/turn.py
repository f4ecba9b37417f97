"""The answer of `turn`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from skillbag.report.answers.entry import CatalogSkillJson, SettingJson, catalog_json
from skillbag.report.answers.inputs import QuestionJson, questions_json
from skillbag.report.answers.order import OrderJson
from skillbag.report.answers.refresh import RefreshJson
from skillbag.report.answers.runs import InvocationJson
from skillbag.report.answers.types import SkillName
from skillbag.session.entry.turn_report import TurnReport
from skillbag.session.order.order import Order
from skillbag.session.settings.effective_settings import NO_TAGS


class TurnPartJson(NamedTuple):
    """What an agent does before a response. Where `nothing` is true and nothing was chosen, all lists are empty."""

    entered: Annotated[bool, "Whether this was the session's first command: then settings and catalog are whole."]
    ready: Annotated[bool, "Whether there are no questions."]
    settings: Annotated[tuple[SettingJson, ...], "The settings of the context files, where one of these changed."]
    prose: Annotated[Mapping[str, str], "The prose of the changed files, outside of their blocks, by path."]
    catalog: Annotated[tuple[CatalogSkillJson, ...], "Skills that are new in the catalog, or described anew."]
    runs: Annotated[
        tuple[InvocationJson, ...],
        "The skills of `order` with a new or changed text, with questions, or chosen. A text that the session has is "
        "left out: `instructions` is empty, and the skill is in `known`.",
    ]
    known: Annotated[tuple[SkillName, ...], "The skills of `order` whose text the session has, unchanged."]
    reread: Annotated[tuple[InvocationJson, ...], "Changed skills that the session has read and that do not run now."]
    questions: Annotated[tuple[QuestionJson, ...], "What must be asked first."]


def turn_json(report: TurnReport) -> tuple[RefreshJson, OrderJson, TurnPartJson]:
    """The report; the files of an entry count as changed."""
    entry = report.entry
    order = report.order or Order((), ())
    prose, stated = (entry.prose, entry.stated) if entry else (report.prose, report.stated)
    catalog = entry.catalog if entry else report.catalog
    return (
        RefreshJson.of(report.refresh),
        OrderJson.of(order),
        TurnPartJson(
            entry is not None,
            not report.questions,
            tuple(map(SettingJson.of, stated)),
            {text.path: text.words for text in prose},
            catalog_json(catalog, report.tagging or NO_TAGS),
            tuple(map(InvocationJson.of, report.runs)),
            tuple(step.name for step in order.turns if step.name in report.known),
            tuple(map(InvocationJson.of, report.reread)),
            questions_json(report.questions),
        ),
    )
