"""What the commands of `skillbag runtime` share: their options, the runtime that these ask for, and how errors end
them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli import person
from skillbag.doors.cli.answers import CommandOutput
from skillbag.doors.cli.exit_codes import EXIT_ENVIRONMENT, EXIT_QUESTION, exit_of
from skillbag.doors.cli.messages import message, messages
from skillbag.doors.cli.options import combined, json_option, scope_options
from skillbag.doors.cli.outputs import check_output
from skillbag.doors.cli.streams import safe
from skillbag.doors.cli.workspaces import scope_from_options
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.name_lists import split_list
from skillbag.report.answers.types import MistakeJson, RemarksJson
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.runtime.activation.request import ToolRequest
    from skillbag.runtime.broker.decisions import ApprovalScope
    from skillbag.runtime.broker.questions import PermissionQuestion
    from skillbag.runtime.sessions.runtime import Runtime
    from skillbag.runtime.tracing import Trace
    from skillbag.session.inputs.questions import Question

EXIT_FAILED = 1
"""The skill or its tool failed."""

skills_option = click.option(
    "--skills",
    multiple=True,
    metavar="NAME,...",
    help="Skills that are activated in any case: names, or paths of folders (./skill).  [env var: SKILLBAG_SKILLS]",
)

runtime_options = combined(skills_option, scope_options, json_option)
"""What every command takes, for `runtime_at`."""

approve_option = click.option(
    "--approve-skills",
    "approve",
    multiple=True,
    metavar="NAME,...",
    help="Allow these skills what they declare; on a terminal only.  [env var: SKILLBAG_APPROVE_SKILLS]",
)

acting_options = combined(
    approve_option,
    click.option("--trace", "trace_file", metavar="FILE", help="Write calls, hooks and states to a new file."),
    runtime_options,
)
"""What commands that run skills take, for `act`."""


def runtime_at(
    *,
    folder: str,
    personal: str | None,
    session: str | None,
    session_type: str,
    skills: Iterable[str],
    approve: Iterable[str] = (),
    mode: str = "headless",
    **more: Any,
) -> Runtime:
    """The runtime that the options ask for; `more` are further fields of its request.

    Raises:
        UserError: an option or the settings can't be used, a named skill is not found, or the runtime is switched off.
        NeedsPersonError: the options approve or replace what only a person may.
    """
    from skillbag.agents.hosts.active_skills import runtime_request
    from skillbag.runtime.sessions.runtime import Runtime

    scope = scope_from_options(folder, personal, session, session_type)
    approved = person.approved_names(approve)
    request = runtime_request(scope, skills=split_list(skills), approve=frozenset(approved), mode=mode)
    runtime = Runtime(request._replace(**more))
    runtime.remarks += _unknown(runtime, approved)
    return runtime


def _unknown(runtime: Runtime, approved: Iterable[str]) -> Iterator[str]:
    """A sentence for each of these names that no skill has."""
    from skillbag.runtime.errors import meant

    names = [found.name for found in runtime.found.skills]
    for name in approved:
        if name not in names:
            yield f'--approve-skills: skill "{name}" not found{meant(name, names)}'


def act(
    work: Callable[[Runtime], CommandOutput],
    *,
    trace_file: str | None,
    as_json: bool,
    confirm: Callable[[ToolRequest], bool] | None = None,
    **reach: Any,
) -> CommandOutput:
    """The answer of `work` with a runtime, in a turn of its own, or the answer about its error. The session's skills
    and those that were named explicitly are active meanwhile. On a terminal the user is asked.

    What was done before an error counts: the session is kept. Raises as `runtime_at`.
    """
    from skillbag.runtime.sessions.resumption import resumed

    with _traced(trace_file) as trace:
        runtime = runtime_at(**reach, confirm=confirm, ask=asking(as_json), trace=trace)
        with resumed(runtime):
            runtime.broker.begin_turn()
            runtime.turn += 1
            try:
                for found in runtime.found.named:
                    activate_named(runtime, found.name)
                answer = work(runtime)
            except UserError as error:
                answer = failure(error)
        return with_remarks(answer, runtime.remarks)


def activate_named(runtime: Runtime, name: str) -> tuple[str, ...]:
    """Activate a skill; the message of a failure names it, since what its code says need not.

    Raises:
        UserError: as `Runtime.activate`.
    """
    from skillbag.runtime.activation.request import QuestionsError
    from skillbag.runtime.errors import RuntimeFaultError

    try:
        return runtime.activate(name)
    except RuntimeFaultError as error:
        if isinstance(error, QuestionsError) or _exit(error) != EXIT_FAILED or f'"{name}"' in str(error):
            raise
        raise RuntimeFaultError(f'skill "{name}" is not activated: {error}') from error


def asking(as_json: bool) -> Callable[[PermissionQuestion], ApprovalScope | None] | None:
    """What asks the user on the terminal; None where nobody can be asked."""
    if not on_terminal(as_json):
        return None
    from skillbag.runtime.broker.questions import ask_on_terminal

    return lambda question: ask_on_terminal(question, sys.stdin, sys.stdout)


def on_terminal(as_json: bool) -> bool:
    """Whether somebody can be asked."""
    return not as_json and person.is_present() and sys.stdout.isatty()


def with_remarks(answer: CommandOutput, remarks: Iterable[str]) -> CommandOutput:
    """The answer with remarks, which are on standard error beside the text."""
    notes = list(dict.fromkeys(remarks))
    lines = messages("note", map(shown, notes))
    return answer._replace(values=[*answer.parts, RemarksJson(tuple(notes))], errors=f"{lines}{answer.errors}")


def failure(error: UserError | OSError) -> CommandOutput:
    """How an error ends a command: questions that must be answered first, a mistake, a failure of the skill or of the
    environment."""
    from skillbag.runtime.activation.request import QuestionsError
    from skillbag.runtime.broker.questions import as_question

    if isinstance(error, QuestionsError):
        return asks(tuple(map(as_question, error.questions)))
    sentence = format_error(error)
    return CommandOutput(MistakeJson(sentence), "", _exit(error), message("error", safe(sentence)))


def asks(questions: tuple[Question, ...]) -> CommandOutput:
    """The questions that must be answered first."""
    from skillbag.report.runtime.acts import QuestionsJson, RuntimeQuestionJson, questions_text

    return CommandOutput(
        QuestionsJson(tuple(map(RuntimeQuestionJson.of, questions))), questions_text(questions), EXIT_QUESTION
    )


def _exit(error: UserError | OSError) -> int:
    from skillbag.runtime.broker.database_file import StoreError
    from skillbag.runtime.errors import BadParametersError, NotFoundError, RuntimeFaultError, SkillUnavailableError

    if isinstance(error, OSError | StoreError | SkillUnavailableError):
        return EXIT_ENVIRONMENT
    if isinstance(error, RuntimeFaultError) and not isinstance(error, NotFoundError | BadParametersError):
        return EXIT_FAILED
    return exit_of(error)


def approved(given: Iterable[str]) -> tuple[str, ...]:
    """The names in the values of `--approve-skills`, and those that the user's environment approves.

    Raises:
        NeedsPersonError: the command line approves some, and no person is here.
    """
    from skillbag.agents.hosts.active_skills import approved_by_variable

    return (*person.approved_names(given), *approved_by_variable())


@contextmanager
def _traced(path: str | None) -> Iterator[Trace]:
    """The trace at a path, which is closed at the end."""
    from skillbag.runtime.tracing import FileTrace, no_trace

    if path is None:
        yield no_trace
        return
    check_output(path)
    try:
        trace = FileTrace(path)
    except FileExistsError:
        raise UserError(f"--trace {path}: it is there already; name a new file") from None
    try:
        yield trace
    finally:
        trace.close()
