"""Calls of the tools and workflows of active skills (skill runtime, sections 7 and 8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from skillbag.kernel.standard.cut_names import tool_name
from skillbag.runtime.activation.activation import ActivatedSkill
from skillbag.runtime.activation.active import SkillStates
from skillbag.runtime.activation.missing_tools import no_active_tool
from skillbag.runtime.activation.request import ActiveWorkflow, ToolRequest
from skillbag.runtime.backends.backend import CallKind, ToolOutput, ToolSpec
from skillbag.runtime.chain import Running, running_number
from skillbag.runtime.errors import NotFoundError, NotPermittedError, RuntimeFaultError
from skillbag.runtime.host.schemas import SchemaChecks
from skillbag.runtime.skill import Json
from skillbag.runtime.tracing import Trace, no_trace, traced


class Calls:
    """Calls what active skills have registered; close it. `confirm` asks the user where a tool asks before each
    call."""

    def __init__(self, skills: SkillStates, confirm: Callable[[ToolRequest], bool] | None, trace: Trace) -> None:
        self._skills = skills
        self._confirm = confirm
        self._trace = trace
        self._schemas = SchemaChecks()

    def close(self) -> None:
        """End the process that checks inputs."""
        self._schemas.close()

    def find_tool(self, name: str) -> tuple[ActivatedSkill, ToolSpec]:
        """The tool of this name and its skill. Raises NotFoundError if no active skill has it."""
        for active in self._skills:
            for spec in active.tools:
                if spec.name == name:
                    return active, spec
        raise NotFoundError(no_active_tool(self._skills, name))

    def tool(self, name: str, value: Json) -> ToolOutput:
        """Call a tool; what goes wrong in the skill is an output with `is_error`.

        Raises:
            NotFoundError: there is no such tool. BadParametersError: the input does not match its schema.
            NotPermittedError: the user must confirm the call, and did not.
        """
        active, spec = self.find_tool(name)
        active.checks[name].check(value, self._schemas.first_fault)
        self._ask(active, spec, value)
        try:
            output = self._call(active, CallKind.TOOL, name, value)
        except RuntimeFaultError as error:
            return ToolOutput(f"{name}: {error}", is_error=True)
        return output if isinstance(output, ToolOutput) else ToolOutput(str(output))

    def workflows(self) -> tuple[ActiveWorkflow, ...]:
        """The workflows of the active skills. Of two with one name, the later one's tool has the skill's name."""
        found: dict[str, ActiveWorkflow] = {}
        for active in self._skills:
            skill = active.found.name
            for name in active.registration.workflows:
                words = re.sub(r"[^A-Za-z0-9_-]", "_", name)
                tool = tool_name(f"workflow_{words}")
                tool = tool_name(f"workflow_{skill}_{words}") if tool in found else tool
                found[tool] = ActiveWorkflow(skill, name, tool)
        return tuple(found.values())

    def workflow(self, workflow: ActiveWorkflow, value: Json) -> Json:
        """Run a workflow.

        Raises:
            NotFoundError: its skill is not active any more. RuntimeFaultError: it failed.
        """
        if active := self._skills.get(workflow.skill):
            return self._call(active, CallKind.WORKFLOW, workflow.name, value)
        raise NotFoundError(f'the skill "{workflow.skill}" is not active any more')

    def scan(self, active: ActivatedSkill, scanner: str, path: str, content: str) -> Json:
        """Run a scanner of a skill on the text of a file; `path` is relative to the workspace.

        Raises:
            RuntimeFaultError: it failed.
        """
        return self._call(active, CallKind.SCAN, scanner, {"path": path, "content": content})

    def find_workflow(self, target: str) -> ActiveWorkflow:
        """The workflow that is meant: `SKILL` if it has one, `SKILL/WORKFLOW`, or a name that one skill has.

        Raises:
            NotFoundError: there is no such workflow in an active skill, or there are several.
        """
        skill, _, name = target.partition("/")
        workflows = self.workflows()
        if self._skills.get(skill):
            own = [each for each in workflows if each.skill == skill]
            found = [each for each in own if name in ("", each.name)]
            if len(found) != 1:
                raise NotFoundError(_no_workflow(skill, name, own))
            return found[0]
        found = [each for each in workflows if each.name == target]
        if len(found) == 1:
            return found[0]
        if found:
            owners = ", ".join(each.target for each in found)
            raise NotFoundError(f'several active skills have a workflow "{target}"; name one of {owners}')
        raise NotFoundError(f'no active skill has a workflow "{target}"')

    def _ask(self, active: ActivatedSkill, spec: ToolSpec, value: Json) -> None:
        if not spec.requires_approval:
            return
        if self._confirm is None or not self._confirm(ToolRequest(active.found.name, spec.name, value)):
            raise NotPermittedError(
                f'the tool "{spec.name}" of skill "{active.found.name}" asks the user before each call, and the user '
                "did not allow this one"
            )

    def _call(self, active: ActivatedSkill, kind: CallKind, name: str, value: Json) -> Json:
        backend = active.backend
        if backend is None:
            raise NotFoundError(f'skill "{active.found.name}" has no code')
        with Running(active.grantee):
            if self._trace is no_trace:
                return backend.call(kind, name, value)
            event = {"event": "call", "skill": active.found.name, "kind": kind, "name": name, "input": value}
            return traced(self._trace, {**event, "run": running_number()}, partial(backend.call, kind, name, value))


def _no_workflow(skill: str, name: str, own: list[ActiveWorkflow]) -> str:
    if not own:
        return f'skill "{skill}" has no workflows'
    if name:
        return f'skill "{skill}" has no workflow "{name}"; it has {", ".join(each.name for each in own)}'
    return f'skill "{skill}" has several workflows; name one: {", ".join(each.target for each in own)}'
