"""`skillbag runtime dev`: a skill is checked, reloaded and tested at each change."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, json_line
from skillbag.doors.cli.messages import note
from skillbag.doors.cli.options import json_option
from skillbag.doors.cli.runtime_session import EXIT_FAILED, approve_option, approved
from skillbag.doors.cli.since import Seconds
from skillbag.doors.cli.streams import safe, write
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.extras import require

if TYPE_CHECKING:
    from skillbag.kernel.model.findings import Finding
    from skillbag.runtime.testing.workbench import Workbench

Say = Callable[[Iterable[str]], None]
"""Takes the lines of a step."""

_DEV = """\b
Examples:
  skillbag runtime dev .skills/kubernetes
  skillbag runtime dev . --once

\b
The skill is loaded in a folder of its own: your files and the network are out of its reach. A version that can't be
loaded leaves the one before as it is. Ctrl-C ends it.
Exit codes: of the last round: 0 all is well, 1 something is wrong; 2 bad usage.
"""


@click.command("dev", cls=CliCommand, epilog=_DEV)
@click.argument("path", type=click.Path())
@click.option("--once", is_flag=True, help="Do it once and end.")
@click.option("--interval", type=Seconds(), default="2s", show_default=True, help="Look for changes at least so often.")
@approve_option
@json_option
def dev(path: str, once: bool, interval: float, approve: tuple[str, ...], as_json: bool) -> None:
    """Check, load and test the skill in a folder, again at each change."""
    from skillbag.kernel.manifest.names import MANIFEST_FILE
    from skillbag.runtime.testing.workbench import Workbench

    directory = os.path.realpath(path)
    if not os.path.lexists(os.path.join(directory, MANIFEST_FILE)):
        raise UserError(f"{path} has no {MANIFEST_FILE}; name the folder of an active skill")
    if not once:
        require("watchfiles", "skillbag runtime dev without --once", "watch")
    named = approved(approve)
    with Workbench(directory, named) as bench:
        turn = partial(_turn, directory, bench, named, as_json)
        code = turn()
        if not once:
            code = _watch(directory, turn, interval, code)
    sys.exit(code)


def _watch(directory: str, turn: Callable[..., int], interval: float, code: int) -> int:
    from skillbag.doors.cli.watching import EndSignal
    from skillbag.lint.cache.watch import ticks

    ended, last = EndSignal(), _content(directory)
    note("watching for changes; Ctrl-C ends it")
    for _ in ticks(directory, interval, ended):
        now = _content(directory)
        if now != last and not ended.is_set():
            last = now
            code = turn(is_later=True)
    return code


def _turn(directory: str, bench: Workbench, approved: tuple[str, ...], as_json: bool, *, is_later: bool = False) -> int:
    """A round, reported line by line or, as JSON, in one line at its end; gives the exit code."""
    if as_json:
        from skillbag.report.runtime.dev import DevJson

        lines: list[str] = []
        code = _round(directory, bench, approved, lines.extend)
        write(json_line("runtime dev", CommandOutput(DevJson(tuple(lines)), "", code)), sys.stdout)
        return code
    if is_later:
        write(f"{time.strftime('%H:%M:%S')}\n", sys.stdout)
    return _round(directory, bench, approved, _say)


def _round(directory: str, bench: Workbench, approved: tuple[str, ...], say: Say) -> int:
    """Each step, as long as the ones before let it make sense; gives the exit code."""
    from skillbag.kernel.manifest.reader import read_manifest
    from skillbag.report.runtime.dev import lint_lines, loaded_line, manifest_lines, not_loaded_line

    cwd = os.getcwd()
    file = read_manifest(directory, directory)
    say(manifest_lines(file, cwd))
    if file.manifest is None:
        return EXIT_FAILED
    try:
        findings = _lint(directory)
        say(lint_lines(findings, cwd))
        is_clean = not any(each.level == "error" for each in findings)
    except (UserError, OSError) as error:
        say([f"[lint] error: {safe(format_error(error))}"])
        is_clean = False
    try:
        say([loaded_line(bench.load())])
    except (UserError, OSError) as error:
        say([not_loaded_line(format_error(error), is_loaded=bench.is_loaded)])
        return EXIT_FAILED
    return 0 if _test(directory, approved, say) and is_clean else EXIT_FAILED


def _lint(directory: str) -> list[Finding]:
    """What `check` finds in the skill."""
    from skillbag.lint.engine.checker import Checker
    from skillbag.lint.engine.request import CheckRequest

    result = Checker(CheckRequest((directory,), here=os.getcwd())).check()
    return [each for each in result.findings if os.path.realpath(each.path).startswith(directory + os.sep)]


def _test(directory: str, approved: tuple[str, ...], say: Say) -> bool:
    from skillbag.report.runtime.dev import tested_lines
    from skillbag.runtime.discovery.discovery import DiscoveryRequest, discover
    from skillbag.runtime.testing.suite import cases_of, run_all

    found = discover(DiscoveryRequest(inline=(os.path.join(directory, ""),))).skills
    skill = cases_of(next(each for each in found if each.directory == directory))
    results = list(run_all([skill], "", approved))
    say(tested_lines(skill, results, os.getcwd()))
    return not any(each.result.faults for each in results) and not any(file.faults for file in skill.files)


def _content(directory: str) -> str:
    from skillbag.runtime.broker.content import content_hash

    try:
        return content_hash(directory)
    except OSError as error:
        return format_error(error)


def _say(lines: Iterable[str]) -> None:
    write("".join(f"{line}\n" for line in lines), sys.stdout)
    sys.stdout.flush()
