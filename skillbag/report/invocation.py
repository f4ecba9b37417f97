"""A run of a skill, for an agent's context window and as JSON: `skillbag run` and `skillbag enter` show it alike."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from skillbag.lifecycle.inputs import Input
from skillbag.lifecycle.invocation import Invocation, Worth
from skillbag.lifecycle.order import Phase, Turn
from skillbag.lifecycle.questions import QuestionKind
from skillbag.lifecycle.skills import execution_id
from skillbag.lifecycle.value import Value, parse_value
from skillbag.report.inputs import note_line, note_values, parameter_line, parameter_lines, parameter_values
from skillbag.report.lifecycle_text import not_yet_line, question_lines
from skillbag.report.lifecycle_values import plain, question_values
from skillbag.report.shown import exact, shown, shown_page


def invocation_text(invocation: Invocation, session: str | None = None) -> str:
    """The instructions and what belongs to them, or what must be asked first; ends without a line end.

    The commands that it names are those of the session, if there is one.
    """
    notes = "\n".join(map(note_line, invocation.resolution.remarks))
    blocks = [_questions(invocation, session)] if invocation.questions else _blocks(invocation, session)
    return "\n\n".join(filter(None, [*blocks, notes]))


def invocation_values(invocation: Invocation) -> dict[str, Any]:
    """The same as JSON; no secret is in it."""
    return {
        "skill": invocation.skill,
        "run": invocation.run_as,
        "ready": invocation.ready,
        "instructions": exact(invocation.instructions),
        "parameters": [parameter_values(one) for one in invocation.resolution.inputs],
        "questions": [question_values(one) for one in invocation.questions],
        "files": [exact(file) for file in invocation.files],
        "file_count": invocation.file_count,
        "allowed_tools": exact(invocation.allowed_tools),
        "companions": [_turn_values(turn) for turn in invocation.companions],
        "remember": [_worth_values(invocation.skill, worth) for worth in invocation.worth],
        "notes": [note_values(one) for one in invocation.resolution.remarks],
    }


def _turn_values(turn: Turn) -> dict[str, Any]:
    return {"name": turn.name, "run": execution_id(turn.name), "phase": turn.phase.value}


def _questions(invocation: Invocation, session: str | None) -> str:
    first = not_yet_line(invocation.skill, invocation.questions)
    return "\n".join([first, *question_lines(invocation.questions), *_without_missing(invocation, session)])


def _without_missing(invocation: Invocation, session: str | None) -> Iterator[str]:
    """How to go on where the user does not want what is missing to be installed."""
    if any(one.kind is QuestionKind.DEPENDENCY for one in invocation.questions):
        yield shown(f"Without what is missing: skillbag run {invocation.run_as}{_within(session)} --incomplete")


def _blocks(invocation: Invocation, session: str | None) -> Iterator[str]:
    yield f"# Skill: {invocation.skill}"
    yield shown(f"Allowed tools: {invocation.allowed_tools}") if invocation.allowed_tools else ""
    yield shown_page(invocation.instructions)
    for title, lines in _sections(invocation, session):
        if lines:
            yield f"## {title}\n\n" + "\n".join(lines)


def _sections(invocation: Invocation, session: str | None) -> Iterator[tuple[str, list[str]]]:
    yield "Effective parameters", [line for one in invocation.resolution.inputs for line in _parameter(one)]
    yield "Supporting files", _files(invocation)
    yield "Companions", _companions(invocation.companions, session)
    yield "Worth remembering", [shown(f"- {_command(invocation.skill, worth)}") for worth in invocation.worth]


def _parameter(one: Input) -> Iterator[str]:
    """One that has no value is passed over, unless the instructions name a default that may not be taken."""
    if one.effective:
        yield parameter_line(one)
    elif one.hidden:
        yield from parameter_lines(one)


def _files(invocation: Invocation) -> list[str]:
    more = invocation.file_count - len(invocation.files)
    return [*(shown(f"- {file}") for file in invocation.files), *([f"- … and {more} more"] if more else [])]


def _companions(companions: tuple[Turn, ...], session: str | None) -> list[str]:
    if not companions:
        return []
    lines = [f"- skillbag run {execution_id(turn.name)}{_within(session)}{_when(turn)}" for turn in companions]
    return ["Then run, in this order:", "", *map(shown, lines)]


def _within(session: str | None) -> str:
    return f" --session {shlex.quote(session)}" if session else ""


def _when(turn: Turn) -> str:
    return " (#run/last: after every other skill)" if turn.phase is Phase.LAST else ""


def _command(skill: str, worth: Worth) -> str:
    return f"skillbag remember {shlex.quote(f'{worth.name}={_typed_in(worth.value)}')} --skill {skill}"


def _typed_in(value: Value) -> str:
    """How a value is typed on a command line to be read as the same: a text that looks like a number needs quotes."""
    if parse_value(value.written) == value:
        return value.written
    return json.dumps(value.value, ensure_ascii=False)


def _worth_values(skill: str, worth: Worth) -> dict[str, Any]:
    command = exact(_command(skill, worth))
    return {"name": exact(worth.name), "value": plain(worth.value.value), "command": command}
