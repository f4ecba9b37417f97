"""Commands on a terminal of their own."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

OUR_TERMINAL = {"COLUMNS", "DOMTERM", "FORCE_COLOR", "FORCE_HYPERLINK", "KITTY_WINDOW_ID", "KONSOLE_VERSION"}
OUR_TERMINAL |= {"NO_COLOR", "TERM_PROGRAM", "VTE_VERSION", "WSL_DISTRO_NAME", "WT_SESSION"}
"""Variables of the terminal that the tests run in."""


class Ended(NamedTuple):
    """The whole text on a terminal, the part between the question and the answer, and the exit code."""

    text: str
    pause: str
    code: int


def on_terminal(
    cwd: Path, *arguments: str, answer: str = "", prompt: str = "[y/N]: ", columns: int = 80, **variables: str
) -> Ended:
    """Run a command on a terminal of its own; the `answer` is given 0.3 seconds after the question, which ends with
    the `prompt`."""
    pty, termios, fcntl = (pytest.importorskip(name) for name in ("pty", "termios", "fcntl"))
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (30, columns))
    environment = {key: value for key, value in os.environ.items() if key not in OUR_TERMINAL}
    process = subprocess.Popen(
        [sys.executable, "-m", "skillbag", *arguments],
        cwd=cwd,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment | {"TERM": "xterm-256color"} | variables,
        start_new_session=True,
        # The terminal is the one of the process's session, so that Ctrl-C interrupts it.
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    try:
        before = _until(ours, prompt) if answer else ""
        pause = _until(ours, "", 0.3) if answer else ""
        os.write(ours, answer.encode())
        after = _until(ours, "")
        return Ended(before + pause + after, pause, process.wait(300))
    finally:
        process.kill()
        os.close(ours)


def _until(terminal: int, end: str, seconds: float = 120) -> str:
    """What comes until it ends with `end`, until nothing more can come, or until the time is over."""
    found, limit = b"", time.monotonic() + seconds
    # Not `select`: it takes no number of a file above 1,023.
    poll = select.poll()
    poll.register(terminal, select.POLLIN)
    while (left := limit - time.monotonic()) > 0 and not (end and found.endswith(end.encode())):
        if not poll.poll(left * 1000):
            break
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        if not more:
            break
        found += more
    return found.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
