"""What click finds wrong with a command line, in the words and the form of our own errors."""

from __future__ import annotations

import re
import sys

import click

from skillbag.doors.cli.messages import error as print_error
from skillbag.doors.cli.messages import hint, lowered
from skillbag.doors.cli.output_style import OutputStyle, foreseen, output_style, set_output_style
from skillbag.doors.cli.streams import safe


def usage_sentence(error: click.ClickException) -> str:
    """Its message as one sentence in one line."""
    text = re.sub(r"\s*\n\s*", " ", error.format_message().strip())
    return lowered(text).removesuffix(".")


def report(error: click.ClickException) -> None:
    """Print the error and, of a command line, where its help is."""
    if output_style() == OutputStyle():
        # The options behind a mistake were not read.
        set_output_style(foreseen(sys.argv[1:]))
    context = getattr(error, "ctx", None)
    print_error(safe(usage_sentence(error)))
    if isinstance(error, click.UsageError):
        hint(f"for help, run {context.command_path if context else 'skillbag'} --help")
