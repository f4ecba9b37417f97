"""Writing to streams, which may be terminals or closed pipes, and reports to files."""

from __future__ import annotations

import contextlib
import os
import sys

from skillbag.doors.cli.output_style import output_style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_DEFAULT = 80
"""Columns of a terminal that does not report them."""
_LINES = 40


def write(text: str, stream: TextIO) -> bool:
    """Write and flush, and whether somebody can read it; a closed pipe is not an error."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        silence(stream)
        return False
    except OSError as error:
        if stream is not sys.stdout or error.filename:
            raise
        raise OSError(error.errno, error.strerror, "standard output") from error
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


def lines(stream: TextIO) -> int:
    """The lines of the terminal that a stream writes to; 40 without one."""
    with contextlib.suppress(OSError):
        return os.get_terminal_size(stream.fileno()).lines or _LINES
    return _LINES


def is_live(stream: TextIO) -> bool:
    """Whether a line that comes and goes can be shown there, and is wanted."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not output_style().quiet


def silence(stream: TextIO) -> None:
    """Discard further output, also what the interpreter flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_report(path: str, text: str) -> None:
    """Write the report, whole or not at all; a pipe or a device is written to, never replaced by a file.

    Raises:
        NeedsPersonError: the path is one that only a person may have written.
        OSError: what the system says; an older report is as it was.
    """
    from skillbag.doors.cli.outputs import check_output
    from skillbag.kernel.fs.atomic import write_atomic
    from skillbag.kernel.fs.changes import write_through

    check_output(path)
    data = text.encode("utf-8", "backslashreplace")
    if os.path.lexists(path) and not os.path.isfile(path):
        write_through(path, data)
    else:
        write_atomic(os.path.abspath(path), data, root=os.path.dirname(os.path.abspath(path)))


def safe(message: str) -> str:
    """A message that may repeat the command line, without secrets and passwords of addresses."""
    import re

    from skillbag.report.sanitize import shown_page

    # A path that was made from an address has lost one slash of `//`.
    message = re.sub(r"(:/+[^\s/@:]*:)[^\s@]+@|([^\s/@:]*:)[^\s/@]+@", r"\1\2****@", message)
    return shown_page(message).replace("\t", "\\t")
