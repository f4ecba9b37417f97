"""`skillbag team conformance`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.options import FILE, json_option
from skillbag.doors.cli.person import check_code
from skillbag.doors.cli.progress import bars
from skillbag.doors.cli.streams import is_live, write_report
from skillbag.fleet.conformance.case import ConformanceCase
from skillbag.fleet.conformance.results import ConformanceResult, Report, report_of
from skillbag.fleet.conformance.suite import chosen, load_suite
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.parallel import cores

_EXAMPLES = """\b
Examples:
  skillbag team conformance                                    this program, the whole suite
  skillbag team conformance --driver './my-driver --strict'    an implementation of your own
  skillbag team conformance --clause inputs --list             the cases about input resolution
  skillbag team conformance --case 'tags/*' --markdown conformance.md
  skillbag team conformance --html conformance.html --svg matrix.svg

Exit codes: 0 all that was covered has passed, 1 something failed, or nothing was covered, 2 bad usage or no case
chosen, 3 a person must decide, 4 the environment failed.
"""


@click.command("conformance", cls=CliCommand, epilog=_EXAMPLES)
@click.option("--driver", metavar="CMD", help="The command that starts a driver.  [default: skillbag's own]")
@click.option(
    "--clause", "clauses", multiple=True, metavar="ID", help="Only cases about this clause or group of clauses."
)
@click.option("--case", "pattern", metavar="GLOB", help="Only cases whose name matches.")
@click.option("--jobs", type=click.IntRange(1, 64), metavar="N", help="Number of drivers.  [default: one per core]")
@click.option(
    "--timeout", type=click.FloatRange(0.1, 3600), default=30.0, metavar="SECONDS", help="Limit for each answer."
)
@click.option("--markdown", type=FILE, metavar="FILE", help="Also write the report to this file.")
@click.option("--html", type=FILE, metavar="FILE", help="Also write the report as a page.")
@click.option("--svg", type=FILE, metavar="FILE", help="Also write the matrix as a drawing.")
@click.option("--list", "list_", is_flag=True, help="List the cases; run nothing.")
@json_option
def command(
    driver: str | None,
    jobs: int | None,
    timeout: float,
    markdown: str | None,
    html: str | None,
    svg: str | None,
    list_: bool,
    as_json: bool,
    **which: Any,
) -> None:
    """Test an implementation of the standard: run the cases of the kit through its driver, and report by clause.

    A driver is a program that answers JSON lines; conformance/PROTOCOL.md has all that it needs to know (in the
    installed package it is data/conformance/PROTOCOL.md, with the cases beside it). CMD is split as a shell splits it,
    and run without one, on a terminal or with SKILLBAG_ALLOW_CODE=1 in the environment.
    """
    from skillbag.fleet.conformance.runner import RunnerSettings, run_cases
    from skillbag.report.conformance import CaseListJson, ConformanceReportJson, list_text, report_text

    with answering("conformance", as_json=as_json) as say:
        suite = load_suite()
        cases = chosen(suite, **which)
        if list_:
            say(CommandOutput(CaseListJson.of(cases), list_text(cases)))
            return
        settings = RunnerSettings(_command(driver), jobs or cores(), timeout)
        with _progress(cases, as_json) as on_result:
            greeting, results = run_cases(cases, settings, on_result)
        report = report_of(suite, results, greeting)
        try:
            say(CommandOutput(ConformanceReportJson.of(report), report_text(report), int(report.failed)))
        finally:
            # Last, so that a long run is not lost where a file can't be written, and even if the output is closed.
            _write_files(report, markdown, html, svg)


def _write_files(report: Report, markdown: str | None, html: str | None, svg: str | None) -> None:
    from skillbag.report.conformance import report_markdown
    from skillbag.report.conformance_matrix import matrix_svg

    def page(report: Report) -> str:
        from skillbag.report.pages.conformance import conformance_page

        return conformance_page(report)

    for path, render in ((markdown, report_markdown), (html, page), (svg, matrix_svg)):
        if path:
            # A missing folder is more likely misspelt than meant to be created.
            os.stat(os.path.dirname(os.path.abspath(path)))
            write_report(path, render(report))


def _command(driver: str | None) -> Sequence[str]:
    if driver is None:
        from skillbag.fleet.conformance.driver import COMMAND

        return COMMAND
    try:
        words = shlex.split(driver)
    except ValueError as error:
        raise UserError(f"--driver {driver!r}: {str(error).lower()}") from error
    if not words:
        raise UserError("--driver is empty: name the command that starts the driver")
    check_code(f"starting the program {words[0]!r} as a driver")
    return words


@contextmanager
def _progress(cases: Sequence[ConformanceCase], as_json: bool) -> Iterator[Callable[[ConformanceResult], object]]:
    """A function that shows progress on a terminal, given each result."""
    if as_json or not is_live(sys.stderr):
        yield lambda result: None
        return
    with bars() as progress:
        advance = progress("Testing", len(cases))
        yield lambda _result: advance()
