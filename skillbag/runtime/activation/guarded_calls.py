"""Calls with the hooks before and after them: no other way leads to a tool or a workflow (skill runtime, section 6)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.activation.active import SkillStates
from skillbag.runtime.activation.calls import Calls
from skillbag.runtime.activation.request import ActiveWorkflow
from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.errors import HookError
from skillbag.runtime.hooks import conversation
from skillbag.runtime.hooks.conversation import ToolDecision, ToolReport
from skillbag.runtime.hooks.guards import ways_out
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.remarks import Remarks
from skillbag.runtime.skill import Json


class WorkflowReport(NamedTuple):
    """What a workflow returned, as the hooks change it, and the note to the model beside it; see `ToolReport.said`."""

    value: Json
    said: str


class GuardedCalls(NamedTuple):
    """The calls of one session. `end_unusable` ends skills that can't go on; `remarks` get what there is to tell."""

    hooks: Hooks
    skills: SkillStates
    calls: Calls
    session: str | None
    remarks: Remarks
    end_unusable: Callable[[], None]

    def decision(self, name: str, value: Json, owner: str | None = None, *, restores: bool = False) -> ToolDecision:
        """Whether a tool may be called with this input; `owner` is the active skill that has it. `restores`: also
        where a guard was lost, as only what activates it again may be."""
        lost = None if restores else self.skills.lost
        decision = conversation.before_tool(self.hooks, lost, name, value, owner)
        if not decision.failing:
            return decision
        return decision._replace(notes=(*decision.notes, *ways_out(decision.failing, self.session)))

    def report(self, name: str, value: Json, output: ToolOutput, owner: str | None = None) -> ToolReport:
        """The result of a tool as the hooks change it."""
        return conversation.after_tool(self.hooks, name, value, output, owner)

    def tool(self, name: str, value: Json) -> ToolReport:
        """Call a tool of an active skill; see `Runtime.call_tool`."""
        owner = self.calls.find_tool(name)[0].found.name
        decision = self._begun(name, value, owner)
        if decision.cancelled:
            return ToolReport(ToolOutput(decision.refusal, is_error=True))
        return self._ended(name, decision.value, self.calls.tool(name, decision.value), owner)

    def workflow(self, target: str, value: Json) -> WorkflowReport:
        """Run a workflow of an active skill, for an agent or the user; see `Runtime.run_workflow`."""
        workflow = self.calls.find_workflow(target)
        value, result = self._run(workflow, value)
        output = ToolOutput(result if isinstance(result, str) else json.dumps(result, ensure_ascii=False))
        report = self._ended(workflow.tool, value, output, workflow.skill)
        return WorkflowReport(report.applied(result, typed=False), report.said)

    def invoke(self, target: str, value: Json) -> Json:
        """Run a workflow for the code of another skill: what it returns is no result that a model gets."""
        return self._run(self.calls.find_workflow(target), value)[1]

    def _run(self, workflow: ActiveWorkflow, value: Json) -> tuple[Json, Json]:
        """The input that was judged, and what the workflow returned."""
        decision = self._begun(workflow.tool, value, workflow.skill)
        if decision.cancelled:
            raise HookError(decision.refusal)
        return decision.value, self.calls.workflow(workflow, decision.value)

    def _begun(self, name: str, value: Json, owner: str) -> ToolDecision:
        decision = self.decision(name, value, owner)
        self.remarks.extend(decision.notes)
        # Without hooks, nothing happens in between.
        if not decision.cancelled and self.hooks.listen(Phase.BEFORE_TOOL_CALL):
            self.end_unusable()
        return decision

    def _ended(self, name: str, value: Json, output: ToolOutput, owner: str) -> ToolReport:
        if self.hooks.listen(Phase.AFTER_TOOL_RESULT):
            self.end_unusable()
        report = self.report(name, value, output, owner)
        self.remarks.extend(report.notes)
        return report
