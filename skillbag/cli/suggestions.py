"""What a mistyped command may mean."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import click

_OTHER_NAMES = {"explain": "rule", "lint": "check", "validate": "check", "upgrade": "update", "uninstall": "remove"}
"""Commands of other programs, and ours for them."""


@contextlib.contextmanager
def suggesting(args: Sequence[str], known: Sequence[str]) -> Iterator[None]:
    """Add the command that may be meant to the usage error about an unknown one."""
    try:
        yield
    except click.UsageError as error:
        import difflib

        close = [_OTHER_NAMES[args[0]]] if _OTHER_NAMES.get(args[0]) in known else []
        close = close or difflib.get_close_matches(args[0], known, 1)
        if close:
            raise click.UsageError(f"{error.message} Did you mean {close[0]!r}?", error.ctx) from error
        raise
