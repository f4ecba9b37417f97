"""`skillbag runtime scan`: search the workspace by the rules and scanners of `security-rule` skills."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.messages import messages
from skillbag.doors.cli.options import dry_run_option
from skillbag.doors.cli.output_style import colored
from skillbag.doors.cli.outputs import check_output
from skillbag.doors.cli.runtime_planning import plan_triggered
from skillbag.doors.cli.runtime_session import EXIT_FAILED, act, acting_options, failure
from skillbag.doors.cli.streams import columns, write_report
from skillbag.kernel.base.errors import UserError
from skillbag.report import FORMATS

if TYPE_CHECKING:
    from skillbag.report.options import ReportOptions
    from skillbag.runtime.scanning.scan import Scan
    from skillbag.runtime.sessions.runtime import Runtime

_SEVERITIES = ("critical", "high", "medium", "low", "info")
_SCAN = """\b
Examples:
  skillbag runtime scan
  skillbag runtime scan src --fail-on medium --skills hipaa-compliance
  skillbag runtime scan --format sarif -o scan.sarif
  skillbag runtime scan -o baseline=scan-baseline.json

\b
PATHS are files and folders of the workspace; without any, all files that git sees are scanned, up to 1 MiB each.
Exit codes: 0 done, 1 a finding is as severe as --fail-on or the scan is incomplete, 2 bad usage, 3 the user must be
asked something first, 4 the environment failed.
"""


@click.command("scan", cls=CliCommand, epilog=_SCAN)
@click.argument("paths", nargs=-1)
@click.option(
    "--fail-on",
    type=click.Choice(_SEVERITIES),
    default="high",
    show_default=True,
    help="Fail if a finding is as severe as that.",
)
@click.option(
    "--format", "form", type=click.Choice([*FORMATS]), default="text", show_default=True, help="The format of `check`."
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the report to a file; baseline=FILE: the findings, to leave them out."
)
@click.option("--baseline", metavar="FILE", help="Leave out the findings in this file.")
@acting_options
@dry_run_option
def scan(
    paths: tuple[str, ...], fail_on: str, baseline: str | None, dry_run: bool, as_json: bool, **given: Any
) -> None:
    """Search the workspace by the rules of skills.

    Skills of the type `security-rule` take part: those that are triggered, named with --skills, or active.
    """
    report = {name: given.pop(name) for name in ("form", "output")}

    def work(runtime: Runtime) -> CommandOutput:
        found = _scanned(runtime, [os.path.abspath(path) for path in paths], baseline)
        return _answer(found, fail_on, as_json=as_json, **report)

    with answering("runtime scan", as_json=as_json, on_error=failure) as say:
        if as_json and (report["form"] != "text" or report["output"]):
            raise UserError("--json prints an answer of its own: leave out --format and --output")
        if dry_run:
            say(plan_triggered("then the workspace would be scanned", **given))
        else:
            say(act(work, as_json=as_json, **given))


def _scanned(runtime: Runtime, paths: list[str], baseline: str | None) -> Scan:
    from skillbag.lint.engine.baseline import read_baseline, subtract
    from skillbag.runtime.scanning.scan import complete, scan_triggered

    known = read_baseline(baseline) if baseline else None
    found = scan_triggered(runtime, paths)
    findings = found.result.findings
    left = findings if known is None else tuple(subtract(findings, known))
    baselined = len(findings) - len(left)
    found = found._replace(result=found.result._replace(findings=left, baselined=baselined))
    complete(runtime, found)
    return found


def _answer(found: Scan, fail_on: str, *, as_json: bool, form: str, output: str | None) -> CommandOutput:
    from skillbag.lint.engine.baseline import write_baseline as write
    from skillbag.report.options import ReportOptions
    from skillbag.report.runtime.scan import ScanJson, error_lines
    from skillbag.report.sanitize import shown
    from skillbag.report.summary import counted

    width = 0 if output or as_json else columns(sys.stdout)
    color = not output and not as_json and colored(sys.stdout)
    options: ReportOptions = ReportOptions(cwd=os.getcwd(), color=color, width=width)
    values, errors = ScanJson.of(found, options), messages("error", error_lines(found.errors))
    if output and output.startswith("baseline="):
        path = output.partition("=")[2]
        check_output(path)
        number = write(path, found.result.findings)
        text = f"{shown(path)}: {counted(number, 'finding')} written\n"
        return CommandOutput(values, text, EXIT_FAILED if found.errors else 0, errors)
    text = FORMATS[form].render(found.result, options)
    if output and output != "-":
        write_report(output, text)
        text = ""
    return CommandOutput(values, text, EXIT_FAILED if _fails(found, fail_on) else 0, errors)


def _fails(found: Scan, fail_on: str) -> bool:
    """Whether a finding is severe enough, or a part of the scan was not done."""
    counted = _SEVERITIES[: _SEVERITIES.index(fail_on) + 1]
    return bool(found.errors) or any(found.severity(finding) in counted for finding in found.result.findings)
