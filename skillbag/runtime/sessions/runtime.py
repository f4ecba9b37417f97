"""The runtime of active skills: the one object that every door holds (skill runtime, sections 2 to 8)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from types import TracebackType
from typing import Self

from skillbag.kernel.base.quoting import quoted
from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.activation.activation import ActivatedSkill, Activator, SkillHosts
from skillbag.runtime.activation.active import SkillStates, Steps
from skillbag.runtime.activation.calls import Calls
from skillbag.runtime.activation.compatibility import unusable
from skillbag.runtime.activation.dependencies import resolve
from skillbag.runtime.activation.grantees import check_state, grantee_of, question_about
from skillbag.runtime.activation.guarded_calls import GuardedCalls, WorkflowReport
from skillbag.runtime.activation.request import ActiveTool, ActiveWorkflow, QuestionsError, RuntimeRequest, Turn
from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.broker.admission import Admission
from skillbag.runtime.broker.approvals import Approvals, ByName
from skillbag.runtime.broker.audit import Audit
from skillbag.runtime.broker.broker import Broker
from skillbag.runtime.broker.limits import OperationCounter
from skillbag.runtime.broker.questions import PermissionQuestion
from skillbag.runtime.broker.store import RuntimeStore
from skillbag.runtime.discovery.discovery import discover
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.hooks import conversation
from skillbag.runtime.hooks.conversation import PromptBuild, Reply, ToolDecision, ToolReport
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.remarks import Remarks
from skillbag.runtime.sessions.endings import MissedGuards, end_unusable, step
from skillbag.runtime.skill import FoundSkill, Grantee, Json, is_of_user
from skillbag.runtime.states import SkillEvent, SkillStatus
from skillbag.runtime.triggers.budget import Fragment, allot
from skillbag.runtime.triggers.surroundings import Surroundings
from skillbag.runtime.triggers.triggers import Scored, reaching, scores


class Runtime:
    """The active skills of one session, and all that they bring. Thread safe; close it, or use it as a context."""

    def __init__(self, request: RuntimeRequest) -> None:
        """Find the skills; none is active yet.

        Raises:
            UserError: a skill that was named explicitly is not found.
        """
        check_state(request)
        self.request = request
        self.remarks = Remarks()
        self.found = discover(request.discovery)
        self.hooks = Hooks()
        self.store = RuntimeStore(request.state, self.remarks.append)
        settings = request.settings
        self.approvals = Approvals(self.store, ByName(request.approved, settings.approved_skills, settings.denies))
        self.audit = Audit(self.store, request.session)
        self.limits = OperationCounter(settings.per_turn, window=request.window)
        self.broker = Broker(self.approvals, self.limits, self.audit, request.session)
        self.resolution = resolve(self.found.skills, unusable(self.found.skills, request))
        steps = Steps(self._start, self.fire, self._tell)
        self.skills = SkillStates({skill.name: skill for skill in self.found.skills}, self.resolution, steps)
        self.calls = Calls(self.skills, request.confirm, request.trace)
        end = partial(end_unusable, self.skills, self.broker, self.remarks)
        self._step = partial(step, end)
        self.guarded = GuardedCalls(self.hooks, self.skills, self.calls, request.session, self.remarks, end)
        self._guards = MissedGuards(request, self.approvals, self.skills, self.grantee, self.remarks)
        self._surroundings = Surroundings(request.workspace, request.mode)
        self.activator = Activator(
            request,
            self.broker,
            self.hooks,
            SkillHosts(request, self.broker, self.guarded.invoke, self._surroundings).functions_of,
            self._taken,
            self.remarks.append,
        )
        self._message, self.turn, self.has_started = "", 0, False
        self._resuming: dict[str, tuple[Grantee, Admission]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Deactivate all skills; every process of theirs has ended then."""
        self.skills.close()
        self.calls.close()
        self.store.close()

    def statuses(self) -> tuple[SkillStatus, ...]:
        """All skills with their states, by name."""
        with self._step():
            return tuple(self.skills.status(skill.name) for skill in self.found.skills)

    def explain(self, message: str = "", current_path: str = "") -> tuple[Scored, ...]:
        """All skills with their scores for a message, the best first; nothing is activated."""
        context = self._surroundings.context(self.found.skills, message, current_path)
        return scores(self.found.skills, context)

    def begin(self, message: str, current_path: str = "") -> Turn:
        """A message of the user: a new turn. Skills that it triggers are activated, each in turn; one that fails does
        not stop the next. The first message starts the conversation."""
        self.broker.begin_turn()
        self.turn += 1
        self._message = message
        turn = self.trigger(message, current_path)
        if self.has_started:
            return turn
        self.has_started = True
        with self._step():
            outcome = conversation.start(self.hooks, message)
        return turn._replace(notes=(*turn.notes, *outcome.notes))

    def trigger(self, message: str = "", current_path: str = "") -> Turn:
        """Activate the skills that the workspace and a message trigger, without a new turn; see `begin`."""
        triggered = reaching(self.explain(message, current_path), *self.request.settings.thresholds)
        with self._step():
            return self.activate_all(triggered)

    def activate(self, name: str) -> tuple[str, ...]:
        """Activate a skill and what it needs; returns the names of those that were not active before.

        Raises:
            NotFoundError: there is no such skill. QuestionsError: the user must be asked first.
            RuntimeFaultError: it can't be activated; the message says why.
        """
        with self._step():
            self.ask(name)
            return tuple(active.found.name for active in self.skills.activate(name))

    def resume(self, name: str, origin: str, tree_hash: str, admission: Admission) -> None:
        """Go on with an activation that another process of the session began; `OnActivate` does not fire again. What
        the skill requires is resumed before it.

        Raises:
            NotFoundError: the skill is gone. RuntimeFaultError: it has changed since, or can't be loaded.
        """
        grantee = self.grantee(name)
        if (grantee.origin, grantee.tree_hash) != (origin, tree_hash):
            raise RuntimeFaultError(f'the files of the skill "{name}" have changed; activate it again')
        self._resuming[name] = grantee, admission
        try:
            self.skills.resume(name)
        finally:
            self._resuming.pop(name, None)

    def deactivate(self, name: str) -> tuple[str, ...]:
        """Deactivate a skill and all that require it, or reset one that is in error; returns the names."""
        return self.skills.deactivate(name)

    def questions(self, name: str) -> tuple[PermissionQuestion, ...]:
        """What the user must be asked before the skill can be activated; nothing about one that can't be.

        Raises:
            NotFoundError: there is no such skill.
        """
        self.skills.status(name)
        if name in self.resolution.blocked:
            return ()
        session = self.request.session
        with self._step():
            waiting = [each for each in self.resolution.activation(name) if not self.skills.get(each)]
        missing = {each: self.approvals.missing(self.grantee(each), session) for each in waiting}
        found = {each: self.skills.status(each).found for each in missing}
        return tuple(
            question_about(found[each], permissions, session) for each, permissions in missing.items() if permissions
        )

    def tools(self) -> tuple[ActiveTool, ...]:
        """The tools of the active skills, in order of activation."""
        with self._step():
            return tuple(ActiveTool(active.found.name, spec) for active in self.skills for spec in active.tools)

    def workflows(self) -> tuple[ActiveWorkflow, ...]:
        """The workflows of the active skills, in order of activation."""
        return self.calls.workflows()

    def fragments(self) -> tuple[Fragment, ...]:
        """What the active skills add to the prompt, within the budget."""
        context = self._surroundings.context(self.found.skills, self._message, "")
        found = allot(scores((each.found for each in self.skills), context), self.request.settings.budget)
        return tuple(each._replace(text=quoted(each.skill, each.text)) for each in found)

    def build_prompt(self, base: str = "", skills: Collection[str] | None = None) -> PromptBuild:
        """The system prompt of this turn: `base` is the host's own. `skills` are those whose fragments are wanted, for
        a host that has the others already; None for all, and for the index of those that are not active."""
        with self._step():
            fragments = [each for each in self.fragments() if skills is None or each.skill in skills]
            build = conversation.build_prompt(self.hooks, base, fragments, self._message)
        most = self.request.settings.budget.descriptions
        return build if skills is not None else conversation.with_index(build, self.skills.idle(), most)

    def call_tool(self, name: str, value: Json) -> ToolReport:
        """Call a tool of an active skill, with the hooks before and after it: its output, and the hooks' note to a
        model. A cancelled call is an error's output.

        Raises:
            NotFoundError: no active skill has it. BadParametersError: the input does not match its schema.
            NotPermittedError: the user must confirm the call, and did not.
        """
        with self._step():
            return self.guarded.tool(name, value)

    def before_tool(self, name: str, value: Json, *, restores: bool = False) -> ToolDecision:
        """Whether a tool that no active skill has, such as one of the host, may be called with this input. Call it with
        the input of the decision: that is what was judged. `restores`: also where a guard was lost."""
        with self._step():
            return self.guarded.decision(name, value, restores=restores)

    def after_tool(self, name: str, value: Json, output: ToolOutput) -> ToolReport:
        """The result of such a tool as the hooks change it."""
        with self._step():
            return self.guarded.report(name, value, output)

    def respond(self, response: str, reason: str = "end_turn") -> Reply:
        """The final answer of a turn as the hooks change it."""
        with self._step():
            return conversation.respond(self.hooks, response, reason)

    def run_workflow(self, target: str, value: Json) -> Json:
        """Run a workflow of an active skill: `SKILL`, `SKILL/WORKFLOW`, or a name that one skill has. It has the hooks
        of a call of its tool.

        Raises:
            NotFoundError: there is none. RuntimeFaultError: it failed, or a hook cancelled it.
        """
        return self.run_reported(target, value).value

    def run_reported(self, target: str, value: Json) -> WorkflowReport:
        """As `run_workflow`, with the hooks' note to a model."""
        with self._step():
            return self.guarded.workflow(target, value)

    def activate_all(self, names: Iterable[str]) -> Turn:
        """Activate these skills, each in turn; one that fails does not stop the next."""
        activated: list[str] = []
        failed: dict[str, str] = {}
        questions: dict[str, PermissionQuestion] = {}
        for name in names:
            try:
                activated += self.activate(name)
            except QuestionsError as error:
                questions.update({question.skill: question for question in error.questions})
            except (RuntimeFaultError, NotFoundError) as error:
                failed[name] = str(error)
        self._guards.miss(self.found.skills, {*questions, *failed})
        return Turn(tuple(activated), failed, tuple(questions.values()), ())

    def ask(self, name: str) -> None:
        """Ask what must be asked before an activation; see `ask_about`."""
        # What is approved is what the question is about: the skill may be edited until it is answered.
        self.ask_about([(each, self.grantee(each.skill)) for each in self.questions(name)])

    def ask_about(self, questions: Iterable[tuple[PermissionQuestion, Grantee]]) -> None:
        """Ask these, each about a skill as it was, if somebody can answer; else raises QuestionsError."""
        ask, open_ = self.request.ask, list[PermissionQuestion]()
        for question, grantee in questions:
            if scope := ask(question) if ask else None:
                self.approvals.grant(grantee, scope, self.request.session, question.permissions)
            else:
                open_.append(question)
        if open_:
            raise QuestionsError(tuple(open_))

    def grantee(self, name: str) -> Grantee:
        """The skill as the broker knows it. Raises NotFoundError if there is none of this name."""
        return grantee_of(self.skills.status(name).found, self.request.settings.mcp_servers)

    def _start(self, found: FoundSkill) -> ActivatedSkill:
        grantee, admission = self._resuming.get(found.name) or (self.grantee(found.name), None)
        active = self.activator.activate(found, grantee, admission)
        in_vain = () if admission else self.request.settings.denied_in_vain([found])
        self.remarks += [*in_vain, *active.remarks]
        if active.is_guard and is_of_user(found.origin) and not admission:
            self.approvals.remember(grantee)
        return active

    def fire(self, phase: Phase, active: ActivatedSkill) -> None:
        """Fire `OnActivate` or `OnDeactivate` of an active skill."""
        name = active.found.name
        if phase is Phase.DEACTIVATE or name not in self._resuming:
            self.remarks += self.hooks.dispatch(phase, {"skill_name": name}, skill=name).notes

    def _tell(self, event: SkillEvent) -> None:
        self.request.trace({"event": event.kind, **event._asdict()})

    def _taken(self) -> dict[str, str]:
        own = {spec.name: f'the skill "{active.found.name}"' for active in self.skills for spec in active.tools}
        return {**own, **self.request.foreign_tools}
