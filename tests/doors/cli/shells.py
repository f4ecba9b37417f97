"""Shells on terminals of their own, in which a line is completed."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

_READY = "ready-to-type> "
"""The prompt; the command that sets it is written otherwise, and its echo is no prompt."""
_START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}
_SETUP = {
    "bash": "PS1=ready''-to-type'> '; bind 'set enable-bracketed-paste off'; eval \"$(skillbag self completion bash)\"",
    "zsh": "PS1=ready''-to-type'> '; unset zle_bracketed_paste; autoload -U compinit; compinit -D -u; bindkey -e; "
    'eval "$(skillbag self completion zsh)"',
}


def completed(shell: str, line: str, cwd: Path) -> list[str]:
    """The words of the line after its last one is completed, which must be possible in one way only."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    if shell == "fish":
        return _completed_by_fish(line, cwd)
    return _completed_on_terminal(shell, line, cwd)


def environment(cwd: Path) -> dict[str, str]:
    """Variables with which `skillbag` is this program."""
    programs = cwd.parent / "programs"
    programs.mkdir(exist_ok=True)
    program = programs / "skillbag"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m skillbag "$@"\n', "utf-8")
    program.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": os.getcwd(), "TERM": "xterm", "HOME": str(programs)}


def _completed_by_fish(line: str, cwd: Path) -> list[str]:
    script = 'skillbag self completion fish | source; complete -C "$argv[1]"'
    done = subprocess.run(
        ["fish", "--no-config", "-c", script, line], cwd=cwd, env=environment(cwd), capture_output=True, text=True
    )
    values = [row.partition("\t")[0] for row in done.stdout.splitlines()]
    assert len(values) == 1, (values, done.stderr)
    return [*line.split(" ")[:-1], *values]


def _completed_on_terminal(shell: str, line: str, cwd: Path) -> list[str]:
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, 200))
    process = subprocess.Popen(
        _START[shell], cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(cwd), start_new_session=True
    )
    os.close(theirs)
    try:
        os.write(ours, f"{_SETUP[shell]}\n".encode())
        _wait(ours, _READY, 60)
        os.write(ours, f"{line}\t".encode())
        _wait_for_more(ours, line, 20)
        # What is completed becomes the arguments of a command that prints them.
        os.write(ours, b"\x01printf '<%s>' \n")
        printed = _wait(ours, _READY, 30).rpartition("<skillbag>")[2]
        return ["skillbag", *re.findall(r"<([^<>]*)>", printed)]
    finally:
        process.kill()
        process.wait()
        os.close(ours)


_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[=>])|[\x00-\x1f\x7f]")
_QUIET = 0.2


def _wait_for_more(terminal: int, line: str, seconds: float) -> None:
    """Wait until more than the typed line has come and nothing follows, or until the time is over."""
    found, limit = "", time.monotonic() + seconds
    poll = select.poll()
    poll.register(terminal, select.POLLIN)
    while (left := limit - time.monotonic()) > 0:
        is_more = len(_CONTROL.sub("", found)) > len(line)
        if poll.poll((_QUIET if is_more else left) * 1000):
            found += os.read(terminal, 65536).decode(errors="replace")
        elif is_more:
            return


def _wait(terminal: int, text: str, seconds: float) -> str:
    """What comes until it has the text, or until the time is over."""
    found, limit = "", time.monotonic() + seconds
    poll = select.poll()
    poll.register(terminal, select.POLLIN)
    while (left := limit - time.monotonic()) > 0 and not (text and text in found):
        if poll.poll(left * 1000):
            found += os.read(terminal, 65536).decode(errors="replace")
    return found
