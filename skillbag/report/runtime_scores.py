"""Why skills are activated: the parts of their scores, and what the prompt takes of them (skill runtime, section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillbag.report.columns import table
from skillbag.report.encoding import json_object
from skillbag.report.sanitize import exact, shown
from skillbag.runtime.sessions.preview import Forecast
from skillbag.runtime.triggers.budget import Fragment, Inclusion
from skillbag.runtime.triggers.triggers import Scored

_NO_TRIGGERS = "It has no triggers: it is activated only by its name."


def why_values(forecast: Forecast, name: str) -> dict[str, Any]:
    """The score of one skill as JSON."""
    item = _item(forecast, name)
    return {**_scored_values(forecast, item), "threshold": forecast.threshold_of(item)}


def why_text(forecast: Forecast, name: str) -> str:
    """The score of one skill: its parts, and what follows of it."""
    item = _item(forecast, name)
    lines = [f"{name}: score {item.score.total}, threshold {forecast.threshold_of(item)}"]
    rows = [(str(part.points), part.kind, *_matched(part.pattern, part.matched)) for part in item.score.parts]
    lines += table(rows, right={0}, indent="  ") if rows else []
    lines.append(_verdict(forecast, item))
    return "".join(f"{shown(line)}\n" for line in lines)


def trace_values(forecast: Forecast) -> dict[str, Any]:
    """All scores, what would be activated, and the prompt budget, as JSON."""
    return {
        "threshold": forecast.threshold,
        "project_threshold": forecast.project_threshold,
        "skills": [_scored_values(forecast, item) for item in forecast.scored],
        **json_object(activation=forecast.activation),
        "budget": {
            "total": forecast.budget.total,
            "skill": forecast.budget.skill,
            "used": _used(forecast),
            "fragments": [
                json_object(
                    skill=each.skill,
                    inclusion=each.inclusion,
                    tokens=each.tokens,
                    wanted=each.wanted,
                    reason=each.reason,
                )
                for each in forecast.fragments
            ],
        },
    }


def trace_text(forecast: Forecast) -> str:
    """All scores as a table, what would be activated, and the prompt budget."""
    return "".join(f"{shown(line)}\n" for line in _trace(forecast))


def _trace(forecast: Forecast) -> Iterator[str]:
    if not forecast.scored:
        yield "No skills found."
        return
    rows = [(item.skill.name, str(item.score.total), _parts(item)) for item in forecast.scored]
    yield from table([("SKILL", "SCORE", "PARTS"), *rows], right={1})
    yield ""
    higher = forecast.project_threshold
    own = f", skills of the project from {higher} on" if higher > forecast.threshold else ""
    yield f"Activated from {forecast.threshold} on{own}, in this order: {', '.join(forecast.activation) or 'none'}"
    for name, reason in forecast.refused.items():
        yield f"Not activated: {name}: {reason}"
    yield ""
    yield f"Prompt: {_used(forecast)} of {forecast.budget.total} tokens, at most {forecast.budget.skill} a skill"
    yield from table([_fragment(each) for each in forecast.fragments], indent="  ") if forecast.fragments else ()


def _item(forecast: Forecast, name: str) -> Scored:
    return next(item for item in forecast.scored if item.skill.name == name)


def _verdict(forecast: Forecast, item: Scored) -> str:
    name, triggers = item.skill.name, item.skill.manifest.triggers
    if reason := forecast.refused.get(name):
        return f"It can't be activated: {reason}"
    if item.score.total >= forecast.threshold_of(item):
        return "It would be activated."
    if not any(triggers):
        return _NO_TRIGGERS
    return "It would not be activated."


def _scored_values(forecast: Forecast, item: Scored) -> dict[str, Any]:
    name = item.skill.name
    is_enough = item.score.total >= forecast.threshold_of(item)
    return {
        "skill": exact(name),
        "score": item.score.total,
        "activates": is_enough and name not in forecast.refused,
        "reason": exact(forecast.refused.get(name, "")),
        "parts": [
            json_object(kind=part.kind, pattern=part.pattern, points=part.points, matched=part.matched)
            for part in item.score.parts
        ],
    }


def _parts(item: Scored) -> str:
    return ", ".join(f"{part.kind} {part.pattern} {part.points}" for part in item.score.parts) or "-"


def _matched(pattern: str, matched: str) -> tuple[str, str]:
    return (pattern, "" if matched == pattern else f"matches {matched}")


def _fragment(each: Fragment) -> tuple[str, str, str]:
    rest = each.reason or ("" if each.inclusion is Inclusion.INCLUDED else f"of {each.wanted}")
    return (each.skill, each.inclusion, f"{each.tokens} {rest}".strip())


def _used(forecast: Forecast) -> int:
    return sum(each.tokens for each in forecast.fragments)
