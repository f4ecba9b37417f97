"""How a command ends: its answer as text or JSON, mistakes as JSON where JSON is asked for, and the exit code.

A refresh runs before every response, and imports this: keep its imports few.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import click

from skillbag.doors.cli.common_options import COMMON_OPTIONS, JSON, JSON_OF_GROUPS, MOVED, SHARED_NAMES, asks_json
from skillbag.doors.cli.exit_codes import exit_of
from skillbag.doors.cli.help_pages import Explained, HelpContext, HelpPage
from skillbag.doors.cli.messages import put
from skillbag.doors.cli.output_style import OutputStyle, set_output_style, with_color_values
from skillbag.doors.cli.streams import write
from skillbag.doors.cli.suggestions import suggesting
from skillbag.doors.cli.usage_errors import usage_sentence
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.fs.read import FileAccess, traced

if TYPE_CHECKING:
    from skillbag.kernel.base.json_records import JsonRecord

_ERRORS = (click.UsageError, UserError, OSError)
"""What ends a command with a sentence."""

_NO_REASON = "to find the workspace"
"""Why a file was opened, where no reason is recorded."""


class CommandOutput(NamedTuple):
    """What a command prints, in both forms, and its exit code. With the text, `errors` go to standard error.

    `values` are the record of its JSON, or several whose keys stand side by side.
    """

    values: JsonRecord | Sequence[JsonRecord]
    text: str
    exit: int = 0
    errors: str = ""

    @property
    def parts(self) -> Sequence[JsonRecord]:
        """The records of its JSON."""
        return [cast("JsonRecord", self.values)] if hasattr(self.values, "_fields") else self.values


class _Context(HelpContext):
    """A context that is left by an error with the error's JSON, where JSON is asked for."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the context."""
        super().__exit__(kind, error, traceback)
        if isinstance(error, _ERRORS) and (self.params.get(JSON) or self.meta.get(JSON)):
            _exit_with_json(error, self.info_name, self.parent)


class CliCommand(Explained):
    """A command that takes the common options, and whose errors are JSON where JSON is asked for."""

    context_class = _Context

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments."""
        if parent is None:
            set_output_style(OutputStyle())
        with self._errors(parent, info_name, as_json=asks_json(args)):
            return super().make_context(info_name, with_color_values(args), parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; each error knows its command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its parameters, and the common options."""
        own = super().get_params(ctx)
        names = {name for parameter in own for name in parameter.opts}
        return [*own, *(option for option in COMMON_OPTIONS if not names.intersection(option.opts))]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, and the names of those that commands share below them: `docs/guide.md` says what they do."""
        own: list[tuple[str, str]] = []
        common: list[str] = []
        for parameter in self.get_params(ctx):
            # An argument is in the line of usage; new versions of click have an empty record of it.
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
                if SHARED_NAMES.isdisjoint(parameter.opts):
                    own.append(record)
                else:
                    common.append(record[0])
        if own:
            with formatter.section("Options"):
                formatter.write_dl(own)
        with formatter.section("Common options"):
            cast(HelpPage, formatter).write_items(common)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    @contextlib.contextmanager
    def _errors(self, parent: click.Context | None, name: str | None, *, as_json: bool) -> Iterator[None]:
        try:
            yield
        except _ERRORS as error:
            if not as_json:
                raise
            _exit_with_json(error, name, parent)


class CliGroup(CliCommand, click.Group):
    """A group of commands whose own usage errors are reported as those of its commands."""

    command_class = CliCommand
    is_shelf = False
    """Whether it only holds commands together, so that their answers do not name it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; common options before a command's name are those of the command."""
        # Elsewhere it asks for the version; here it would be `--verbose` of no command.
        is_version = args == ["-v"] and ctx.parent is None
        return super().parse_args(ctx, ["--version"] if is_version else _moved(args))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, which may be missing."""
        with (
            self._errors(ctx.parent, ctx.info_name, as_json=asks_json(args)),
            suggesting(ctx, args),
        ):
            return super().resolve_command(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its parameters, the common options, and `--json` for those of its errors that no command answers."""
        own = super().get_params(ctx)
        return own if any(parameter.name == JSON for parameter in own) else [*own, JSON_OF_GROUPS]


