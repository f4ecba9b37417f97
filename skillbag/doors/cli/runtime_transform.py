"""`skillbag runtime transform`: an answer on standard input, as the `transform` skills change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.options import dry_run_option
from skillbag.doors.cli.runtime_planning import plan_triggered
from skillbag.doors.cli.runtime_session import EXIT_FAILED, act, acting_options, failure
from skillbag.doors.cli.stdin import whole_input
from skillbag.kernel.manifest.names import MODES

if TYPE_CHECKING:
    from skillbag.runtime.sessions.runtime import Runtime

_TRANSFORM = """\b
Examples:
  echo "good day" | skillbag runtime transform
  skillbag runtime transform --skills i18n-output --json < answer.md

\b
Exit codes: 0 done, 1 a skill can't be activated, 2 bad usage, 3 the user must be asked something first, 4 the
environment failed.
"""


@click.command("transform", cls=CliCommand, epilog=_TRANSFORM)
@click.option("--message", metavar="TEXT", default="", help="What the user said; it triggers skills.")
@click.option("--mode", type=click.Choice(MODES), default="interactive", show_default=True, help="How the agent runs.")
@acting_options
@dry_run_option
def transform(message: str, mode: str, dry_run: bool, as_json: bool, **acting: Any) -> None:
    """Print an answer as skills change it.

    The answer is on standard input. Skills of the type `transform` take part: those that are triggered, named with
    --skills, or active in the session.
    """

    def work(runtime: Runtime) -> CommandOutput:
        return _transformed(runtime, text, message)

    with answering("runtime transform", as_json=as_json, on_error=failure) as say:
        if dry_run:
            say(plan_triggered("then the answer would be transformed", message=message, mode=mode, **acting))
        else:
            text = whole_input()
            say(act(work, as_json=as_json, mode=mode, **acting))


def _transformed(runtime: Runtime, text: bytes, message: str) -> CommandOutput:
    from skillbag.kernel.manifest.names import SkillType
    from skillbag.report.runtime.acts import TransformedJson, value_text
    from skillbag.runtime.sessions.preview import activate_triggered, is_of

    failed = activate_triggered(runtime, is_of(SkillType.TRANSFORM), message)
    runtime.remarks += [f'skill "{name}" is not activated: {why}' for name, why in failed.items()]
    if not any(SkillType.TRANSFORM in active.found.manifest.types for active in runtime.skills):
        runtime.remarks.append('no skill of the type "transform" is active')
    reply = runtime.respond(text.decode("utf-8", "replace"))
    runtime.remarks += reply.notes
    values = TransformedJson(reply.text, bool(reply.changed_by))
    return CommandOutput(values, value_text(reply.text.removesuffix("\n")), EXIT_FAILED if failed else 0)
