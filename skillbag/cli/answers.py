"""How a command ends: its answer as text or JSON, mistakes as JSON where JSON is asked for, and the exit code.

A refresh runs before every response, and imports this: keep its imports few.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import click

from skillbag.base.errors import UserError, format_error
from skillbag.cli.exit_codes import EXIT_ENVIRONMENT, EXIT_USAGE
from skillbag.cli.help_pages import Explained
from skillbag.cli.streams import write
from skillbag.cli.suggestions import suggesting
from skillbag.fs.read import Access, traced

VERSION = 1
"""Of the JSON that `schemas/lifecycle.schema.json` and `schemas/outcome.schema.json` describe."""

_NO_REASON = "to find the workspace"
"""Why a file was opened, where no reason is recorded."""


class Answer(NamedTuple):
    """What a command prints, in both forms, and its exit code. With the text, `errors` go to standard error."""

    values: dict[str, Any]
    text: str
    exit: int = 0
    errors: str = ""


class Command(Explained):
    """A command whose usage errors are JSON as well, where JSON is asked for."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments."""
        with self._usage_errors(parent, as_json="--json" in args):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, which may find usage errors itself."""
        with self._usage_errors(ctx.parent, as_json=ctx.params.get("as_json", False)):
            return super().invoke(ctx)

    @contextlib.contextmanager
    def _usage_errors(self, parent: click.Context | None, *, as_json: bool) -> Iterator[None]:
        try:
            yield
        except click.UsageError as error:
            if not as_json:
                raise
            _publish(self._whole_name(parent), error_answer(UserError(error.format_message())), as_json=True)
            sys.exit(EXIT_USAGE)

    def _whole_name(self, parent: click.Context | None) -> str:
        """The command's name behind those of its groups, as its other answers have it."""
        names = [self.name or ""]
        while parent is not None and parent.parent is not None:
            names.insert(0, parent.command.name or "")
            parent = parent.parent
        return " ".join(names)


class Group(Command, click.Group):
    """A group of commands whose own usage errors are reported as those of its commands."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, which may be missing."""
        with self._usage_errors(ctx.parent, as_json="--json" in args), suggesting(ctx, args, self.list_commands(ctx)):
            return super().resolve_command(ctx, args)


def error_answer(error: UserError | OSError) -> Answer:
    """An error as the JSON of a command."""
    from skillbag.report.sanitize import exact

    code = EXIT_ENVIRONMENT if isinstance(error, OSError) else EXIT_USAGE
    return Answer({"error": exact(format_error(error))}, "", code)


@contextlib.contextmanager
def answering(
    command: str,
    *,
    as_json: bool,
    trace: bool = False,
    on_error: Callable[[UserError | OSError], Answer | None] | None = None,
) -> Iterator[Callable[[Answer], None]]:
    """Yield a function that prints an answer, to be called once; the block may go on after it. Then exit with its code.

    An error in the block becomes the answer that `on_error` makes of it, by default `error_answer` with `--json` and
    none else; without one it is raised. If the output is closed, the process exits where it was printed.
    """
    given: list[Answer] = []
    with traced() if trace else contextlib.nullcontext() as accesses:

        def say(answer: Answer) -> None:
            given.append(answer)
            if not _publish(command, answer, as_json=as_json, accesses=accesses):
                sys.exit(answer.exit)

        try:
            yield say
        except (UserError, OSError) as error:
            # Only one answer is ever printed; a later error is raised.
            failed = None if given else on_error(error) if on_error else error_answer(error) if as_json else None
            if failed is None:
                _print_trace(() if given else accesses)
                raise
            say(failed)
    sys.exit(given[-1].exit)


def _publish(command: str, answer: Answer, *, as_json: bool, accesses: Sequence[Access] | None = None) -> bool:
    """Print an answer, and whether it was read; `accesses` are shown in the JSON, or on standard error beside text."""
    if not as_json:
        _print_trace(accesses)
        is_read = write(answer.text, sys.stdout)
        if answer.errors:
            write(answer.errors, sys.stderr)
        return is_read
    return write(json_text(command, answer, accesses), sys.stdout)


def json_text(command: str, answer: Answer, accesses: Sequence[Access] | None = None) -> str:
    """The JSON of an answer; `accesses` are the files that were opened, where they are asked for."""
    import json

    values = {"version": VERSION, "command": command, "exit": answer.exit, **answer.values}
    if accesses is not None:
        values["trace"] = [{"path": access.path, "why": access.why or _NO_REASON} for access in accesses]
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"


def _print_trace(accesses: Sequence[Access] | None) -> None:
    if not accesses:
        return
    from skillbag.report.sanitize import shown

    for access in accesses:
        click.echo(shown(f"opened {os.path.relpath(access.path)}: {access.why or _NO_REASON}"), err=True)
