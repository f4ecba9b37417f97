"""A driver that keeps each answer of our own one with what it did to the disk: its argument is the folder.

Each run of the program is a fork of this process, which has it imported already: starting Python for each would take
most of the time. `tests/fleet/conformance/test_protocol_page.py` has our driver start the program as it really does.
"""

from __future__ import annotations

import contextlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import skillbag
from skillbag.doors.cli import main as program
from skillbag.fleet.conformance import driver
from tests.fleet.conformance.recorded import Answer, effects, keep, key_of, tree_of


def main() -> None:
    folder = Path(sys.argv[1])
    for module in pkgutil.walk_packages(skillbag.__path__, "skillbag."):
        if not module.name.startswith(
            (
                *("skillbag.agents.mcp_server", "skillbag.fleet.audit", "skillbag.runtime"),
                *("skillbag.kernel.processes.c", "skillbag.lint.checks.children"),
            )
        ):
            import_module(module.name)
    with patch("skillbag.fleet.conformance.calls.subprocess", SimpleNamespace(run=forked)):
        for line in sys.stdin.buffer:
            sys.stdout.write(json.dumps(answered(json.loads(line), folder)) + "\n")
            sys.stdout.flush()


def answered(request: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """Our driver's answer, kept in the folder."""
    if request["operation"] == "hello":
        return driver.answer(request)
    key, before = key_of(request), tree_of(request["workspace"])
    answer = driver.answer(request)
    if "outcome" in answer:
        keep(folder, key, Answer(answer["outcome"], effects(before, tree_of(request["workspace"]))))
    return answer


def forked(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` of the program."""
    with contextlib.ExitStack() as opened:
        files = [opened.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(options["input"].encode())
        files[0].seek(0)
        child = os.fork()
        if child == 0:
            arguments = command[command.index("skillbag") :]
            run_program(arguments, [file.fileno() for file in files], options["cwd"], options["env"])
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for file in files:
            file.seek(0)
        _, out, err = (file.read().decode("utf-8", "replace") for file in files)
    return subprocess.CompletedProcess(command, code, out, err)


def run_program(arguments: Sequence[str], files: Sequence[int], cwd: str, env: Mapping[str, str]) -> None:
    """Become the program: with these files as its streams, and to the end of the process."""
    code: object = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
        sys.stdin = os.fdopen(0)
        sys.argv = list(arguments)
        os.environ.clear()
        os.environ.update(env)
        os.chdir(cwd)
        program()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(bool(code)))
