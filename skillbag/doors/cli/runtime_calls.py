"""`skillbag runtime activate|deactivate|call|run|hooks`: skills at work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.inputs import parse_json
from skillbag.doors.cli.options import dry_run_option
from skillbag.doors.cli.person import check_person
from skillbag.doors.cli.runtime_confirmation import Confirmation
from skillbag.doors.cli.runtime_queries import check_known
from skillbag.doors.cli.runtime_session import (
    EXIT_FAILED,
    act,
    acting_options,
    activate_named,
    asks,
    failure,
    runtime_at,
    with_remarks,
)
from skillbag.doors.cli.stdin import piped_input, whole_input
from skillbag.kernel.base.errors import UserError
from skillbag.report.sanitize import exact

if TYPE_CHECKING:
    from skillbag.runtime.sessions.preview import PlannedSkill
    from skillbag.runtime.sessions.runtime import Runtime

_ACTIVATE = """\b
Examples:
  skillbag runtime activate kubernetes --session s1
  skillbag runtime activate kubernetes --session s1 --approve-skills kubernetes
  skillbag runtime activate kubernetes --dry-run

\b
In a session, the skill stays active for later commands. Without one it is tried: the activation ends with the command.
Exit codes: 0 done, 1 it can't be activated, 2 bad usage or no such skill, 3 the user must be asked something first,
4 the environment failed.
"""
_DEACTIVATE = "\b\nExample:\n  skillbag runtime deactivate kubernetes --session s1"
_CALL = """\b
Examples:
  skillbag runtime call kubectl_get '{"resource": "pods"}'
  skillbag runtime call echo '{"text": "hello"}' --skill echo-process --trace calls.jsonl
  echo '{"resource": "pods"}' | skillbag runtime call kubectl_get -

\b
A skill that declares the tool is activated where it is not active. The hooks of active skills run as well.
Exit codes: 0 done, 1 the tool failed (Error: … on standard output), 2 bad usage or bad input, 3 the user must be asked
something first, 4 the environment failed.
"""
_RUN = """\b
Examples:
  skillbag runtime run rfc-writer '{"title": "Retries"}'
  skillbag runtime run rfc-writer/write_rfc '{"title": "Retries"}' --json
  skillbag runtime run rfc-writer --dry-run

\b
Exit codes: 0 done, 1 the workflow failed, 2 bad usage, 3 the user must be asked something first, 4 the environment
failed.
"""
_HOOKS = """\b
Examples:
  skillbag runtime hooks --session s1
  skillbag runtime hooks --skills i18n-output
