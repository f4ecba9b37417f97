"""A session of an agent in a workspace: every step of the lifecycle as a method. The public interface."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from skillbag.lifecycle.digests import document_digest
from skillbag.lifecycle.state import (
    SessionState,
    changing,
    check_id,
    entered_state,
    forget_old_sessions,
    named,
    new_id,
    read_state,
    write_state,
)

if TYPE_CHECKING:
    # Each step imports what it needs: nobody waits for the parts of another.
    from skillbag.lifecycle.conflicts import Risk, Winner
    from skillbag.lifecycle.entry import EntryReport
    from skillbag.lifecycle.inputs import Resolution
    from skillbag.lifecycle.interface import Interface
    from skillbag.lifecycle.invocation import Invocation
    from skillbag.lifecycle.order import Order
    from skillbag.lifecycle.questions import Question
    from skillbag.lifecycle.refresh import Refresh
    from skillbag.lifecycle.remember import Remembered
    from skillbag.lifecycle.settings import Settings
    from skillbag.lifecycle.skills import Listed
    from skillbag.lifecycle.tags import Dropped
    from skillbag.workspace.model import Workspace
    from skillbag.workspace.skill import Skill

_ANY_SKILL = "*"
"""As `checks.context_blocks` has it, which nobody waits for on account of a default."""


class Ordered(NamedTuple):
    """An order, and what the session should read again before it relies on it (None outside of a session).

    `questions`: whether chosen skills may run that a context file prohibits; they are not in the order. `left_out`:
    tags that would bring in a skill which a context file prohibits, and which nobody chose.
    """

    order: Order
    pending: Refresh | None
    questions: tuple[Question, ...] = ()
    left_out: tuple[Dropped, ...] = ()


class Run(NamedTuple):
    """An invocation, and what the session should read again before it relies on it (None outside of a session).

    `left_out`: tags that would bring in a companion which a context file prohibits.
    """

    invocation: Invocation
    pending: Refresh | None
    left_out: tuple[Dropped, ...] = ()


def open_workspace(folder: str) -> Workspace:
    """The workspace around a folder, read lazily: each file when it is first needed, and once.

    Raises:
        NoWorkspaceError: there is none.
    """
    import os

    from skillbag.workspace.discovery import workspace_root
    from skillbag.workspace.model import Workspace
    from skillbag.workspace.target import Kind, installed

    return Workspace(installed(Kind.WORKSPACE, workspace_root(os.path.abspath(folder))))


class Session:
    """One agent's session in a workspace.

    `name` identifies it between runs of the program; without one nothing is remembered, and every method but `refresh`
    still works. A session sees the workspace as it is when it is made: make a new one after files have changed.
    """

    def __init__(self, workspace: Workspace, name: str | None = None) -> None:
        """Nothing is read yet.

        Raises:
            UserError: the name can't be one.
        """
        self.workspace = workspace
        self.name = None if name is None else check_id(name)

    @property
    def root(self) -> str:
        """The workspace's absolute root."""
        return self.workspace.root

    @cached_property
    def settings(self) -> Settings:
        """What the context files say."""
        from skillbag.lifecycle.settings_reader import read_settings

        return read_settings(self.workspace)

    @cached_property
    def catalog(self) -> Mapping[str, Listed]:
        """The skills that the catalog lists, by name."""
        from skillbag.lifecycle.skills import listed_skills

        return listed_skills(self.workspace)

    def enter(
        self,
        *,
        again: bool = False,
        without: Collection[str] = (),
        deliver: Callable[[EntryReport], object] = lambda report: None,
    ) -> EntryReport:
        """Enter the workspace, once a session (clauses entry.once, entry.order).

        `deliver` is given the report before the session counts as entered, so that a crash in between loses no report.
        `again` gives the report once more. Without a name, a new one is made; it is in the report.

        Raises:
            BadContextError, BadSkillError: a file that is read at entry can't be relied on; it has not entered.
        """
        import time

        from skillbag.lifecycle.entry import EntryReport, EntryStatus, enter_workspace

        self.name = self.name or new_id()
        with changing(self.root, self.name):
            entered = read_state(self.root, self.name)
            if entered and not again:
                report = EntryReport(self.name, self.root, EntryStatus.ALREADY)
                deliver(report)
                return report
            report, state = enter_workspace(self.workspace, self.name, without, again=bool(entered))
            deliver(report)
            # What the session has loaded since stays loaded.
            write_state(state._replace(loaded={**(entered.loaded if entered else {}), **state.loaded}))
        forget_old_sessions(time.time())
        return report

    def refresh(
        self, selected: Iterable[str] = (), deliver: Callable[[Refresh], object] = lambda refresh: None
    ) -> Refresh:
        """What has changed since the session read it (clauses refresh.trigger, refresh.minimal, refresh.complete).

        `selected` are skills that are newly chosen for use. `deliver` is given the result before it counts as told.

        Raises:
            NoSessionError: the session has not entered.
            BadSkillError, BadContextError: what has changed can't be relied on, and does not count as told.
        """
        from skillbag.lifecycle.refresh import refresh

        return refresh(self.root, named(self.name), selected, deliver)

    def resolve(
        self,
        skill: str,
        values: Mapping[str, object] | None = None,
        *,
        says: Iterable[str] = (),
        prohibits: Iterable[str] = (),
    ) -> Resolution:
        """The inputs of a skill (clause inputs.order). `values` are what the conversation gives, as plain values.

        `says` are the same as text (`name=value`), `prohibits` values that the conversation rules out (`name=value`).
        The value of `confirm` is the name of a risk that the user accepts, or a list of such.

        Raises:
            NoSessionError: the session has not entered.
            BadSkillError, BadContextError, BadAnswerError: what is asked for is not there, or is malformed.
        """
        from skillbag.lifecycle.interface import read_interface
        from skillbag.lifecycle.skills import find_skill

        if self.name is not None:
            self._entered()
        listed = find_skill(self.workspace, self.catalog, skill)
        interface = read_interface(self._loaded(listed.name, "inputs are resolved"))
        return self._resolved(interface, values, says, prohibits)

    def run(
        self,
        identifier: str,
        values: Mapping[str, object] | None = None,
        *,
        says: Iterable[str] = (),
        prohibits: Iterable[str] = (),
        incomplete: bool = False,
        allow: Collection[str] = (),
    ) -> Run:
        """The invocation of a skill, by `convert_to_pdf` or its name (clauses naming.invocation, inputs.before-run).

        With `incomplete` it runs although declared skills are missing. `allow` are skills that the user lets run,
        although a context file prohibits them. In a session the skill counts as loaded.

        Raises:
            NoSessionError: the session has not entered.
            BadSkillError, BadContextError, BadAnswerError: as `resolve`.
        """
        from skillbag.lifecycle.allowing import prohibition_questions
        from skillbag.lifecycle.dependencies import dependency_questions, missing_before
        from skillbag.lifecycle.interface import read_interface
        from skillbag.lifecycle.invocation import invoke
        from skillbag.lifecycle.order import companions, left_out
        from skillbag.lifecycle.skills import find_invoked
        from skillbag.lifecycle.tags import effective_tags

        state = self._entered() if self.name else None
        listed = find_invoked(self.workspace, self.catalog, identifier)
        skill = self._loaded(listed.name, "it is run")
        interface = read_interface(skill)
        resolution = self._resolved(interface, values, says, prohibits)
        missing = () if incomplete else missing_before(self.workspace, self.settings.declarations, skill)
        allowed = self._allowed(allow)
        tagging = effective_tags(self.catalog, self.settings, allowed=allowed)
        following = companions(tagging, self._is_available, listed.name)
        without = left_out(tagging, self._is_available, {listed.name, *(turn.name for turn in following)})
        barred = prohibition_questions([listed.name], self.settings.declarations, tagging, allowed)
        questions = (*barred, *dependency_questions(missing))
        invocation = invoke(skill, interface, resolution, following, questions, self.settings)
        if state is None:
            return Run(invocation, None, without)
        if not invocation.questions:
            state = self._note_loaded(state, skill)
        return Run(invocation, self._pending(state), without)

    def order(
        self, skills: Iterable[str] = (), *, without: Collection[str] = (), allow: Collection[str] = ()
    ) -> Ordered:
        """The skills to run before a response, with those that were chosen for it (clause tags.run-last).

        `without` are skills that the conversation rules out, `allow` those that it lets run although a context file
        prohibits them.

        Raises:
            NoSessionError: the session has not entered.
            BadSkillError, BadContextError: as `resolve`.
        """
        from skillbag.lifecycle.allowing import prohibition_questions
        from skillbag.lifecycle.order import left_out, response_order
        from skillbag.lifecycle.skills import find_invoked
        from skillbag.lifecycle.tags import ALWAYS, LAST, effective_tags

        state = self._entered() if self.name else None
        chosen = [find_invoked(self.workspace, self.catalog, skill).name for skill in skills]
        allowed = self._allowed(allow)
        tagging = effective_tags(self.catalog, self.settings, without, allowed)
        wanted = [name for name in chosen if name not in tagging.barred]
        questions = prohibition_questions(wanted, self.settings.declarations, tagging, allowed)
        asked = {one.about for one in questions}
        order = response_order(tagging, self._is_available, [name for name in chosen if name not in asked])
        # What is asked about is told with its question.
        turns = asked.union(turn.name for turn in order.turns)
        lost = left_out(tagging, self._is_available, turns, (ALWAYS, LAST))
        return Ordered(order, self._pending(state) if state else None, questions, lost)

    def winner(self, *skills: str, preferred: str | None = None) -> Winner:
        """Which of two or more skills that contradict each other wins (clause resolution.skill-conflict).

        `preferred` is what the conversation says.

        Raises:
            BadSkillError, BadContextError: as `resolve`.
        """
        from skillbag.lifecycle.conflicts import decide
        from skillbag.lifecycle.skills import find_skill

        names = [find_skill(self.workspace, self.catalog, skill).name for skill in skills]
        return decide(names, self.settings, preferred, filter(None, map(self._risk, names)))

    def remember(self, name: str, value: object, skill: str = _ANY_SKILL, *, explicit: bool = False) -> Remembered:
        """Keep a value in `USER_CONTEXT.md`, for a skill or for all (`*`), and say where (clause precedence.persist).

        `value` is plain: text, a number, a boolean, or a list of these. With `explicit` the user asks for it: what
        rarely lasts is kept as well, but never a secret.

        Raises:
            NotKeptError: it is not to be kept; the message says why, and never the value.
            BadSkillError, BadContextError: there is no such skill, or a context file is malformed.
        """
        from skillbag.lifecycle.remember import NotKeptError, remember
        from skillbag.lifecycle.value import typed

        try:
            plain = typed(value)
        except (TypeError, ValueError) as error:
            told = "give text, a number, true or false, or a list of these"
            raise NotKeptError(f"{name[:80]}: {type(value).__name__} is nothing that YAML can hold; {told}") from error
        return remember(self.root, name, plain, skill, explicit=explicit)

    def forget(self, name: str, skill: str = _ANY_SKILL) -> Remembered:
        """Take a value out of `USER_CONTEXT.md`, and say what was there; what `remember` wrote is undone to the byte.

        Raises:
            NotThereError: there is no such value; the message names what there is.
            BadContextError: a context file is malformed.
        """
        from skillbag.lifecycle.remember import forget

        return forget(self.root, name, skill)

    def _entered(self) -> SessionState:
        return entered_state(self.root, named(self.name))

    def _pending(self, state: SessionState) -> Refresh:
        from skillbag.lifecycle.refresh import refresh_session

        return refresh_session(self.root, state)[0]

    def _allowed(self, skills: Collection[str]) -> frozenset[str]:
        from skillbag.lifecycle.skills import listed_name

        return frozenset(listed_name(self.catalog, one) for one in skills)

    def _loaded(self, name: str, why: str) -> Skill:
        from skillbag.lifecycle.skills import load_skill

        return load_skill(self.workspace, name, why)

    def _resolved(
        self,
        interface: Interface,
        values: Mapping[str, object] | None,
        says: Iterable[str],
        prohibits: Iterable[str],
    ) -> Resolution:
        from skillbag.lifecycle.cli_inputs import read_conversation
        from skillbag.lifecycle.inputs import resolve_inputs

        conversation = read_conversation(interface, says, prohibits, values)
        return resolve_inputs(interface, self.settings, self.root, conversation)

    def _risk(self, name: str) -> Risk | None:
        from skillbag.lifecycle.conflicts import risk_of
        from skillbag.lifecycle.interface import read_interface

        return risk_of(read_interface(self._loaded(name, "whether it is risky")))

    @property
    def _is_available(self) -> Callable[[str], bool]:
        from skillbag.lifecycle.skills import is_available

        return partial(is_available, self.workspace, self.catalog)

    def _note_loaded(self, state: SessionState, skill: Skill) -> SessionState:
        if state.loaded.get(skill.folder) == document_digest(skill.document):
            return state
        with changing(self.root, named(self.name)):
            state = self._entered()
            state = state._replace(loaded={**state.loaded, skill.folder: document_digest(skill.document)})
            write_state(state)
        return state
