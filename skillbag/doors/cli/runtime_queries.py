"""`skillbag runtime list|info|why|trace|status`: what is there, and what would be done; nothing is started."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.options import combined
from skillbag.doors.cli.runtime_session import failure, runtime_at, runtime_options, with_remarks
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.manifest.names import MODES, Category

if TYPE_CHECKING:
    from skillbag.kernel.manifest.values import Manifest
    from skillbag.report.runtime.status import StatusJson
    from skillbag.runtime.sessions.preview import Forecast
    from skillbag.runtime.sessions.runtime import Runtime


_context_options = combined(
    click.option("--message", metavar="TEXT", default="", help="What the user says."),
    click.option("--current-path", metavar="PATH", default="", help="The file in focus, relative to the workspace."),
    click.option(
        "--mode", type=click.Choice(MODES), default="interactive", show_default=True, help="How the agent is run."
    ),
    runtime_options,
)

_LIST = """\b
Examples:
  skillbag runtime list
  skillbag runtime list --category security --tag privacy
  skillbag runtime list --session s1 --json    with the skills that are active in a session
"""
_INFO = """\b
Examples:
  skillbag runtime info kubernetes
  skillbag runtime info kubernetes --json    with its whole manifest
"""
_WHY = """\b
Examples:
  skillbag runtime why kubernetes
  skillbag runtime why kubernetes --message "deploy to kubernetes" --current-path deploy/app.k8s.yaml
"""
_TRACE = """\b
Examples:
  skillbag runtime trace --message "deploy to kubernetes"
  skillbag runtime trace --mode headless --max-total-tokens 2000 --json

\b
Nothing is activated. The tokens are those that the prompt takes of the skills.
"""
_STATUS = """\b
Examples:
  skillbag runtime status
  skillbag runtime status --session s1 --json
