"""What active skills offer an agent as tools: their own tools and workflows, and tools that activate skills and have
them work (skill runtime, section 8)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial

from skillbag.agents.hosts.telling import limits_of
from skillbag.agents.permissions.allowed_tools import OWN_PREFIX
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.active_work import questions_result, work_tools
from skillbag.agents.tools.skills_in_use import begin_limits, end
from skillbag.agents.tools.tool import BadArgumentsError, Forms, Shape, Tool, ToolFailedError, ToolResult, built_in
from skillbag.kernel.base.call_input import CallInput, Json
from skillbag.kernel.manifest.names import Phase
from skillbag.kernel.standard.tool_names import is_known
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.report.sanitize import exact
from skillbag.runtime.activation.missing_tools import owner_hint
from skillbag.runtime.activation.request import ActiveTool, ActiveWorkflow, QuestionsError
from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.errors import BadParametersError, HookError
from skillbag.runtime.sessions.endings import check_ending
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import SkillSource
from skillbag.runtime.triggers.budget import description_index

_ACTIVATE, _DEACTIVATE = "skill_activate", "skill_deactivate"
_TEXT: Shape = {"type": "string"}
_ANY_OBJECT: Shape = {"type": "object"}


class ActiveTools:
    """The tools of the active skills of a runtime, at a door that `telling.LIMITS` names."""

    def __init__(self, runtime: Runtime, door: str) -> None:
        self.runtime = runtime
        self._door = door

    def tools(self) -> tuple[Tool, ...]:
        """Those of the active skills in order of activation, their workflows, then those that (de)activate skills and
        have them work."""
        return (
            *map(self._tool, self.runtime.tools()),
            *map(self._workflow, self.runtime.workflows()),
            self._activation(),
            built_in(_DEACTIVATE, self._deactivate),
            *work_tools(self.runtime),
        )

    def _activation(self) -> Tool:
        """The tool that activates a skill; its description has those that are not active."""
        tool = built_in(_ACTIVATE, self._activate)
        # An Agent Skill has a tool of its own.
        inactive = [each for each in self.runtime.skills.idle() if not each.file.endswith(SKILL_FILE)]
        index = exact(description_index(inactive, self.runtime.request.settings.budget.descriptions))
        return tool._replace(description=f"{tool.description}\nNot active:\n{index}") if index else tool

    def find(self, name: str) -> Tool | None:
        """The tool of this name."""
        return next((tool for tool in self.tools() if tool.name == name), None)

    def hint(self, name: str) -> str:
        """Which skill has the tool once it is activated; empty if none is known to."""
        hint = owner_hint(self.runtime.skills, name)
        return f"{hint}; call skill_activate" if hint else ""

    def around(self, tool: Tool, arguments: CallInput, call: Callable[[CallInput], ToolResult]) -> ToolResult:
        """Call a tool of this program with the hooks before and after it; `call` checks the arguments.

        Raises:
            ToolFailedError: a hook cancelled the call, or made its result another kind of value.
        """
        if tool.has_hooks or not self._is_guarded():
            return call(arguments)
        # What activates a lost guard again must not wait for it; the others are asked.
        is_way_out = tool.name == _ACTIVATE and arguments.get("skill") in self.runtime.skills.lost.guards
        decision = self.runtime.before_tool(tool.name, dict(arguments), restores=is_way_out)
        self.runtime.remarks += decision.notes
        if decision.cancelled:
            raise ToolFailedError(decision.refusal)
        result = call(decision.value)
        report = self.runtime.after_tool(tool.name, decision.value, ToolOutput(result.text))
        self.runtime.remarks += report.notes
        try:
            value = report.applied(result.value)
        except HookError as error:
            raise ToolFailedError(str(error)) from error
        return result._replace(value=value, note="\n".join(filter(None, (result.note, report.said))))

    def _is_guarded(self) -> bool:
        """Whether a call has hooks, or is refused because a guard was lost."""
        phases = {state.hook.phase for state in self.runtime.hooks.listed()}
        # After the hooks: a guard is lost before its hooks are gone.
        return bool(self.runtime.skills.lost.guards or phases & {Phase.BEFORE_TOOL_CALL, Phase.AFTER_TOOL_RESULT})

    def _tool(self, active: ActiveTool) -> Tool:
        spec, work = active.spec, partial(self._call, active.spec.name)
        described = spec.description or f"A tool of the skill {active.skill}."
        return self._offered(Tool(spec.name, described, spec.input_schema, _TEXT, work), active.skill)

    def _offered(self, tool: Tool, skill: str) -> Tool:
        """What all tools and workflows of skills are: their code may do anything, and passes the hooks itself."""
        forms = self._forms(tool.name, skill)
        return tool._replace(writes=True, destroys=True, runs_scripts=True, has_hooks=True, checks=True, forms=forms)

    def _forms(self, name: str, skill: str) -> Forms:
        """What lists call a tool of the skill: as hosts do, and by its own name unless other programs have a tool of
        that name, which a list means then."""
        is_ours = self.runtime.skills.status(skill).found.source is SkillSource.BUILTIN
        names = (name, OWN_PREFIX + name) if is_ours or not is_known(name) else (OWN_PREFIX + name,)
        return lambda scope, arguments, limiting: ((each, arguments) for each in names)

    def _call(self, name: str, scope: Scope, /, **arguments: Json) -> ToolResult:
        try:
            report = self.runtime.call_tool(name, arguments)
        except BadParametersError as error:
            raise BadArgumentsError(str(error)) from error
        if report.output.is_error:
            raise ToolFailedError("\n".join(filter(None, (report.output.content, report.said))))
        return ToolResult(report.output.content, note=report.said)

    def _workflow(self, workflow: ActiveWorkflow) -> Tool:
        described = f"Run the workflow {workflow.name} of the skill {workflow.skill}."
        tool = Tool(workflow.tool, described, _ANY_OBJECT, _TEXT, partial(self._run, workflow.target))
        return self._offered(tool, workflow.skill)

    def _run(self, target: str, scope: Scope, /, **arguments: Json) -> ToolResult:
        try:
            report = self.runtime.run_reported(target, arguments)
        except HookError as error:
            raise ToolFailedError(str(error)) from error
        value = report.value
        return ToolResult(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), note=report.said)

    def _activate(self, scope: Scope, skill: str) -> ToolResult:
        try:
            activated = self.runtime.activate(skill)
        except QuestionsError as error:
            return questions_result(self.runtime, error, _ACTIVATE)
        for name in activated:
            self._begin_limits(scope, name)
        return ToolResult(self._activation_text(skill, activated))

    def _begin_limits(self, scope: Scope, name: str) -> None:
        """Hold calls to the list of an activated skill, if it has a `SKILL.md` as well."""
        directory = self.runtime.skills.status(name).found.directory
        if os.path.isfile(os.path.join(directory, SKILL_FILE)):
            begin_limits(scope, name, directory, SKILL_FILE)

    def _activation_text(self, skill: str, activated: tuple[str, ...]) -> str:
        """What an agent must know of skills that have just been activated."""
        if not activated:
            return f'The skill "{skill}" is active already.'
        lines = [f"Active now: {', '.join(activated)}."]
        tools = [each.spec.name for each in self.runtime.tools() if each.skill in activated]
        lines += [f"Tools: {', '.join(tools)}."] if tools else []
        for name in activated:
            if active := self.runtime.skills.get(name):
                lines += [*limits_of(self._door, name, active.registration.hooks), *active.remarks]
        lines += [fragment.text for fragment in self.runtime.fragments() if fragment.skill in activated]
        return "\n".join(lines)

    def _deactivate(self, scope: Scope, skill: str) -> ToolResult:
        check_ending(self.runtime.skills, skill, self.runtime.request.confirm)
        names = self.runtime.deactivate(skill)
        for name in names if scope.limited else ():
            end(scope, name)
        return ToolResult(f"Not active any more: {', '.join(names)}." if names else "It was not active.")
