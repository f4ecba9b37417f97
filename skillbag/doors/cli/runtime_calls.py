"""`skillbag runtime activate|deactivate|call|run|hooks`: skills at work."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.inputs import parse_json
from skillbag.doors.cli.options import dry_run_option
from skillbag.doors.cli.person import check_person
from skillbag.doors.cli.runtime_planning import plan_activation, planning
from skillbag.doors.cli.runtime_queries import check_known
from skillbag.doors.cli.runtime_session import (
    EXIT_FAILED,
    act,
    acting_options,
    activate_named,
    asks,
    failure,
    on_terminal,
)
from skillbag.doors.cli.stdin import piped_input, whole_input
from skillbag.kernel.base.errors import UserError
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.runtime.activation.request import ToolRequest
    from skillbag.runtime.sessions.runtime import Runtime
    from skillbag.session.inputs.questions import Question

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
    from skillbag.report.runtime.acts import ActivationJson, activation_text

    def work(runtime: Runtime) -> CommandOutput:
        check_known(runtime, name)
        activated = activate_named(runtime, name)
        done = ActivationJson.of(name, activated, runtime.tools(), runtime.request.session is not None)
        return CommandOutput(done, activation_text(done))

    with answering("runtime activate", as_json=as_json, on_error=failure) as say:
        if not dry_run:
            say(act(work, as_json=as_json, **acting))
        else:
            with planning(**acting) as runtime:
                say(plan_activation(runtime, name, f"{name} would be active"))


@click.command("deactivate", cls=CliCommand, epilog=_DEACTIVATE)
@click.argument("name")
@acting_options
def deactivate(name: str, as_json: bool, **acting: Any) -> None:
    """Deactivate the skill NAME in a session.

    What requires it is deactivated before it.
    """
    from skillbag.report.runtime.acts import DeactivationJson, deactivation_text
    from skillbag.runtime.hooks.guards import ending

    def work(runtime: Runtime) -> CommandOutput:
        if name not in runtime.skills.lost:
            check_known(runtime, name)
        if held := runtime.skills.guards_of(name):
            check_person(ending(held))
        done = DeactivationJson(name, runtime.deactivate(name))
        return CommandOutput(done, deactivation_text(done))

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
    from skillbag.runtime.sessions.targets import skill_of_tool

    confirmation = Confirmation(confirm, as_json)

    def work(runtime: Runtime) -> CommandOutput:
        if skill is not None or tool not in (each.spec.name for each in runtime.tools()):
            _activate_owner(runtime, _owner(runtime, tool, skill), tool, value)
        owner = runtime.calls.find_tool(tool)[0].found.name
        if skill not in (None, owner):
            raise UserError(f'the tool "{tool}" is one of skill "{owner}", not of "{skill}"')
        try:
            report = runtime.call_tool(tool, value)
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
            with planning(**acting) as runtime:
                owner = skill or skill_of_tool(runtime, tool)
                say(plan_activation(runtime, owner, f"then the tool {tool} would be called"))
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
    from skillbag.report.runtime.acts import FailedWorkflowJson, WorkflowJson, value_text
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
            failed = FailedWorkflowJson(name, str(error))
            return CommandOutput(failed, f"Error: {value_text(failed.error)}", EXIT_FAILED)
        runtime.remarks += filter(None, [report.said])
        return CommandOutput(WorkflowJson(name, report.value), value_text(report.value))

    with answering("runtime run", as_json=as_json, on_error=failure) as say:
        if dry_run:
            with planning(**acting) as runtime:
                owner = skill_of_workflow(runtime, target) or target
                say(plan_activation(runtime, owner, f"then the workflow {target} would run"))
        else:
            value = _input(input_)
            say(act(work, as_json=as_json, **acting))


@click.command("hooks", cls=CliCommand, epilog=_HOOKS)
@acting_options
def hooks(as_json: bool, **acting: Any) -> None:
    """List the hooks of active skills.

    They are in the order in which they run, by phase. Skills are active in a session, or named with --skills.
    """
    from skillbag.report.runtime.acts import HookJson, HooksJson, hooks_text

    def work(runtime: Runtime) -> CommandOutput:
        listed = HooksJson(tuple(map(HookJson.of, runtime.hooks.listed())))
        return CommandOutput(listed, hooks_text(listed, [each.found.name for each in runtime.skills]))

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
    from skillbag.runtime.activation.input_checks import check_declared_input

    if runtime.questions(owner):
        check_declared_input(runtime.skills.status(owner).found, tool, value)
    activate_named(runtime, owner)


def _called(tool: str, owner: str, content: str, is_error: bool) -> CommandOutput:
    from skillbag.report.runtime.acts import CalledJson, value_text

    values = CalledJson(tool, owner, content, is_error)
    return CommandOutput(values, f"Error: {value_text(content)}" if is_error else value_text(content), int(is_error))


def _input(text: str | None) -> object:
    """The JSON value given, or that on standard input for `-`; without any, an empty object."""
    data = piped_input() if text is None else whole_input() if text == "-" else text
    return parse_json(data, "the input") if data.strip() else {}


class Confirmation:
    """Whether the user allows a call: as the command line says, else as they answer on a terminal. `question` is the
    one that nobody could answer; None if there is none."""

    def __init__(self, given: bool, as_json: bool) -> None:
        """`given`: the command line says so."""
        self._given = given
        self._as_json = as_json
        self.question: Question | None = None

    def __call__(self, request: ToolRequest) -> bool:
        """Whether this call is allowed."""
        from skillbag.report.runtime.acts import confirm_question

        if self._given:
            return True
        question = confirm_question(request)
        if not on_terminal(self._as_json):
            self.question = question
            return False
        sys.stdout.write(f"{shown(question.text)} [y/N]: ")
        sys.stdout.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")