"""


@click.command("list", cls=CliCommand, epilog=_LIST)
@click.option(
    "--category", type=click.Choice([each.value for each in Category]), help="Only the skills of this category."
)
@click.option("--tag", "tags", multiple=True, metavar="TEXT", help="Only skills with this tag; case does not count.")
@runtime_options
def list_(category: str | None, tags: tuple[str, ...], as_json: bool, **reach: Any) -> None:
    """List the skills that are found.

    Also those that are hidden, and those that can't be used or activated, with the reasons.
    """
    from skillbag.report.runtime.skills import SkillsJson, list_text
    from skillbag.runtime.sessions.standings import standings

    with answering("runtime list", as_json=as_json, on_error=failure) as say, runtime_at(**reach) as runtime:
        found = [each for each in standings(runtime) if _is_about(each.found.manifest, category, tags)]
        listed = SkillsJson.of(runtime.found, found)
        say(with_remarks(CommandOutput(listed, list_text(listed, runtime.found)), _remarks(runtime)))


@click.command("info", cls=CliCommand, epilog=_INFO)
@click.argument("name")
@runtime_options
def info(name: str, as_json: bool, **reach: Any) -> None:
    """Show all about the skill NAME."""
    from skillbag.report.runtime.skills import SkillInfoJson, SkillJson, info_text
    from skillbag.runtime.sessions.preview import program_of
    from skillbag.runtime.sessions.standings import standings

    with answering("runtime info", as_json=as_json, on_error=failure) as say, runtime_at(**reach) as runtime:
        check_known(runtime, name)
        found = next(each for each in standings(runtime) if each.found.name == name)
        about = SkillInfoJson(SkillJson.of(found), program_of(runtime, found.found), found.found.manifest)
        say(with_remarks(CommandOutput(about, info_text(found)), runtime.remarks))


@click.command("why", cls=CliCommand, epilog=_WHY)
@click.argument("name")
@_context_options
def why(name: str, message: str, current_path: str, as_json: bool, **reach: Any) -> None:
    """Show the score of the skill NAME.

    A skill is activated by itself if its triggers give it as many points as the settings ask for.
    """
    from skillbag.report.runtime.scores import why_json, why_text

    with answering("runtime why", as_json=as_json, on_error=failure) as say, runtime_at(**reach) as runtime:
        check_known(runtime, name)
        forecast = _forecast(runtime, message, current_path)
        item = next(each for each in forecast.scored if each.skill.name == name)
        say(with_remarks(CommandOutput(why_json(forecast, item), why_text(forecast, item)), runtime.remarks))


@click.command("trace", cls=CliCommand, epilog=_TRACE)
@_context_options
@click.option("--max-total-tokens", type=click.IntRange(0), metavar="N", help="Another budget of the prompt.")
def trace(message: str, current_path: str, max_total_tokens: int | None, as_json: bool, **reach: Any) -> None:
    """Show what a message would activate.

    That is the scores of all skills, what would be activated, and what the prompt would take of it.
    """
    from skillbag.report.runtime.scores import ForecastJson, trace_text

    with answering("runtime trace", as_json=as_json, on_error=failure) as say, runtime_at(**reach) as runtime:
        forecast = _forecast(runtime, message, current_path, max_total_tokens)
        values = ForecastJson.of(forecast)
        say(with_remarks(CommandOutput(values, trace_text(values, forecast)), runtime.remarks))


@click.command("status", cls=CliCommand, epilog=_STATUS)
@runtime_options
def status(as_json: bool, **reach: Any) -> None:
    """Show the state of the runtime.

    That is the session, its limits, what the sandbox can hold, and the database.
    """
    from skillbag.report.runtime.status import status_text

    with answering("runtime status", as_json=as_json, on_error=failure) as say, runtime_at(**reach) as runtime:
        found = _status(runtime)
        say(with_remarks(CommandOutput(found, status_text(found)), _remarks(runtime)))


def check_known(runtime: Runtime, name: str) -> None:
    """Raises UserError, with what may be meant or what is wrong with it, if there is no skill of this name."""
    from skillbag.runtime.errors import meant

    names = [found.name for found in runtime.found.skills]
    if name in names:
        return
    for bad in runtime.found.faults:
        if os.path.basename(os.path.dirname(bad.file)) == name:
            fault = bad.faults[0]
            raise UserError(f'skill "{name}" can\'t be used: {bad.file}:{fault.line}:{fault.column}: {fault.message}')
    raise UserError(f'skill "{name}" not found{meant(name, names)}')


def _is_about(manifest: Manifest, category: str | None, tags: tuple[str, ...]) -> bool:
    """Whether a skill is of the category, and has all the tags."""
    own = set(map(str.casefold, manifest.tags))
    return category in (None, manifest.category) and own.issuperset(map(str.casefold, tags))


def _forecast(runtime: Runtime, message: str, current_path: str, total: int | None = None) -> Forecast:
    from skillbag.runtime.sessions.preview import forecast

    return forecast(runtime, message, _relative(runtime, current_path), total)


def _relative(runtime: Runtime, path: str) -> str:
    """A path as triggers are compared with it: relative to the workspace, with `/`."""
    root = runtime.request.workspace
    if root and os.path.isabs(path):
        path = os.path.relpath(os.path.realpath(path), root)
    return path.replace(os.sep, "/").removeprefix("./")


def _remarks(runtime: Runtime) -> tuple[str, ...]:
    in_vain = runtime.request.settings.denied_in_vain(runtime.found.skills)
    return (*in_vain, *runtime.found.remarks, *runtime.resolution.remarks, *runtime.remarks)


def _status(runtime: Runtime) -> StatusJson:
    from skillbag.kernel.processes.confinement import available
    from skillbag.report.runtime.status import CountsJson, StatusJson, UsedJson
    from skillbag.runtime.sessions.standings import active_names, session_record

    request, found = runtime.request, runtime.found
    record = session_record(runtime)
    counts = (found.skills, found.shadowed, found.faults, runtime.resolution.blocked)
    database = runtime.store.path
    return StatusJson(
        request.workspace,
        request.personal,
        request.session,
        record.turn,
        CountsJson(*map(len, counts)),
        active_names(runtime),
        tuple(UsedJson(skill, permission, number) for (skill, _, permission), number in sorted(record.used.items())),
        request.settings.per_turn,
        request.settings.sandbox,
        available(),
        database,
        os.path.getsize(database) if os.path.isfile(database) else None,
        request.completer is not None,
    )
