"""Why skills are activated: the parts of their scores, and what the prompt takes of them (skill runtime, section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from skillbag.report.answers.types import Count, Reason, Text
from skillbag.report.columns import table
from skillbag.report.views import Columns, lines_view, table_view
from skillbag.runtime.sessions.preview import Forecast
from skillbag.runtime.triggers.budget import Fragment, Inclusion
from skillbag.runtime.triggers.triggers import Scored, ScorePart

_NO_TRIGGERS = "It has no triggers: it is activated only by its name."


class ScoreJson(NamedTuple):
    """The score of one skill."""

    skill: Text
    score: Count
    activates: Annotated[bool, "Whether it would be activated."]
    reason: Reason
    parts: Annotated[tuple[ScorePart, ...], "The parts of the score."]

    @classmethod
    def of(cls, forecast: Forecast, item: Scored) -> ScoreJson:
        """The score of a skill, and what follows of it."""
        name, (total, parts) = item.skill.name, item.score
        is_enough = total >= forecast.threshold_of(item)
        reason = forecast.refused.get(name, "")
        return cls(name, total, is_enough and name not in forecast.refused, reason, parts)


class ThresholdJson(NamedTuple):
    """The score from which the skill is activated."""

    threshold: Count


class FragmentJson(NamedTuple):
    """What the prompt takes of a skill."""

    skill: Text
    inclusion: Inclusion
    tokens: Count
    wanted: Annotated[Count, "Tokens of the whole fragment."]
    reason: Reason

    @classmethod
    def of(cls, each: Fragment) -> FragmentJson:
        """One fragment, without its text."""
        return cls(each.skill, each.inclusion, each.tokens, each.wanted, each.reason)


class BudgetJson(NamedTuple):
    """Tokens of the prompt: of all skills, of one at most, and those used."""

    total: Count
    skill: Count
    used: Count
    fragments: tuple[FragmentJson, ...]


class ForecastJson(NamedTuple):
    """What a message would bring about."""

    threshold: Count
    project_threshold: Annotated[Count, "The threshold of the project's own skills."]
    skills: Annotated[tuple[ScoreJson, ...], "The best first."]
    activation: Annotated[tuple[Text, ...], "What would be activated, in this order, with what is needed."]
    budget: BudgetJson

    @classmethod
    def of(cls, forecast: Forecast) -> ForecastJson:
        """All scores, what would be activated, and the prompt budget."""
        skills = tuple(ScoreJson.of(forecast, item) for item in forecast.scored)
        fragments = tuple(map(FragmentJson.of, forecast.fragments))
        used = sum(each.tokens for each in fragments)
        budget = BudgetJson(forecast.budget.total, forecast.budget.skill, used, fragments)
        return cls(forecast.threshold, forecast.project_threshold, skills, forecast.activation, budget)


_SCORES: Columns[ScoreJson] = {
    "SKILL": lambda each: each.skill,
    "SCORE": lambda each: str(each.score),
    "PARTS": lambda each: ", ".join(f"{part.kind} {part.pattern} {part.points}" for part in each.parts) or "-",
}


def why_json(forecast: Forecast, item: Scored) -> tuple[ScoreJson, ThresholdJson]:
    """The score of one skill."""
    return ScoreJson.of(forecast, item), ThresholdJson(forecast.threshold_of(item))


def why_text(forecast: Forecast, item: Scored) -> str:
    """The score of one skill: its parts, and what follows of it."""
    lines = [f"{item.skill.name}: score {item.score.total}, threshold {forecast.threshold_of(item)}"]
    rows = [(str(part.points), part.kind, *_matched(part.pattern, part.matched)) for part in item.score.parts]
    lines += table(rows, right={0}, indent="  ") if rows else []
    return lines_view([*lines, _verdict(forecast, item)])


def trace_text(found: ForecastJson, forecast: Forecast) -> str:
    """All scores as a table, what would be activated, and the prompt budget."""
    return lines_view(_trace(found, forecast))


def _trace(found: ForecastJson, forecast: Forecast) -> Iterator[str]:
    if not found.skills:
        yield "No skills found."
        return
    yield from table_view(_SCORES, found.skills, right={1})
    yield ""
    higher = found.project_threshold
    own = f", skills of the project from {higher} on" if higher > found.threshold else ""
    yield f"Activated from {found.threshold} on{own}, in this order: {', '.join(found.activation) or 'none'}"
    for name, reason in forecast.refused.items():
        yield f"Not activated: {name}: {reason}"
    yield ""
    budget = found.budget
    yield f"Prompt: {budget.used} of {budget.total} tokens, at most {budget.skill} a skill"
    yield from table([_fragment(each) for each in budget.fragments], indent="  ") if budget.fragments else ()


def _verdict(forecast: Forecast, item: Scored) -> str:
    if reason := forecast.refused.get(item.skill.name):
        return f"It can't be activated: {reason}"
    if item.score.total >= forecast.threshold_of(item):
        return "It would be activated."
    return "It would not be activated." if any(item.skill.manifest.triggers) else _NO_TRIGGERS


def _matched(pattern: str, matched: str) -> tuple[str, str]:
    return (pattern, "" if matched == pattern else f"matches {matched}")


def _fragment(each: FragmentJson) -> tuple[str, str, str]:
    rest = each.reason or ("" if each.inclusion is Inclusion.INCLUDED else f"of {each.wanted}")
    return (each.skill, each.inclusion, f"{each.tokens} {rest}".strip())
