"""A report as a file that the user named."""

from __future__ import annotations

import os

from skillbag.fs.atomic import write_atomic


def write_report(path: str, text: str) -> None:
    """Write the report, whole or not at all; a pipe or a device is written to, never replaced by a file.

    Raises:
        OSError: what the system says; an older report is as it was.
    """
    data = text.encode("utf-8", "backslashreplace")
    if os.path.lexists(path) and not os.path.isfile(path):
        with open(path, "wb") as special:
            special.write(data)
    else:
        write_atomic(os.path.abspath(path), data, root=os.path.dirname(os.path.abspath(path)))
