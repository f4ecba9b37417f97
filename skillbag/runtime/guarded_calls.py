"""Calls with the hooks before and after them: no other way leads to a tool or a workflow (skill runtime, section 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from skillbag.runtime import conversation
from skillbag.runtime.active import ActiveSkills
from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.calls import Calls
from skillbag.runtime.conversation import ToolDecision, ToolReport
from skillbag.runtime.errors import HookError
from skillbag.runtime.guards import ways_out
from skillbag.runtime.hooks import Hooks
from skillbag.runtime.phases import Phase
from skillbag.runtime.remarks import Remarks
from skillbag.runtime.skill import Json

WORKFLOW = "workflow_"
"""Before the name of a workflow, this is what hooks know it by, as agents do."""


class GuardedCalls(NamedTuple):
    """The calls of one session. `end_unusable` ends skills that can't go on; `remarks` get what there is to tell."""

    hooks: Hooks
    skills: ActiveSkills
    calls: Calls
    session: str | None
    remarks: Remarks
    end_unusable: Callable[[], None]

    def decision(self, name: str, value: Json, owner: str | None = None, *, past_lost: bool = False) -> ToolDecision:
        """Whether a tool may be called with this input; `owner` is the active skill that has it. `past_lost`: also
        where a guard was lost, as only what activates it again may be."""
        lost = None if past_lost else self.skills.lost
        decision = conversation.before_tool(self.hooks, lost, name, value, owner)
        if not decision.stuck:
            return decision
        return decision._replace(notes=(*decision.notes, *ways_out(decision.stuck, self.session)))

    def report(self, name: str, value: Json, output: ToolOutput, owner: str | None = None) -> ToolReport:
        """The result of a tool as the hooks change it."""
        return conversation.after_tool(self.hooks, name, value, output, owner)

    def tool(self, name: str, value: Json) -> ToolReport:
        """Call a tool of an active skill; see `Runtime.call_tool`."""
        owner = self.calls.find_tool(name)[0].found.name
        decision = self.decision(name, value, owner)
        self.remarks.extend(decision.notes)
        if decision.cancelled_by is not None:
            return ToolReport(ToolOutput(decision.refusal, is_error=True), changed=False)
        # Without hooks, nothing happens in between.
        if self.hooks.listen(Phase.BEFORE_TOOL_CALL):
            self.end_unusable()
        output = self.calls.tool(name, decision.value)
        if self.hooks.listen(Phase.AFTER_TOOL_RESULT):
            self.end_unusable()
        report = self.report(name, decision.value, output, owner)
        self.remarks.extend(report.notes)
        return report

    def workflow(self, target: str, value: Json, tool: str = "") -> Json:
        """Run a workflow of an active skill, for an agent, the user or another skill; see `Runtime.run_workflow`."""
        active, workflow = self.calls.find_workflow(target)
        name, owner = tool or f"{WORKFLOW}{workflow}", active.found.name
        decision = self.decision(name, value, owner)
        self.remarks.extend(decision.notes)
        if decision.cancelled_by is not None:
            raise HookError(decision.refusal)
        return self.calls.workflow(f"{owner}/{workflow}", decision.value)