def _exit_with_json(
    error: click.UsageError | UserError | OSError, name: str | None, parent: click.Context | None
) -> NoReturn:
    wrong = UserError(usage_sentence(error)) if isinstance(error, click.UsageError) else error
    exit_with_error(_whole_name(name or "", parent), wrong)


def _whole_name(name: str, parent: click.Context | None) -> str:
    """A command's name behind those of its groups but shelves, as its other answers have it."""
    words: tuple[str, ...] = (name,) if parent is not None else ("skillbag",)
    while parent is not None and parent.parent is not None:
        if not (isinstance(parent.command, CliGroup) and parent.command.is_shelf):
            words = (parent.command.name or "", *words)
        parent = parent.parent
    return " ".join(words)


def _moved(args: list[str]) -> list[str]:
    """The arguments of a group with the common options that are before a command's name behind it."""
    leading: list[str] = []
    rest = args
    while rest and rest[0].partition("=")[0] in MOVED:
        count = 2 if rest[0] == "--color" else 1
        leading, rest = [*leading, *rest[:count]], rest[count:]
    return [rest[0], *leading, *rest[1:]] if rest and not rest[0].startswith("-") else args


def exit_with_error(command: str, error: UserError | OSError) -> NoReturn:
    """Print an error as the JSON of a command, and exit with its code."""
    answer = error_answer(error)
    _publish(command, answer, as_json=True)
    sys.exit(answer.exit)


def error_answer(error: UserError | OSError) -> CommandOutput:
    """An error as the JSON of a command."""
    from skillbag.report.answers.types import MistakeJson

    return CommandOutput(MistakeJson(format_error(error)), "", exit_of(error))


@contextlib.contextmanager
def answering(
    command: str,
    *,
    as_json: bool,
    trace: bool = False,
    on_error: Callable[[UserError | OSError], CommandOutput | None] | None = None,
) -> Iterator[Callable[[CommandOutput], None]]:
    """Yield a function that prints an answer, to be called once; the block may go on after it. Then exit with its code.

    An error in the block becomes the answer that `on_error` makes of it, by default `error_answer` with `--json` and
    none else; without one it is raised. If the output is closed, the process exits where it was printed.
    """
    given: list[CommandOutput] = []
    with traced() if trace else contextlib.nullcontext() as accesses:

        def say(answer: CommandOutput) -> None:
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


def _publish(
    command: str, answer: CommandOutput, *, as_json: bool, accesses: Sequence[FileAccess] | None = None
) -> bool:
    """Print an answer, and whether it was read; `accesses` are shown in the JSON, or on standard error beside text."""
    if not as_json:
        _print_trace(accesses)
        is_read = write(answer.text, sys.stdout)
        if answer.errors:
            put(answer.errors)
        return is_read
    return write(json_text(command, answer, accesses), sys.stdout)


def json_text(command: str, answer: CommandOutput, accesses: Sequence[FileAccess] | None = None) -> str:
    """The JSON of an answer; `accesses` are the files that were opened, where they are asked for."""
    import json

    values = _values(command, answer)
    if accesses is not None:
        values["trace"] = [{"path": access.path, "why": access.why or _NO_REASON} for access in accesses]
    from skillbag.report.encoding import printable

    return printable(json.dumps(values, indent=2, ensure_ascii=False)) + "\n"


def json_line(command: str, answer: CommandOutput) -> str:
    """The same in one line, for a command that goes on."""
    import json

    return json.dumps(_values(command, answer), ensure_ascii=False, separators=(",", ":")) + "\n"


def _values(command: str, answer: CommandOutput) -> dict[str, Any]:
    from skillbag.report.answers.envelope import VERSION, EnvelopeJson
    from skillbag.report.encoding import to_json

    values: dict[str, Any] = {}
    for part in (EnvelopeJson(VERSION, command, answer.exit), *answer.parts):
        values |= to_json(part)
    return values


def _print_trace(accesses: Sequence[FileAccess] | None) -> None:
    if not accesses:
        return
    from skillbag.report.sanitize import shown

    for access in accesses:
        # It was asked for, so it matters if it can't be written.
        sys.stderr.write(shown(f"opened {os.path.relpath(access.path)}: {access.why or _NO_REASON}") + "\n")
    sys.stderr.flush()
