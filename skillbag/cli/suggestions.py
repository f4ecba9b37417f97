"""What a mistyped command may mean."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import click


@contextlib.contextmanager
def suggesting(args: Sequence[str], known: Sequence[str]) -> Iterator[None]:
    """Add the command that may be meant to the usage error about an unknown one."""
    try:
        yield
    except click.UsageError as error:
        import difflib

        close = difflib.get_close_matches(args[0], known, 1)
        if close:
            raise click.UsageError(f"{error.message} Did you mean {close[0]!r}?", error.ctx) from error
        raise
