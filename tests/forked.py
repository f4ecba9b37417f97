"""`skillbag ARGUMENTS` in a fork of this process, where all is imported already: most of a short command's time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from skillbag.doors.cli import main


def execute(
    arguments: Sequence[str], cwd: Path, variables: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with these variables alone."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        child = os.fork()
        if not child:
            os.chdir(cwd)
            become(arguments, variables, (given.fileno(), out.fileno(), err.fileno()))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for stream in (out, err):
            stream.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read().decode(), err.read().decode())


def become(arguments: Sequence[str], variables: Mapping[str, str], streams: Sequence[int]) -> NoReturn:
    """Run the command with these streams and variables and nothing else of this process."""
    code = 1
    try:
        for number, end in enumerate(streams):
            os.dup2(end, number)
        _let_go_of_files()
        given = dict(variables)
        os.environ.clear()
        os.environ.update(given)
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
        sys.argv = ["skillbag", *arguments]
        main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _let_go_of_files() -> None:
    """Replace all files of the other process. Closed, objects that are collected later would close what reuses them."""
    null = os.open(os.devnull, os.O_RDWR)
    for entry in os.listdir("/dev/fd"):
        with suppress(OSError):
            if int(entry) > 2:
                os.dup2(null, int(entry))
