"""The inputs of a skill, as short text: values, their places, what they hide, and questions."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.report.lifecycle_parts import not_yet_line, question_lines
from skillbag.report.sanitize import shown
from skillbag.session.inputs.inputs import Input, ResolvedInputs
from skillbag.session.inputs.levels import Candidate
from skillbag.session.persistence.redaction import redacted
from skillbag.session.settings.settings import Remark
from skillbag.session.settings.value import Value
from skillbag.session.skills.skills import execution_id

MAX_HIDDEN = 10
"""Values hidden by a parameter that the text shows."""


def resolution_text(resolution: ResolvedInputs) -> str:
    """The text of `resolve`: each input, the questions, and how to go on."""
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
    for hidden in parameter.hidden[:MAX_HIDDEN]:
        given = f"{_value(parameter, hidden).short} {_by(hidden)}"
        yield shown(f"    not {given}: {hidden.dropped}" if hidden.dropped else f"    hides {given}")
    if len(parameter.hidden) > MAX_HIDDEN:
        yield f"    … and {len(parameter.hidden) - MAX_HIDDEN} more"


def note_line(remark: Remark) -> str:
    """Something in a file that has no effect."""
    return shown(f"Note: {remark.place}: {remark.text}")


def _lines(resolution: ResolvedInputs) -> Iterator[str]:
    if resolution.questions:
        yield not_yet_line(resolution.skill, resolution.questions)
    else:
        yield f"{resolution.skill} is ready: skillbag run {execution_id(resolution.skill)}"
    for parameter in resolution.inputs:
        yield from parameter_lines(parameter)
    yield from question_lines(resolution.questions)
    yield from map(note_line, resolution.remarks)


def _by(candidate: Candidate) -> str:
    return f"({candidate.level.label}, {candidate.place})" if candidate.place else f"({candidate.level.label})"


def _value(parameter: Input, candidate: Candidate) -> Value:
    return redacted(parameter.name, candidate.value, candidate.level)
