"""The commands as pages about them need them: contexts of click, with usage, options and lines of a list."""

from __future__ import annotations

from collections.abc import Iterator

import click

from skillbag.doors.cli.app import app

ROOT = click.Context(app, info_name="skillbag")


def commands() -> Iterator[tuple[click.Context, str]]:
    """Each command of the program, with its line in the list."""
    for name in app.list_commands(ROOT):
        command = app.get_command(ROOT, name)
        assert command is not None  # noqa: S101 - it is in the list
        yield _inner(ROOT, name, command), app.summary(name)


def below(context: click.Context) -> Iterator[click.Context]:
    """The commands of a group and of the groups in it."""
    group = context.command
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = _inner(context, name, command)
        yield inner
        yield from below(inner)


def usage(context: click.Context) -> str:
    """What follows the name on the command line."""
    return " ".join(context.command.collect_usage_pieces(context))


def options(context: click.Context) -> Iterator[tuple[str, str]]:
    """The names of each option, and its text."""
    for found in context.command.get_params(context):
        record = found.get_help_record(context) if isinstance(found, click.Option) else None
        if record:
            yield record[0], " ".join(record[1].split())


def _inner(parent: click.Context, name: str, command: click.Command) -> click.Context:
    return command.context_class(command, parent=parent, info_name=name, **command.context_settings)
