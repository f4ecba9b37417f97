"""What an unknown command or option may mean: a word of another program, a command elsewhere, or a slip."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator, Sequence

import click

_TOO_MANY = "Got unexpected extra argument"
"""How click's message begins where a command line has more arguments than the command takes."""


@contextlib.contextmanager
def suggesting(context: click.Context, args: Sequence[str]) -> Iterator[None]:
    """Add the command line that may be meant to the usage error about an unknown command."""
    try:
        yield
    except click.UsageError as error:
        if not args:
            raise
        raise click.UsageError(_unknown(context, args, error.message), error.ctx) from error


@contextlib.contextmanager
def suggesting_options(context: click.Context, args: Sequence[str]) -> Iterator[None]:
    """Add the command line that may be meant, where an option is one of another program or of an earlier version, or
    an argument is one too many."""
    given = [*args]
    try:
        yield
    except click.UsageError as error:
        no_option = error.option_name if isinstance(error, click.NoSuchOption) else ""
        if not (no_option or error.message.startswith(_TOO_MANY)):
            raise
        from skillbag.doors.cli.habits import meant

        found = meant(context.find_root(), [*context.command_path.split()[1:], *given])
        if found is None:
            raise
        what = f"no such option {no_option!r}; it is" if no_option else f"{error.message}; it may be"
        raise click.UsageError(f"{what} {found}", error.ctx) from error


def _unknown(context: click.Context, args: Sequence[str], message: str) -> str:
    from skillbag.doors.cli.habits import alike, leads_on, meant, sentence_for

    words = [*context.command_path.split()[1:], *args]
    if sentence := sentence_for(words):
        return f"no command {args[0]!r}: {sentence}"
    if found := meant(context.find_root(), words):
        return f"no command {args[0]!r}; it is {found}"
    if word := alike(context, args[0]):
        whole = (
            context.parent is None and not word.startswith("skillbag") and leads_on(context, [*word.split(), *args[1:]])
        )
        line = shlex.join(["skillbag", *word.split(), *args[1:]]) if whole else word
        return f"{message} Did you mean `{line}`?"
    return f"{message} `{context.command_path} --help` lists the commands."
