"""A run of a skill, for an agent's context window: `skillbag run` and `skillbag enter` show it alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.report.inputs import note_line, parameter_line, parameter_lines
from skillbag.report.lifecycle_parts import not_yet_line, question_lines
from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.report.sanitize import shown, shown_page
from skillbag.session.entry.invocation import Invocation
from skillbag.session.inputs.inputs import Input
from skillbag.session.inputs.questions import QuestionKind
from skillbag.session.order.order import ExecutionStep, RunReason


def invocation_text(
    invocation: Invocation, session: str | None = None, voice: Phrasing = COMMANDS, arguments: str = ""
) -> str:
    """The instructions and what belongs to them, or what must be asked first; ends without a line end.

    The commands that it names are those of the session, if there is one. `arguments` is the text that the skill is
    called with.
    """
    notes = "\n".join(map(note_line, invocation.resolution.remarks))
    if invocation.questions:
        blocks = [_questions(invocation, session, voice)]
    else:
        head = [f"# Skill: {invocation.skill}", voice.warning(invocation), shown(voice.allowed(invocation))]
        companions = section("Companions", _companions(invocation.companions, session, voice))
        instructions = shown_page(invocation.instructions)
        blocks = [*head, companions, instructions, *_sections(invocation, session, voice, arguments)]
    return "\n\n".join(filter(None, [*blocks, notes]))


def _questions(invocation: Invocation, session: str | None, voice: Phrasing) -> str:
    questions = invocation.questions
    lines = [not_yet_line(invocation.skill, questions), *question_lines(questions, voice)]
    if any(question.kind is QuestionKind.DEPENDENCY for question in questions):
        lines.append(shown(voice.without_missing(invocation.skill, session)))
    return "\n".join(lines)


def _sections(invocation: Invocation, session: str | None, voice: Phrasing, arguments: str) -> Iterator[str]:
    # On the line after the title, as the published protocol has it.
    yield f"## Arguments\n{shown_page(arguments.strip())}" if arguments.strip() else ""
    parameters = [line for parameter in invocation.resolution.inputs for line in _parameter(parameter)]
    yield section("Effective parameters", parameters)
    title, files = voice.files(invocation)
    yield section(title, map(shown, files))
    kept = [shown(f"- {voice.remember(invocation.skill, worth)}") for worth in invocation.worth]
    yield section("Worth remembering", kept)


def ask_first_line(invocations: Iterable[Invocation]) -> str:
    """What to ask before skills that declare nothing about risk; empty if there are none."""
    several = [invocation for invocation in invocations if invocation.ask_first]
    if not several:
        return ""
    declare = "declares" if len(several) == 1 else "declare"
    return f"{several[0].ask_first}: {', '.join(each.skill for each in several)} {declare} nothing about risk."


def section(title: str, lines: Iterable[str]) -> str:
    """Lines below their title; nothing where there are none."""
    several = list(lines)
    return f"## {title}\n\n" + "\n".join(several) if several else ""


def _parameter(parameter: Input) -> Iterator[str]:
    """Without a value it is left out, unless the instructions name a default that may not be taken."""
    if parameter.effective:
        yield parameter_line(parameter)
    elif parameter.hidden:
        yield from parameter_lines(parameter)


def _companions(companions: tuple[ExecutionStep, ...], session: str | None, voice: Phrasing) -> Iterator[str]:
    """Those before the skill, and those after all others."""
    last = [step for step in companions if step.phase is RunReason.LAST]
    if len(last) < len(companions):
        yield f"{voice.run_first}\n"
        yield from (shown(f"- {voice.run(step.name, session)}") for step in companions if step not in last)
    yield from (shown(f"- {voice.run(step.name, session)} (#run/last: after every other skill)") for step in last)
