"""What the steps of a runtime return, and the questions that stop one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from skillbag.runtime.backends.backend import ToolSpec
from skillbag.runtime.broker.questions import PermissionQuestion
from skillbag.runtime.errors import RuntimeFaultError


class QuestionsError(RuntimeFaultError):
    """The user must be asked before a skill can be activated."""

    def __init__(self, questions: tuple[PermissionQuestion, ...]) -> None:
        """Made of the questions."""
        super().__init__("; ".join(f'skill "{each.skill}" needs {", ".join(each.permissions)}' for each in questions))
        self.questions = questions


class Turn(NamedTuple):
    """What a message has brought about: the skills that were activated, in order; those that could not be, with the
    reasons; and the questions that must be answered before others can be."""

    activated: tuple[str, ...]
    failed: Mapping[str, str]
    questions: tuple[PermissionQuestion, ...]
    notes: tuple[str, ...]


class ActiveTool(NamedTuple):
    """A tool that is offered, and the skill that has it."""

    skill: str
    spec: ToolSpec


class ActiveWorkflow(NamedTuple):
    """A workflow that is offered, and the skill that has it. Agents call it, and hooks know it, as the tool `tool`."""

    skill: str
    name: str
    tool: str

    @property
    def target(self) -> str:
        """What nothing else is called by."""
        return f"{self.skill}/{self.name}"
