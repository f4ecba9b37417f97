"""The inputs of a skill, as JSON and as short text: what counts, who says so, what it hides, what must be asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillbag.lifecycle.diagnostics import Remark
from skillbag.lifecycle.inputs import Input, Resolution
from skillbag.lifecycle.persistence.redaction import redacted
from skillbag.lifecycle.skills import execution_id
from skillbag.lifecycle.value import Value
from skillbag.lifecycle.value_sources import Candidate
from skillbag.report.lifecycle_text import not_yet_line, question_lines
from skillbag.report.lifecycle_values import place_values, question_values, value_values
from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.report.sanitize import exact, shown

MOST_HIDDEN = 10
"""Of the values that a parameter hides, so many are shown to a reader."""

_NOTHING = {"value": None, "written": None, "level": None, "file": None, "line": None}


def resolution_values(resolution: Resolution, voice: Phrasing = COMMANDS) -> dict[str, Any]:
    """What `resolve` says in JSON; `voice` says how its questions are answered."""
    return {
        "skill": resolution.skill,
        "ready": resolution.ready,
        "parameters": [parameter_values(one) for one in resolution.inputs],
        "questions": [question_values(one, voice) for one in resolution.questions],
        "notes": [note_values(one) for one in resolution.remarks],
    }


def parameter_values(parameter: Input) -> dict[str, Any]:
    """One parameter: its effective value, all null where it has none, and those that are hidden, best first."""
    return {
        "name": exact(parameter.name),
        "required": parameter.required,
        **(_candidate_values(parameter, parameter.effective) if parameter.effective else _NOTHING),
        "hidden": [{**_candidate_values(parameter, one), "dropped": exact(one.dropped)} for one in parameter.hidden],
    }


def note_values(remark: Remark) -> dict[str, Any]:
    """Something in a file that has no effect."""
    return {**place_values(remark.place), "text": exact(remark.text)}


def resolution_text(resolution: Resolution) -> str:
    """What `resolve` says to a reader: each input, what stands in its way, and how to go on."""
    return "\n".join([*_lines(resolution), ""])


def parameter_line(parameter: Input) -> str:
    """An effective parameter: `- format = pdf (user-context, USER_CONTEXT.md:5)`; one without a value says so."""
    if parameter.effective is None:
        return shown(f"- {parameter.name}: no value")
    value = _value(parameter, parameter.effective)
    return shown(f"- {parameter.name} = {value.short if value.is_blank else value.written} {_by(parameter.effective)}")


def parameter_lines(parameter: Input) -> Iterator[str]:
    """The same, and below it the values that it hides or that do not count."""
    yield parameter_line(parameter)
    for hidden in parameter.hidden[:MOST_HIDDEN]:
        yield shown(f"    {_hidden(parameter, hidden)}")
    if len(parameter.hidden) > MOST_HIDDEN:
        yield f"    … and {len(parameter.hidden) - MOST_HIDDEN} more"


def note_line(remark: Remark) -> str:
    """Something in a file that has no effect."""
    return shown(f"Note: {remark.place}: {remark.text}")


def _lines(resolution: Resolution) -> Iterator[str]:
    if resolution.questions:
        yield not_yet_line(resolution.skill, resolution.questions)
    else:
        yield f"{resolution.skill} is ready: skillbag run {execution_id(resolution.skill)}"
    for one in resolution.inputs:
        yield from parameter_lines(one)
    yield from question_lines(resolution.questions)
    yield from map(note_line, resolution.remarks)


def _hidden(parameter: Input, candidate: Candidate) -> str:
    given = f"{_value(parameter, candidate).short} {_by(candidate)}"
    return f"not {given}: {candidate.dropped}" if candidate.dropped else f"hides {given}"


def _by(candidate: Candidate) -> str:
    return f"({candidate.level.label}, {candidate.place})" if candidate.place else f"({candidate.level.label})"


def _candidate_values(parameter: Input, candidate: Candidate) -> dict[str, Any]:
    value = _value(parameter, candidate)
    return {**value_values(value), "level": candidate.level.label, **place_values(candidate.place)}


def _value(parameter: Input, candidate: Candidate) -> Value:
    return redacted(parameter.name, candidate.value, candidate.level)
