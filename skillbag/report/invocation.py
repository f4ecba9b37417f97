"""A run of a skill, for an agent's context window and as JSON: `skillbag run` and `skillbag enter` show it alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillbag.lifecycle.inputs import Input
from skillbag.lifecycle.invocation import Invocation, MemorySuggestion
from skillbag.lifecycle.order import ExecutionStep, Phase
from skillbag.lifecycle.questions import QuestionKind
from skillbag.lifecycle.skills import execution_id
from skillbag.report.inputs import (
    note_line,
    note_values,
    parameter_line,
    parameter_lines,
    parameter_values,
)
from skillbag.report.lifecycle_text import not_yet_line, question_lines
from skillbag.report.lifecycle_values import plain, question_values
from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.report.sanitize import exact, shown, shown_page


def invocation_text(
    invocation: Invocation, session: str | None = None, voice: Phrasing = COMMANDS, arguments: str = ""
) -> str:
    """The instructions and what belongs to them, or what must be asked first; ends without a line end.

    The commands that it names are those of the session, if there is one. `arguments` are what the skill is called with,
    in words.
    """
    notes = "\n".join(map(note_line, invocation.resolution.remarks))
    if invocation.questions:
        blocks = [_questions(invocation, session, voice)]
    else:
        blocks = [*_head(invocation, voice), *_sections(invocation, session, voice, arguments)]
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
        "remember": [_memory_suggestion_values(invocation.skill, worth) for worth in invocation.worth],
        "notes": [note_values(one) for one in invocation.resolution.remarks],
    }


def _turn_values(turn: ExecutionStep) -> dict[str, Any]:
    return {"name": turn.name, "run": execution_id(turn.name), "phase": turn.phase.value}


def _questions(invocation: Invocation, session: str | None, voice: Phrasing) -> str:
    lines = [
        not_yet_line(invocation.skill, invocation.questions),
        *question_lines(invocation.questions, voice),
    ]
    if any(one.kind is QuestionKind.DEPENDENCY for one in invocation.questions):
        lines.append(shown(voice.without_missing(invocation.skill, session)))
    return "\n".join(lines)


def _head(invocation: Invocation, voice: Phrasing) -> Iterator[str]:
    yield f"# Skill: {invocation.skill}"
    yield shown(voice.allowed(invocation))
    yield shown_page(invocation.instructions)


def _sections(invocation: Invocation, session: str | None, voice: Phrasing, arguments: str) -> Iterator[str]:
    # On the line after the title, as the published protocol has it.
    yield f"## Arguments\n{shown_page(arguments.strip())}" if arguments.strip() else ""
    parameters = [line for one in invocation.resolution.inputs for line in _parameter(one)]
    yield section("Effective parameters", parameters)
    title, files = voice.files(invocation)
    yield section(title, map(shown, files))
    yield section("Companions", _companions(invocation.companions, session, voice))
    yield section(
        "Worth remembering", [shown(f"- {voice.remember(invocation.skill, one)}") for one in invocation.worth]
    )


def section(title: str, lines: Iterable[str]) -> str:
    """Lines below their title; nothing where there are none."""
    several = list(lines)
    return f"## {title}\n\n" + "\n".join(several) if several else ""


def _parameter(one: Input) -> Iterator[str]:
    """One that has no value is passed over, unless the instructions name a default that may not be taken."""
    if one.effective:
        yield parameter_line(one)
    elif one.hidden:
        yield from parameter_lines(one)


def _companions(companions: tuple[ExecutionStep, ...], session: str | None, voice: Phrasing) -> list[str]:
    if not companions:
        return []
    lines = [f"- {voice.run(turn.name, session)}{_when(turn)}" for turn in companions]
    return [voice.then_run, "", *map(shown, lines)]


def _when(turn: ExecutionStep) -> str:
    return " (#run/last: after every other skill)" if turn.phase is Phase.LAST else ""


def _memory_suggestion_values(skill: str, worth: MemorySuggestion) -> dict[str, Any]:
    command = exact(COMMANDS.remember(skill, worth))
    return {"name": exact(worth.name), "value": plain(worth.value.value), "command": command}
