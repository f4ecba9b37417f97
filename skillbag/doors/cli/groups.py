"""Groups whose commands are data: each is imported when it is called, and help shows them under headings."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliGroup
from skillbag.doors.cli.help_pages import write_sections
from skillbag.doors.cli.messages import hint
from skillbag.doors.cli.streams import is_live

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Commands = Mapping[str, tuple[str, str]]
"""By name: the module and attribute of a command, and its line in the list."""

Sections = Mapping[str, Commands]
"""The commands by heading."""


class LazyGroup(CliGroup):
    """A group of commands that are imported when they are called, so that each pays only for itself."""

    def __init__(
        self, *arguments: Any, sections: Sections, moved: Mapping[str, str] = MappingProxyType({}), **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.sections = sections
        self._moved = moved
        self._entries = {name: entry for commands in sections.values() for name, entry in commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the sections."""
        return list(self._entries)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """An earlier word is taken for what it has become; a person is told."""
        if args and args[0] not in self._entries and (now := self._moved.get(args[0])):
            if is_live(sys.stderr):
                hint(f"skillbag {args[0]} is skillbag {now} now")
            args = [*now.split(), *args[1:]]
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        if cmd_name not in self._entries:
            return None
        module, _, attribute = self._entries[cmd_name][0].partition(":")
        found: click.Command = getattr(importlib.import_module(f"skillbag.doors.cli.{module}"), attribute)
        return found

    def summary(self, name: str) -> str:
        """The line of a command in the list."""
        return self._entries[name][1]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, without importing them."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=text) for name, text in listed(self, ctx) if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """At the top only the commands: a screen is short, and each of them shows its options."""
        if ctx.parent is None:
            self.format_commands(ctx, formatter)
        else:
            super().format_options(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The sections, without importing a command."""
        rows = ((title, [(name, self.summary(name)) for name in commands]) for title, commands in self.sections.items())
        write_sections(formatter, rows)


def listed(group: click.Group, context: click.Context) -> Iterator[tuple[str, str]]:
    """The commands of a group with their texts; those of data are not imported."""
    for name in group.list_commands(context):
        if isinstance(group, LazyGroup):
            yield name, group.summary(name)
        elif (command := group.get_command(context, name)) and not command.hidden:
            yield name, command.get_short_help_str(100)
