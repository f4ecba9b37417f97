"""Groups whose commands are data: each is imported when it is called, and help shows them under headings."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from skillbag.cli.answers import Group
from skillbag.cli.help_pages import write_sections

Sections = Mapping[str, Mapping[str, tuple[str, str]]]
"""By heading and name: the module and attribute of a command, and its line in the list."""


class LazyGroup(Group):
    """A group of commands that are imported when they are called, so that each pays only for itself."""

    def __init__(self, *arguments: Any, sections: Sections, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sections = sections
        self._entries = {name: entry for commands in sections.values() for name, entry in commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the sections."""
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        if cmd_name not in self._entries:
            return None
        module, _, attribute = self._entries[cmd_name][0].partition(":")
        found: click.Command = getattr(importlib.import_module(f"skillbag.cli.{module}"), attribute)
        return found

    def summary(self, name: str) -> str:
        """The line of a command in the list."""
        return self._entries[name][1]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The sections, without importing a command."""
        rows = ((title, [(name, self.summary(name)) for name in commands]) for title, commands in self.sections.items())
        write_sections(formatter, rows)
