"""The words that real shells make of a line: each program that they find is a stub that records its arguments."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from skillbag.agents.permissions.program_options import words
from skillbag.agents.permissions.shell_lines import GlobWord, commands_of

LINES = Path(__file__).parent / "lines"
SHELLS = ("/bin/bash", "/bin/dash")
PROGRAMS = words("git ls wc npm evil sh env head tail sort uniq grep cut tr nl tac")
FILES = ["1", "a", "a.a", "aaa", "ab", "src"]
UNRECORDED = ("cat", "cd", "echo", "true", ":")
"""`cat` is the real program, since substitutions read from it; the others are built in."""


def lines_of(name: str) -> list[str]:
    """The lines of a file in `lines/`, where `␊` is a line feed, `␉` a tab, and `## …` a heading.

    Of programs each line is `pattern | line`.
    """
    lines = (LINES / f"{name}.txt").read_text("utf-8").splitlines()
    return [line.replace("␊", "\n").replace("␉", "\t") for line in lines if line and not line.startswith("## ")]


def table(name: str) -> list[Any]:
    """The rows of a table in `tables.toml`."""
    rows: list[Any] = tomllib.loads(Path(__file__).with_name("tables.toml").read_text("utf-8"))[name]
    return rows


_STUB = """#!/bin/sh
printf '%s\\0' "$#" "${0##*/}" "$@" >>"$STUB_LOG"
exit "$STUB_STATUS"
"""

Calls = set[tuple[str, ...]]


class Stubs:
    """A folder of stubs that is the shell's whole PATH, and a working folder with files that globs match."""

    def __init__(self, folder: Path) -> None:
        self.log, self.programs, self.work = folder / "log", folder / "programs", folder / "work"
        self.programs.mkdir(parents=True)
        for name in PROGRAMS:
            (self.programs / name).write_text(_STUB)
            (self.programs / name).chmod(0o755)
        (self.programs / "cat").symlink_to(shutil.which("cat") or "/bin/cat")
        (self.work / "src").mkdir(parents=True)
        for name in FILES[:-1]:
            (self.work / name).write_text("")

    def calls(self, shell: str, line: str) -> Calls:
        """The calls of both branches of `&&` and `||`: all programs succeed, then all fail."""
        return self._calls(shell, line, 0) | self._calls(shell, line, 1)

    def expected(self, line: str) -> Calls:
        """The calls that a line makes if shells split it as `commands_of` does, with globs replaced by file names."""
        return {
            tuple(name for word in command for name in self.names(word))
            for command in commands_of(line) or ()
            if command[0] not in UNRECORDED
        }

    def names(self, word: str) -> list[str]:
        found = sorted(glob.glob(word, root_dir=self.work)) if isinstance(word, GlobWord) else []
        return found or [str(word)]

    def _calls(self, shell: str, line: str, status: int) -> Calls:
        self.log.write_bytes(b"")
        environment = {
            "PATH": str(self.programs),
            "HOME": "/home/nobody",
            "LC_ALL": "C.UTF-8",
            "STUB_LOG": str(self.log),
            "STUB_STATUS": str(status),
        }
        subprocess.run(
            [shell, "-c", line],
            env=environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
        )
        assert sorted(os.listdir(self.work)) == FILES, f"{line!r} made a file"
        return set(_parsed(self.log.read_bytes().decode("utf-8", "surrogateescape").split("\0")[:-1]))


def _parsed(fields: list[str]) -> Iterable[tuple[str, ...]]:
    at = 0
    while at < len(fields):
        end = at + 2 + int(fields[at])
        yield tuple(fields[at + 1 : end])
        at = end
