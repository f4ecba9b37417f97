"""What a door asks of the runtime, and what the steps of a runtime return: where skills are, what the user allows, who
answers questions; and those that stop a step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from skillbag.runtime.backends.backend import StandIn, ToolSpec
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.questions import PermissionQuestion
from skillbag.runtime.discovery.discovery import DiscoveryRequest
from skillbag.runtime.discovery.registered import RegisteredSkill
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.skill import Json
from skillbag.runtime.tracing import Trace, no_trace
from skillbag.runtime.triggers.settings import RuntimeSettings


class ToolRequest(NamedTuple):
    """A call that the user must confirm, since the tool `requires_approval`, or would end these guards of theirs."""

    skill: str
    tool: str
    value: Json
    ends: tuple[str, ...] = ()


class RuntimeRequest(NamedTuple):
    """What a runtime is made for.

    `workspace` is its real root, `personal` the absolute folder of the user's own skills; either may be None. `skills`
    are named explicitly: names or paths. `approved` are approved for this run. `state` is the absolute folder of
    `runtime.db`. `completer` completes a prompt. `ask` and `confirm` ask the user; without them, what would be asked is
    a question of the result, and a tool that asks before each call is refused. `window` (seconds) counts as a turn
    where there are no turns. `foreign_tools` are the names of tools that no skill may take, each with its owner.
    `builtin` are absolute folders with the skills of this package, `registered` skills that are given in Python.
    `environment` are the variables that skills get a part of. `stand_in` answers what skills ask of the host, where
    tests and replays keep them from this machine; `offline`: their processes have no network. `copies` is the folder
    for copies of skills, where it is not that of the state.
    """

    workspace: str | None
    personal: str | None
    state: str
    settings: RuntimeSettings = RuntimeSettings()
    session: str | None = None
    skills: tuple[str, ...] = ()
    approved: frozenset[str] = frozenset()
    mode: str = "headless"
    completer: Callable[[str], str] | None = None
    ask: Callable[[PermissionQuestion], ApprovalScope | None] | None = None
    confirm: Callable[[ToolRequest], bool] | None = None
    window: float | None = None
    foreign_tools: Mapping[str, str] = {}
    builtin: tuple[str, ...] = ()
    registered: tuple[RegisteredSkill, ...] = ()
    trace: Trace = no_trace
    environment: Mapping[str, str] = os.environ
    stand_in: StandIn | None = None
    offline: bool = False
    copies: str = ""

    @property
    def discovery(self) -> DiscoveryRequest:
        """Where the skills are."""
        return DiscoveryRequest(
            self.builtin,
            self.registered,
            self.personal,
            self.workspace,
            self.settings.dirs,
            self.settings.mcp_servers,
            self.skills,
        )


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
