"""What the commands of the lifecycle share: options, the trace of opened files, JSON for mistakes, exit codes.

A refresh runs before every response: what is imported here, it pays for.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from skillbag.base.errors import UserError, format_error
from skillbag.cli import EXIT_ENVIRONMENT, EXIT_USAGE
from skillbag.cli.streams import write
from skillbag.fs.read import Access, traced

if TYPE_CHECKING:
    from skillbag.workspace.model import Workspace

VERSION = 1
"""Of the JSON that `schemas/lifecycle.schema.json` describes."""

_UNSAID = "to find the workspace"
"""Why a file was opened, where nobody says so."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, including errors.")
_COMMON = (
    click.option(
        "--workspace",
        "folder",
        type=click.Path(file_okay=False),
        default=".",
        help="The workspace, or a folder in it.  [default: the current folder]",
    ),
    json_option,
    click.option("--trace", is_flag=True, help="Show each file that was opened, and why."),
)
session_option = click.option(
    "--session", metavar="ID", envvar="SKILLBAG_SESSION", help="The session's id, as printed by skillbag enter."
)


def common_options(command: Callable[..., None]) -> Callable[..., None]:
    """What every command of the lifecycle takes: `folder`, `as_json` and `trace`."""
    for option in reversed(_COMMON):
        command = option(command)
    return command


class Command(click.Command):
    """A command whose slips of usage are JSON as well, where JSON is asked for."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As it is, with the arguments looked at before they are taken apart."""
        with self._slips(as_json="--json" in args):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """As it is, for slips that the command itself finds."""
        with self._slips(as_json=ctx.params.get("as_json", False)):
            return super().invoke(ctx)

    @contextlib.contextmanager
    def _slips(self, *, as_json: bool) -> Iterator[None]:
        try:
            yield
        except click.UsageError as error:
            if not as_json:
                raise
            publish(self.name or "", _mistake(UserError(error.format_message())), as_json=True)
            sys.exit(EXIT_USAGE)


class Group(Command, click.Group):
    """A group of commands whose own slips of usage are told as those of its commands are."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As it is, for a command that is not there."""
        with self._slips(as_json="--json" in args):
            return super().resolve_command(ctx, args)


class Answer(NamedTuple):
    """What a command has to say, in both forms, and its exit code."""

    values: dict[str, Any]
    text: str
    exit: int = 0


def root_at(folder: str) -> str:
    """The root of the workspace around `folder`, whole: what a killed process left is brought to an end first.

    Raises:
        UserError: there is no such folder, or no workspace around it.
        OSError: the current folder is gone, or what was left can't be brought to an end now.
    """
    from skillbag.cli.recovery import recovered
    from skillbag.workspace.discovery import workspace_root

    if not folder or not os.path.isdir(folder):
        raise UserError(f"--workspace {folder!r}: there is no such folder")
    try:
        absolute = os.path.abspath(folder)
    except FileNotFoundError as error:
        raise OSError(error.errno, "the current folder is gone; change into one that is there", folder) from error
    return workspace_root(recovered(absolute))


def workspace_at(folder: str) -> Workspace:
    """The workspace around `folder`, read lazily. Raises as `root_at`."""
    root = root_at(folder)

    from skillbag.workspace.model import Workspace
    from skillbag.workspace.target import Kind, installed

    return Workspace(installed(Kind.WORKSPACE, root))


def answer(command: str, work: Callable[[], Answer], *, as_json: bool, trace: bool = False) -> None:
    """Do the work, print what it says, and end with its exit code; with `--json` a mistake is JSON as well."""
    with answering(command, as_json=as_json, trace=trace) as say:
        say(work())


@contextlib.contextmanager
def answering(command: str, *, as_json: bool, trace: bool = False) -> Iterator[Callable[[Answer], None]]:
    """Yield what prints an answer, to be called once; the block may go on after it. Then exit with the answer's code.

    A mistake in the block becomes JSON with `--json`. If the output is closed, the process exits where it was printed.
    """
    gc.disable()
    said: list[Answer] = []
    with traced() as accesses:

        def say(one: Answer) -> None:
            said.append(one)
            if not publish(command, one, as_json=as_json, accesses=accesses if trace else None):
                sys.exit(one.exit)

        try:
            yield say
        except (UserError, OSError) as error:
            # Only one answer is ever printed; after it a mistake is told as ever.
            if said or not as_json:
                _tell_trace(accesses if trace and not said else ())
                raise
            say(_mistake(error))
    sys.exit(said[-1].exit)


def publish(command: str, said: Answer, *, as_json: bool, accesses: Sequence[Access] | None = None) -> bool:
    """Print an answer, and whether it was read; `accesses` are shown in the JSON, or on standard error beside text."""
    if not as_json:
        _tell_trace(accesses or ())
        return write(said.text, sys.stdout)
    import json

    values = {"version": VERSION, "command": command, "exit": said.exit, **said.values}
    if accesses is not None:
        values["trace"] = [{"path": one.path, "why": one.why or _UNSAID} for one in accesses]
    return write(json.dumps(values, indent=2, ensure_ascii=False) + "\n", sys.stdout)


def _mistake(error: UserError | OSError) -> Answer:
    from skillbag.report.sanitize import exact

    code = EXIT_ENVIRONMENT if isinstance(error, OSError) else EXIT_USAGE
    return Answer({"error": exact(format_error(error))}, "", code)


def _tell_trace(accesses: Sequence[Access]) -> None:
    if not accesses:
        return
    from skillbag.report.sanitize import shown

    for one in accesses:
        click.echo(shown(f"opened {os.path.relpath(one.path)}: {one.why or _UNSAID}"), err=True)
