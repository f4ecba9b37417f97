"""The effective value of each parameter of a skill, and what must be asked first (Input Resolution of the standard)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Level
from skillbag.kernel.standard.reserved import PERSISTENCE
from skillbag.session.inputs.discovery import FileSearch
from skillbag.session.inputs.interface import Interface
from skillbag.session.inputs.levels import SILENCE, Candidate, Conversation, Levels
from skillbag.session.inputs.prompts import InputPrompter
from skillbag.session.inputs.questions import Question
from skillbag.session.settings.settings import ParameterValue, ProhibitedValue, Remark, SessionSettings
from skillbag.session.settings.value import Value, short


class Input(NamedTuple):
    """A parameter with its effective value, if any, and the values that this one hides, best first.

    `required`: it is declared so, or another parameter's value makes it so.
    """

    name: str
    required: bool
    effective: Candidate | None
    hidden: tuple[Candidate, ...]


class ResolvedInputs(NamedTuple):
    """All inputs of a skill in the order of its declaration; with questions, it must not run yet."""

    skill: str
    inputs: tuple[Input, ...]
    questions: tuple[Question, ...]
    remarks: tuple[Remark, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether nothing has to be asked."""
        return not self.questions

    @property
    def values(self) -> dict[str, Value]:
        """The effective values by name."""
        return {input_.name: input_.effective.value for input_ in self.inputs if input_.effective}


def resolve_inputs(
    interface: Interface, settings: SessionSettings, root: str, conversation: Conversation = SILENCE
) -> ResolvedInputs:
    """Resolve every parameter: conversation, user context, project context, entrypoint, default, then discovery.

    Nothing is kept between resolutions: an answer to a question needs a new one (clause inputs.rerun).
    """
    levels = Levels(interface.skill, settings, conversation, FileSearch(root))
    found = {parameter.name: levels.candidates(parameter) for parameter in interface.parameters}
    values = {name: candidates.effective.value for name, candidates in found.items() if candidates.effective}
    prompter = InputPrompter(interface, values, conversation.confirmed)
    inputs: list[Input] = []
    questions: list[Question] = []
    for parameter in interface.parameters:
        effective, hidden = found[parameter.name][:2]
        inputs.append(Input(parameter.name, prompter.is_needed(parameter), effective, hidden))
        questions += prompter.about(parameter, found[parameter.name])
    questions += prompter.about_skill()
    return ResolvedInputs(interface.skill, tuple(inputs), tuple(questions), tuple(_remarks(interface, settings)))


def _remarks(interface: Interface, settings: SessionSettings) -> Iterator[Remark]:
    """On what the skill declares in vain, and values that context files give for parameters that it does not have."""
    yield from interface.remarks
    known = {parameter.name for parameter in interface.parameters}
    values: list[ParameterValue | ProhibitedValue] = [*settings.given, *settings.prohibited]
    for value in values:
        remembers = value.name == PERSISTENCE and value.level is Level.USER_CONTEXT
        if value.skill == interface.skill and value.name not in known and value.place and not remembers:
            yield Remark(value.place, f"{value.skill} has no parameter {short(value.name)}; this has no effect")
