"""Writing to streams, which may be terminals or closed pipes, and reports to files."""

from __future__ import annotations

import contextlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_DEFAULT = 80
"""Columns of a terminal that does not report them."""


def write(text: str, stream: TextIO) -> bool:
    """Write and flush, and whether somebody can read it; a closed pipe is not an error."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        silence(stream)
        return False
    # A stream that was closed from the start is replaced by this file.
    return getattr(stream, "name", None) != os.devnull


def columns(stream: TextIO) -> int:
    """The columns of the terminal that a stream writes to, by `COLUMNS` or by itself; 0 without one.

    In a pipe or a file each line is as long as it is, whatever `COLUMNS` says.
    """
    if not stream.isatty():
        return 0
    # As `shutil.get_terminal_size`, which takes as long to import as checking three skills.
    with contextlib.suppress(KeyError, ValueError):
        if (wanted := int(os.environ["COLUMNS"])) > 0:
            return wanted
    with contextlib.suppress(OSError):
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT
    return _DEFAULT


def silence(stream: TextIO) -> None:
    """Discard further output, also what the interpreter flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_report(path: str, text: str) -> None:
    """Write the report, whole or not at all; a pipe or a device is written to, never replaced by a file.

    Raises:
        OSError: what the system says; an older report is as it was.
    """
    from skillbag.fs.atomic import write_atomic

    data = text.encode("utf-8", "backslashreplace")
    if os.path.lexists(path) and not os.path.isfile(path):
        with open(path, "wb") as special:
            special.write(data)
    else:
        write_atomic(os.path.abspath(path), data, root=os.path.dirname(os.path.abspath(path)))


def print_error(text: str) -> None:
    """Print on standard error; if that fails, the exit code alone says what happened."""
    import click

    try:
        click.echo(text, err=True)
    except OSError:
        silence(sys.stderr)


def safe(message: str) -> str:
    """A message that may repeat the command line, without secrets and passwords of addresses."""
    import re

    from skillbag.report.sanitize import shown_page

    # A path that was made from an address has lost one slash of `//`.
    return shown_page(re.sub(r"(:/+[^\s/@:]*:)[^\s@]+@|([^\s/@:]*:)[^\s/@]+@", r"\1\2****@", message))


def report_recovery(sentence: str) -> None:
    """Say what is waited for or was done, on standard error."""
    import click

    from skillbag.report.sanitize import shown_page

    click.echo(f"skillbag: {shown_page(sentence)}", err=True)
