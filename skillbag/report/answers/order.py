"""The answers of `order` and `winner`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.report.answers.inputs import QuestionJson, at, questions_json
from skillbag.report.answers.refresh import SessionPartJson
from skillbag.report.answers.types import ASK_FIRST_MEANS, ExecutionId, File, LevelName, Line, SkillName, Text
from skillbag.session.inputs.questions import Question
from skillbag.session.order.conflicts import Winner
from skillbag.session.order.order import Order, RunReason
from skillbag.session.refresh.refresh import Refresh
from skillbag.session.skills.skills import execution_id


class TurnJson(NamedTuple):
    """A skill to run."""

    name: SkillName
    phase: Annotated[RunReason, "Why it runs."]
    because: Annotated[Text, "The tag, or what chose it."]
    file: File
    line: Line
    run: ExecutionId


class DisabledJson(NamedTuple):
    """A tag or a skill without effect."""

    skill: SkillName
    tag: Annotated[str, "Empty for the whole skill."]
    why: Text
    file: File
    line: Line


class OrderJson(NamedTuple):
    """The skills to run, and what was disabled."""

    order: Annotated[tuple[TurnJson, ...], "The skills to run, in this order, each once."]
    disabled: Annotated[tuple[DisabledJson, ...], "Tags and skills without effect, and the reason."]

    @classmethod
    def of(cls, order: Order) -> OrderJson:
        """Each turn with its reason."""
        turns = (TurnJson(*turn[:3], *at(turn.place), execution_id(turn.name)) for turn in order.turns)
        return cls(tuple(turns), tuple(DisabledJson(*each[:3], *at(each.place)) for each in order.disabled))


class ProhibitedJson(NamedTuple):
    """The questions of an order."""

    questions: Annotated[
        tuple[QuestionJson, ...],
        "Questions about chosen skills that a context file prohibits; these are not in `order`.",
    ]


class HiddenRuleJson(NamedTuple):
    """An overridden rule about the same skills."""

    winner: Text
    level: LevelName
    file: File
    line: Line


class WinnerJson(NamedTuple):
    """Which of several skills wins."""

    skills: Annotated[tuple[SkillName, ...], "The contradicting skills, as given."]
    winner: Annotated[SkillName | None, "Null if the user must be asked."]
    level: Annotated[
        str | None,
        fits(enum=("conversation", "user-context", "context", "alphabet", None)),
        "The level that decides; `alphabet` if no rule does.",
    ]
    why: Annotated[str, "One sentence."]
    file: File
    line: Line
    hidden: Annotated[tuple[HiddenRuleJson, ...], "Overridden rules about the same skills."]
    questions: tuple[QuestionJson, ...]
    ask_first: Annotated[str, ASK_FIRST_MEANS]

    @classmethod
    def of(cls, verdict: Winner) -> WinnerJson:
        """The verdict; where no rule decides, the name does."""
        level = verdict.level.label if verdict.level else "alphabet" if verdict.winner else None
        hidden = (HiddenRuleJson(rule.winner, rule.level.label, *at(rule.place)) for rule in verdict.hidden)
        questions = questions_json([verdict.question] if verdict.question else [])
        return cls(
            verdict.skills,
            verdict.winner,
            level,
            verdict.why,
            *at(verdict.place),
            tuple(hidden),
            questions,
            verdict.ask_first,
        )


def response_json(
    order: Order, questions: Iterable[Question], session: str | None, pending: Refresh | None
) -> tuple[OrderJson, ProhibitedJson, SessionPartJson]:
    """The order before a response, with what must be asked, in a session, if there is one."""
    return OrderJson.of(order), ProhibitedJson(questions_json(questions)), SessionPartJson.of(session, pending)
