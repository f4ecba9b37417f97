"""Writing to streams: how wide they are, and that nobody may read them any more."""

from __future__ import annotations

import contextlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_UNTOLD = 80
"""Columns of a terminal that does not tell them."""


def write(text: str, stream: TextIO) -> bool:
    """Write and flush, and whether anybody was there to read it; that nobody was is no error."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        silence(stream)
        return False
    # Such is the name of what stands in for a stream that was closed from the first.
    return getattr(stream, "name", None) != os.devnull


def columns(stream: TextIO) -> int:
    """The columns of the terminal that a stream writes to, by `COLUMNS` or by itself; 0 without one.

    In a pipe or a file each line is as long as it is, whatever `COLUMNS` says: who reads it there folds it as needed.
    """
    if not stream.isatty():
        return 0
    # As `shutil.get_terminal_size`, which takes as long to import as checking three skills.
    with contextlib.suppress(KeyError, ValueError):
        if (wanted := int(os.environ["COLUMNS"])) > 0:
            return wanted
    with contextlib.suppress(OSError):
        return os.get_terminal_size(stream.fileno()).columns or _UNTOLD
    return _UNTOLD


def silence(stream: TextIO) -> None:
    """Let whatever is still to be written go nowhere: the interpreter must not complain at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def silence_all() -> None:
    """Silence both streams that we write to, as far as they are files of the system."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            silence(stream)


def print_error(text: str) -> None:
    """Say something on standard error; where that takes nothing, the exit code has to tell."""
    import click

    try:
        click.echo(text, err=True)
    except OSError:
        silence(sys.stderr)


def safe(message: str) -> str:
    """What may repeat the command line: without secrets, the passwords of addresses among them."""
    import re

    from skillbag.report.sanitize import shown_page

    # A path that was made of an address has lost its `//`.
    return shown_page(re.sub(r"(:/+[^\s/@:]*:)[^\s@]+@|([^\s/@:]*:)[^\s/@]+@", r"\1\2****@", message))