"""


@click.command("activate", cls=CliCommand, epilog=_ACTIVATE)
@click.argument("name")
@acting_options
@dry_run_option
def activate(name: str, dry_run: bool, as_json: bool, **acting: Any) -> None:
    """Activate the skill NAME.

    What it needs is activated before it.
    """
    from skillbag.report.runtime_acts import activation_text, activation_values

    def work(runtime: Runtime) -> CommandOutput:
        check_known(runtime, name)
        activated = activate_named(runtime, name)
        tools = [each for each in runtime.tools() if each.skill in activated]
        given = (name, activated, tools, runtime.request.session is not None)
        return CommandOutput(activation_values(*given), activation_text(*given))

    with answering("runtime activate", as_json=as_json, on_error=failure) as say:
        say(_plan_activation(name, **acting) if dry_run else act(work, as_json=as_json, **acting))


@click.command("deactivate", cls=CliCommand, epilog=_DEACTIVATE)
@click.argument("name")
@acting_options
def deactivate(name: str, as_json: bool, **acting: Any) -> None:
    """Deactivate the skill NAME in a session.

    What requires it is deactivated before it.
    """
    from skillbag.report.encoding import json_object
    from skillbag.report.runtime_acts import deactivation_text
    from skillbag.runtime.hooks.guards import ending

    def work(runtime: Runtime) -> CommandOutput:
        if name not in runtime.skills.lost:
            check_known(runtime, name)
        if held := runtime.skills.guards_of(name):
            check_person(ending(held))
        deactivated = runtime.deactivate(name)
        return CommandOutput(json_object(skill=name, deactivated=deactivated), deactivation_text(name, deactivated))

    with answering("runtime deactivate", as_json=as_json, on_error=failure) as say:
        if acting["session"] is None:
            raise UserError("without a session, no skill is active: give it with --session ID")
        say(act(work, as_json=as_json, **acting))


@click.command("call", cls=CliCommand, epilog=_CALL)
@click.argument("tool")
@click.argument("input_", required=False, metavar="[JSON|-]")
@click.option("--skill", metavar="NAME", help="The skill that has the tool.  [default: the one that declares it]")
@click.option("--confirm", is_flag=True, help="Allow this call of a tool that asks before each; on a terminal only.")
@acting_options
@dry_run_option
def call(
    tool: str, input_: str | None, skill: str | None, confirm: bool, dry_run: bool, as_json: bool, **acting: Any
) -> None:
    """Call the TOOL of a skill.

    Its result is printed. The input is a JSON object: given here, or on standard input.
    """
    confirmation = Confirmation(confirm, as_json)

    def work(runtime: Runtime) -> CommandOutput:
        if skill is not None or tool not in (each.spec.name for each in runtime.tools()):
            _activate_owner(runtime, _owner(runtime, tool, skill), tool, value)
        owner = runtime.calls.find_tool(tool)[0].found.name
        if skill not in (None, owner):
            raise UserError(f'the tool "{tool}" is one of skill "{owner}", not of "{skill}"')
        try:
            report = runtime.call_reported(tool, value)
        except UserError:
            if question := confirmation.question:
                return asks((question,))
            raise
        # What a skill says of its own tool is no news.
        runtime.remarks += [report.said] if {*report.changed_by} - {owner} else []
        return _called(tool, owner, report.output.content, report.output.is_error)

    with answering("runtime call", as_json=as_json, on_error=failure) as say:
        if confirm:
            check_person("--confirm counts on a terminal only")
        if dry_run:
            say(_plan_call(tool, skill, **acting))
        else:
            value = _input(input_)
            say(act(work, as_json=as_json, confirm=confirmation, **acting))


@click.command("run", cls=CliCommand, epilog=_RUN)
@click.argument("target", metavar="SKILL[/WORKFLOW]")
@click.argument("input_", required=False, metavar="[JSON|-]")
@acting_options
@dry_run_option
def run(target: str, input_: str | None, dry_run: bool, as_json: bool, **acting: Any) -> None:
    """Run a workflow of a skill.

    Its result is printed. Without a name, it is the only one that the skill has.
    """
    from skillbag.report.encoding import to_json
    from skillbag.report.runtime_acts import value_text
    from skillbag.runtime.errors import RuntimeFaultError
    from skillbag.runtime.sessions.targets import skill_of_workflow

    def work(runtime: Runtime) -> CommandOutput:
        if skill := skill_of_workflow(runtime, target):
            activate_named(runtime, skill)
        name = runtime.calls.find_workflow(target).target
        try:
            report = runtime.run_reported(name, value)
        except RuntimeFaultError as error:
            # Whatever it is, it is the workflow that failed.
            values = {"workflow": name, "error": exact(str(error))}
            return CommandOutput(values, f"Error: {value_text(str(error))}", EXIT_FAILED)
        runtime.remarks += filter(None, [report.said])
        return CommandOutput({"workflow": name, "value": to_json(report.value)}, value_text(report.value))

    with answering("runtime run", as_json=as_json, on_error=failure) as say:
        if dry_run:
            say(_plan_run(target, **acting))
        else:
            value = _input(input_)
            say(act(work, as_json=as_json, **acting))


@click.command("hooks", cls=CliCommand, epilog=_HOOKS)
@acting_options
def hooks(as_json: bool, **acting: Any) -> None:
    """List the hooks of active skills.

    They are in the order in which they run, by phase. Skills are active in a session, or named with --skills.
    """
    from skillbag.report.runtime_acts import hooks_text, hooks_values

    def work(runtime: Runtime) -> CommandOutput:
        listed = runtime.hooks.listed()
        return CommandOutput(hooks_values(listed), hooks_text(listed, [each.found.name for each in runtime.skills]))

    with answering("runtime hooks", as_json=as_json, on_error=failure) as say:
        say(act(work, as_json=as_json, **acting))


def _owner(runtime: Runtime, tool: str, skill: str | None) -> str:
    from skillbag.runtime.sessions.targets import skill_of_tool

    if skill is None:
        return skill_of_tool(runtime, tool)
    check_known(runtime, skill)
    return skill


def _activate_owner(runtime: Runtime, owner: str, tool: str, value: object) -> None:
    """Activate the skill of a tool. Before the user is asked something, the input is checked by its manifest."""
    from skillbag.runtime.activation.declared_input import check_declared_input

    if runtime.questions(owner):
        check_declared_input(runtime.skills.status(owner).found, tool, value)
    activate_named(runtime, owner)


def _called(tool: str, owner: str, content: str, is_error: bool) -> CommandOutput:
    from skillbag.report.encoding import json_object
    from skillbag.report.runtime_acts import value_text

    values = json_object(tool=tool, skill=owner, content=content, is_error=is_error)
    return CommandOutput(values, f"Error: {value_text(content)}" if is_error else value_text(content), int(is_error))


def _plan_call(tool: str, skill: str | None, **acting: Any) -> CommandOutput:
    from skillbag.runtime.sessions.targets import skill_of_tool

    with _planning(acting) as runtime:
        return _planned(runtime, skill or skill_of_tool(runtime, tool), f"then the tool {tool} would be called")


def _plan_run(target: str, **acting: Any) -> CommandOutput:
    from skillbag.runtime.sessions.targets import skill_of_workflow

    with _planning(acting) as runtime:
        return _planned(runtime, skill_of_workflow(runtime, target) or target, f"then the workflow {target} would run")


def _plan_activation(name: str, **acting: Any) -> CommandOutput:
    with _planning(acting) as runtime:
        return _planned(runtime, name, f"{name} would be active")


def _planned(runtime: Runtime, name: str, then: str) -> CommandOutput:
    """What would be done: the skills that would be activated, then `then`."""
    from skillbag.report.runtime_acts import plan_text, plan_values
    from skillbag.runtime.sessions.preview import preview
    from skillbag.runtime.sessions.standings import active_names

    check_known(runtime, name)
    active = list(active_names(runtime))
    steps: list[PlannedSkill] = []
    for each in [*(found.name for found in runtime.found.named), name]:
        added = preview(runtime, each, active)
        active += [step.found.name for step in added]
        steps += added
    code = EXIT_FAILED if any(step.refusal for step in steps) else 0
    answer = CommandOutput(plan_values(steps), plan_text(steps, then), code)
    return with_remarks(answer, runtime.remarks)


def _planning(acting: dict[str, Any]) -> Runtime:
    return runtime_at(**{name: value for name, value in acting.items() if name != "trace_file"})


def _input(text: str | None) -> object:
    """The JSON value given, or that on standard input for `-`; without any, an empty object."""
    data = piped_input() if text is None else whole_input() if text == "-" else text
    return parse_json(data, "the input") if data.strip() else {}
