"""The work of a turn: entry where it is due, the order, and the runs of the skills whose texts the agent lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import CONTEXT, ENTRYPOINT, SKILL_FILE, SKILL_ROOT, USER_CONTEXT
from skillbag.session.entry.entry import enter_workspace, prose_of_files
from skillbag.session.entry.invocation import Invocation, invoke, order_skills, run_skill, withheld
from skillbag.session.entry.turn_report import TurnReport, TurnRequest
from skillbag.session.inputs.cli_inputs import BadAnswerError, concerning, read_conversation, split_pair
from skillbag.session.inputs.dangers import danger_questions
from skillbag.session.inputs.inputs import ResolvedInputs, resolve_inputs
from skillbag.session.inputs.interface import Interface, read_interface
from skillbag.session.order.order import RunReason
from skillbag.session.refresh.refresh import document_digest
from skillbag.session.refresh.state import SessionState
from skillbag.session.settings.effective_settings import all_stated
from skillbag.session.settings.settings import SessionSettings, some
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.settings.value import short
from skillbag.session.skills.skills import CatalogSkill, listed_skills, load_skill


def plan_turn(
    workspace: Workspace, report: TurnReport, state: SessionState | None, request: TurnRequest
) -> tuple[TurnReport, SessionState]:
    """The report and the new state; `state` has the files as they are now, and what the agent was given before.

    Without a state the workspace is entered.
    """
    if state is None:
        entry, entered = enter_workspace(workspace, report.session, request.without)
        # The turn itself hands out the texts.
        report, state = report._replace(entry=entry), entered._replace(given={})
    settings, listed = read_settings(workspace), listed_skills(workspace)
    ordered = order_skills(workspace, listed, settings, request.skills, without=request.without, allow=request.allow)
    order, found = ordered.order, report.refresh
    names = [step.name for step in order.turns]
    known = frozenset(name for name in names if state.has_given(name))
    chosen = {step.name for step in order.turns if step.phase is RunReason.CHOSEN}
    changed = [change.path for change in found.changed if change.path in (ENTRYPOINT, CONTEXT, USER_CONTEXT)]
    # Then values may have changed, too.
    concerns_all = bool(changed or request.says or request.prohibits)
    runner = _Runner(workspace, listed, settings, request)
    due = [name for name in names if concerns_all or name in chosen or name not in known]
    runs = tuple(runner.run(name, is_known=name in known) for name in due)
    runner.check_used(names)
    again = [path[len(SKILL_ROOT) + 1 : -len(SKILL_FILE) - 1] for path in found.read if path.endswith(f"/{SKILL_FILE}")]
    reread = tuple(runner.text(name) for name in again if name not in names)
    ready = {run.skill for run in (*runs, *reread) if not run.questions}
    # What runs in every turn and asks counts as not given, so that each turn asks until that is answered.
    asking = {run.skill for run in runs if run.questions} - chosen
    held = {name: digest for name, digest in state.given.items() if name not in asking}
    state = state._replace(given=held).giving({name: runner.digests[name] for name in ready})
    is_settled = all(map(state.has_given, names)) and not request.without
    state = state._replace(is_settled=is_settled or (state.is_settled and found.is_nothing))
    if request.is_plain and found.is_nothing and not (report.entry or runs):
        return report, state
    return report._replace(
        order=order,
        runs=tuple(
            run for run in runs if run.skill not in known - asking or run.skill in chosen or run.resolution.inputs
        ),
        known=known,
        reread=reread,
        prose=prose_of_files(workspace, changed),
        stated=all_stated(settings, ordered.tagging) if changed else (),
        catalog=tuple(listed[name] for name in (*found.added, *found.described)),
        tagging=ordered.tagging,
        prohibited=ordered.questions,
        left_out=ordered.left_out,
    ), state


class _Runner:
    """Runs skills of a turn, and knows the digests of their texts and which values of the conversation they used."""

    def __init__(
        self, workspace: Workspace, listed: Mapping[str, CatalogSkill], settings: SessionSettings, request: TurnRequest
    ) -> None:
        self._about = (workspace, listed, settings)
        self._request = request
        self._used: set[str] = set()
        self.digests: dict[str, str | None] = {}

    def run(self, name: str, *, is_known: bool) -> Invocation:
        """The invocation of the skill; of one that is known, the values and the questions alone."""
        found = self._read(name)
        if isinstance(found, Invocation):
            return found
        skill, interface = found
        workspace, _, settings = self._about
        says, prohibits = (concerning(interface, pairs) for pairs in (self._request.says, self._request.prohibits))
        self._used.update(says, prohibits)
        resolution = resolve_inputs(interface, settings, workspace.root, read_conversation(interface, says, prohibits))
        request = self._request
        run = run_skill(
            *self._about, skill, interface, resolution, incomplete=request.incomplete, allow=request.allow
        ).invocation
        # Companions have a step of their own.
        run = run._replace(companions=())
        return run._replace(instructions="", allowed_tools="", files=(), file_count=0, places=()) if is_known else run

    def text(self, name: str) -> Invocation:
        """The text alone of a skill that does not run now."""
        found = self._read(name)
        return found if isinstance(found, Invocation) else invoke(*found, ResolvedInputs(name, (), ()))

    def check_used(self, names: Sequence[str]) -> None:
        """Raises BadAnswerError if no skill of these could use a value of the conversation."""
        for option, pairs in (("--set", self._request.says), ("--prohibit", self._request.prohibits)):
            for name in [split_pair(pair, option)[0] for pair in pairs if pair not in self._used]:
                there = some(names) or "any skill"
                raise BadAnswerError(f"{short(name)}: it is no parameter or risk of {there} in this turn")

    def _read(self, name: str) -> tuple[Skill, Interface] | Invocation:
        """The skill and its parameters; an invocation with the question where it is withheld."""
        workspace = self._about[0]
        skill = load_skill(workspace, name, "it runs before the response")
        self.digests[name] = document_digest(skill.document)
        if dangers := danger_questions(name, skill.directory, workspace.root):
            return withheld(name, dangers)
        return skill, read_interface(skill)
