"""`skillbag team conformance`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.options import FILE, json_option
from skillbag.doors.cli.person import check_code
from skillbag.doors.cli.progress import bars
from skillbag.doors.cli.streams import is_live, write_report
from skillbag.fleet.conformance import kit
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.package_data import folder
from skillbag.kernel.base.parallel import cores
from skillbag.report.sanitize import masked

_EXAMPLES = """\b
Examples:
  skillbag team conformance                          this program
  skillbag team conformance --driver './mine --fast' --profile agent
  skillbag team conformance --clause inputs --list   its cases

Exit codes: 0 what was covered passed, 1 something failed or nothing was covered, 2 bad usage or no case chosen, 3 a
person must decide, 4 the environment failed.
"""


@click.command("conformance", cls=CliCommand, epilog=_EXAMPLES)
@click.option("--driver", metavar="CMD", help="The command that starts a driver.  [default: skillbag's own]")
@click.option("--profile", metavar="NAME", help="Only this part of the standard: workspace, source or agent.")
@click.option(
    "--clause", "clauses", multiple=True, metavar="ID", help="Only cases about this clause or group of clauses."
)
@click.option("--case", "pattern", metavar="GLOB", help="Only cases whose name matches.")
@click.option("--expected", type=FILE, metavar="FILE", help="The cases that are expected to fail, one a line.")
@click.option("--jobs", type=click.IntRange(1, 64), metavar="N", help="Number of drivers.  [default: one per core]")
@click.option(
    "--timeout", type=click.FloatRange(0.1, 3600), default=30.0, metavar="SECONDS", help="Limit for each answer."
)
@click.option("--markdown", type=FILE, metavar="FILE", help="Also write the report to this file.")
@click.option("--html", type=FILE, metavar="FILE", help="Also write the report as a page.")
@click.option("--junit", type=FILE, metavar="FILE", help="Also write the report as JUnit XML.")
@click.option("--badge", type=FILE, metavar="FILE", help="Also write a badge, as SVG.")
@click.option("--list", "list_", is_flag=True, help="List the cases; run nothing.")
@json_option
def command(
    driver: str | None,
    expected: str | None,
    jobs: int | None,
    timeout: float,
    list_: bool,
    as_json: bool,
    clauses: Sequence[str],
    pattern: str | None,
    profile: str | None,
    **files: str | None,
) -> None:
    """Test an implementation of the standard: run the cases of the kit through its driver, and report by clause.

    A driver answers JSON lines, as conformance/PROTOCOL.md describes (in an installed package data/conformance/, with
    the cases, and run.py, which needs Python alone). CMD is split as a shell splits it, and run without one, on a
    terminal or with SKILLBAG_ALLOW_CODE=1 in the environment.
    """
    with answering("conformance", as_json=as_json) as say, _errors():
        suite = kit.load_suite(os.path.join(folder("conformance"), "cases.json"))
        cases = kit.chosen(suite, clauses, pattern, profile)
        if list_:
            say(CommandOutput(kit.CaseList(tuple(kit.ListedCase(*case[:5]) for case in cases)), kit.list_text(cases)))
            return
        failing = kit.expected_failures(expected, suite) if expected else ()
        settings = kit.RunnerSettings(_command(driver), jobs or cores(), timeout, suite.profiles)
        with _progress(cases, as_json) as on_result:
            greeting, results = kit.run_cases(cases, settings, on_result)
        # A driver may have repeated a secret of its surroundings.
        results = tuple(result._replace(lines=tuple(map(masked, result.lines))) for result in results)
        report = kit.report_of(suite, results, greeting, profile, failing)
        try:
            say(CommandOutput(report, kit.report_text(report), int(report.failed)))
        finally:
            # Last, so that a long run is not lost where a file can't be written, and even if the output is closed.
            _write_files(report, files)


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except kit.KitError as error:
        raise UserError(str(error)) from error


def _write_files(report: kit.Report, files: Mapping[str, str | None]) -> None:
    from skillbag.report.pages.conformance import conformance_page

    for name, render in {**kit.FILES, "html": conformance_page}.items():
        if path := files[name]:
            # A missing folder is more likely misspelt than meant to be created.
            os.stat(os.path.dirname(os.path.abspath(path)))
            write_report(path, render(report))


def _command(driver: str | None) -> Sequence[str]:
    if driver is None:
        from skillbag.fleet.conformance.driver import COMMAND

        return COMMAND
    words = kit.command_words(driver)
    check_code(f"starting the program {words[0]!r} as a driver")
    return words


@contextmanager
def _progress(cases: Sequence[object], as_json: bool) -> Iterator[Callable[[object], object]]:
    """A function that shows progress on a terminal, given each result."""
    if as_json or not is_live(sys.stderr):
        yield lambda result: None
        return
    with bars() as progress:
        advance = progress("Testing", len(cases))
        yield lambda _result: advance()
