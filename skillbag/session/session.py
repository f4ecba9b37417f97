"""A session of an agent in a workspace: the public interface, with each step of the lifecycle as a method."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from skillbag.kernel.standard.context_blocks import ANY_SKILL
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.session.entry.turn import take_turn
from skillbag.session.entry.turn_report import TURN, TurnReport, TurnRequest
from skillbag.session.inputs.dangers import danger_questions
from skillbag.session.inputs.inputs import ResolvedInputs, resolve_inputs
from skillbag.session.refresh.refresh import Refresh, document_digest, refresh, refresh_session
from skillbag.session.refresh.state import (
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
from skillbag.session.settings.settings import SessionSettings
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.settings.value import typed
from skillbag.session.skills.skills import CatalogSkill, find_invoked, find_skill, listed_skills, load_skill

if TYPE_CHECKING:
    # Each step imports only what it needs.
    from skillbag.session.entry.entry import EntryReport
    from skillbag.session.entry.invocation import Ordered, Run
    from skillbag.session.inputs.interface import Interface
    from skillbag.session.order.conflicts import Winner
    from skillbag.session.remembering.remember import Remembered


class Session:
    """One agent's session in a workspace.

    `name` identifies it between runs of the program; without one, no state is kept, and every method but `refresh`
    still works. Make a new session after files have changed.

    Every method raises BadContextError or BadSkillError for a skill that does not exist and a file that is malformed or
    unreadable, and NoSessionError if the session has a name and has not entered.
    """

    def __init__(self, workspace: Workspace, name: str | None = None) -> None:
        """Read nothing yet.

        Raises:
            UserError: the name is not allowed.
        """
        self.workspace = workspace
        self.name = None if name is None else check_id(name)

    @property
    def root(self) -> str:
        """The workspace's absolute root."""
        return self.workspace.root

    @cached_property
    def settings(self) -> SessionSettings:
        """The settings of the context files."""
        return read_settings(self.workspace)

    @cached_property
    def catalog(self) -> Mapping[str, CatalogSkill]:
        """The listed skills by name."""
        return listed_skills(self.workspace)

    def enter(
        self,
        *,
        again: bool = False,
        without: Collection[str] = (),
        deliver: Callable[[EntryReport], object] = lambda report: None,
    ) -> EntryReport:
        """Enter the workspace, once a session (clauses entry.once, entry.order).

        `deliver` gets the report before the session counts as entered, so that a crash in between loses no report.
        `again` repeats the report. Without a name, a new one is made; it is in the report. After an error it has not
        entered.
        """
        from skillbag.session.entry.entry import EntryReport, EntryStatus, enter_workspace

        self.name = self.name or new_id()
        with changing(self.root, self.name):
            entered = read_state(self.root, self.name)
            if entered and not again:
                report = EntryReport(self.name, self.root, EntryStatus.ALREADY)
                deliver(report)
                return report
            report, state = enter_workspace(self.workspace, self.name, without, again=bool(entered))
            deliver(report)
            # Skills that the session has loaded since stay loaded.
            write_state(state._replace(loaded={**(entered.loaded if entered else {}), **state.loaded}))
        forget_old_sessions(time.time())
        return report

    def turn(
        self, request: TurnRequest = TURN, deliver: Callable[[TurnReport], object] = lambda report: None
    ) -> TurnReport:
        """What to do before a response, in one step: entry where it is due, what changed, the order, and the texts that
        the agent does not have (clauses refresh.complete, tags.run-always, tags.run-last, inputs.before-run).

        Without a name, a new one is made; it is in the report. `deliver` gets the report before it counts as read.

        Raises:
            BadAnswerError: no skill of the turn can use a value.
        """
        self.name = self.name or new_id()
        return take_turn(self.root, self.name, request, deliver)

    def refresh(
        self, selected: Iterable[str] = (), deliver: Callable[[Refresh], object] = lambda refresh: None
    ) -> Refresh:
        """What has changed since the session read it (clauses refresh.trigger, refresh.minimal, refresh.complete).

        `selected` are skills that are newly chosen for use. `deliver` gets the result before it counts as reported;
        after an error nothing does.
        """
        return refresh(self.root, named(self.name), tuple(selected), deliver)

    def resolve(
        self,
        skill: str,
        values: Mapping[str, object] | None = None,
        *,
        says: Iterable[str] = (),
        prohibits: Iterable[str] = (),
    ) -> ResolvedInputs:
        """The inputs of a skill (clause inputs.order). `values` are plain values of the conversation.

        `says` are the same as text (`name=value`), `prohibits` values that the conversation rules out (`name=value`).
        The value of `confirm` is the name of a risk that the user accepts, or a list of names.

        Raises:
            BadAnswerError: a value can't be used.
        """
        self._state()
        name = find_invoked(self.workspace, self.catalog, skill).name
        if dangers := danger_questions(name, self.workspace.path(SKILL_ROOT, name), self.root):
            return ResolvedInputs(name, (), dangers)
        interface = self._interface(name, "inputs are resolved")
        resolution = self._resolved(interface, values, says, prohibits)
        return resolution._replace(remarks=(*self.settings.remarks, *resolution.remarks))

    def run(
        self,
        identifier: str,
        values: Mapping[str, object] | None = None,
        *,
        says: Iterable[str] = (),
        prohibits: Iterable[str] = (),
        incomplete: bool = False,
        allow: Collection[str] = (),
        accept: Collection[str] = (),
    ) -> Run:
        """The invocation of a skill, by `convert_to_pdf` or its name (clauses naming.invocation, inputs.before-run).

        With `incomplete` it runs although declared skills are missing. `allow` are prohibited skills that the user lets
        run, `accept` rules about security whose errors the user accepts in this skill, for later runs too. In a session
        the skill counts as loaded.

        Raises:
            BadAnswerError: a value can't be used.
        """
        from skillbag.session.entry.invocation import Run, run_skill, withheld
        from skillbag.session.inputs.interface import read_interface

        state = self._state()
        skill = load_skill(self.workspace, find_invoked(self.workspace, self.catalog, identifier).name, "it is run")
        if accept:
            from skillbag.session.inputs.acceptance import accept_rules

            accept_rules(skill.directory, accept)
        if dangers := danger_questions(skill.folder, skill.directory, self.root):
            run = Run(withheld(skill.folder, dangers), None)
        else:
            interface = read_interface(skill)
            resolution = self._resolved(interface, values, says, prohibits)
            about = (self.workspace, self.catalog, self.settings)
            run = run_skill(*about, skill, interface, resolution, incomplete=incomplete, allow=allow)
        if state is None:
            return run
        if not run.invocation.questions:
            state = self._note_loaded(state, skill)
        return run._replace(pending=refresh_session(self.root, state)[0])

    def order(
        self, skills: Iterable[str] = (), *, without: Collection[str] = (), allow: Collection[str] = ()
    ) -> Ordered:
        """The skills to run before a response, with those that were chosen for it (clause tags.run-last).

        `without` are skills that the conversation rules out, `allow` prohibited ones that it lets run.
        """
        from skillbag.session.entry.invocation import order_skills

        state = self._state()
        ordered = order_skills(self.workspace, self.catalog, self.settings, skills, without=without, allow=allow)
        return ordered._replace(pending=refresh_session(self.root, state)[0]) if state else ordered

    def winner(self, *skills: str, preferred: str | None = None) -> Winner:
        """Which of two or more skills that contradict each other wins (clause resolution.skill-conflict).

        `preferred` is the choice of the conversation.
        """
        from skillbag.session.order.conflicts import decide

        self._state()
        names = [find_skill(self.workspace, self.catalog, skill).name for skill in skills]
        interfaces = (self._interface(name, "whether it is risky") for name in names)
        return decide(names, self.settings, preferred, interfaces)

    def remember(self, name: str, value: object, skill: str = ANY_SKILL, *, explicit: bool = False) -> Remembered:
        """Write a value to `USER_CONTEXT.md`, for a skill or for all (`*`) (clause precedence.persist).

        `value` is text, a number, a boolean, or a list of these. `explicit`: the user asked for it, so that values that
        rarely last are kept as well, but never a secret.

        Raises:
            NotKeptError: it is not kept; the message says why, without the value.
        """
        from skillbag.session.remembering.remember import NotKeptError, remember

        try:
            plain = typed(value)
        except (TypeError, ValueError) as error:
            advice = "YAML can't hold that; give text, a number, true or false, or a list of these"
            raise NotKeptError(f"{name[:80]} is of type {type(value).__name__}; {advice}") from error
        return remember(self.root, name, plain, skill, explicit=explicit)

    def forget(self, name: str, skill: str = ANY_SKILL) -> Remembered:
        """Remove a value from `USER_CONTEXT.md`; what `remember` wrote is undone to the byte.

        Raises:
            NotThereError: there is no such value; the message lists the existing ones.
        """
        from skillbag.session.remembering.remember import forget

        return forget(self.root, name, skill)

    def _state(self) -> SessionState | None:
        return entered_state(self.root, self.name) if self.name else None

    def _resolved(
        self,
        interface: Interface,
        values: Mapping[str, object] | None,
        says: Iterable[str],
        prohibits: Iterable[str],
    ) -> ResolvedInputs:
        from skillbag.session.inputs.cli_inputs import read_conversation

        conversation = read_conversation(interface, says, prohibits, values)
        return resolve_inputs(interface, self.settings, self.root, conversation)

    def _interface(self, name: str, why: str) -> Interface:
        from skillbag.session.inputs.interface import read_interface

        return read_interface(load_skill(self.workspace, name, why))

    def _note_loaded(self, state: SessionState, skill: Skill) -> SessionState:
        digest = document_digest(skill.document)
        if state.given.get(skill.folder) == digest == state.loaded.get(skill.folder):
            return state
        with changing(self.root, state.session):
            state = entered_state(self.root, state.session)
            state = state.giving({skill.folder: digest})
            write_state(state)
        return state
