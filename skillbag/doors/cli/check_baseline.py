"""`skillbag check --baseline FILE` and `-o baseline=FILE`."""

from __future__ import annotations

from skillbag.doors.cli.check_options import CheckOptions
from skillbag.doors.cli.messages import note
from skillbag.doors.cli.outputs import check_output
from skillbag.kernel.model.result import CheckResult
from skillbag.lint.engine.baseline import read_baseline, subtract, write_baseline
from skillbag.report.summary import counted


def write(path: str, result: CheckResult) -> int:
    """Write the findings to the file `path`, say how many, and give the exit code."""
    check_output(path)
    note(f"{path}: {counted(write_baseline(path, result.findings), 'finding')} written")
    return 0


def subtracted(result: CheckResult, options: CheckOptions, path: str) -> CheckResult:
    """The result without the findings of the baseline at `path`; a note says if that is out of date."""
    known = read_baseline(path)
    left = subtract(result.findings, known)
    found = len(result.findings) - len(left)
    if (gone := known.known.total() - found) and _is_whole(options):
        note(
            f"{path} has {counted(gone, 'finding')} that the check does not find now. When it reports "
            f"nothing new, -o baseline={path} writes it without them"
        )
    return result._replace(findings=tuple(left), baselined=found)


def _is_whole(options: CheckOptions) -> bool:
    """Whether a check has all findings that a baseline could have."""
    parts = (
        options.paths,
        options.select,
        options.ignore,
        options.exclude,
        options.kind,
        options.staged,
        options.watch,
    )
    return not any(parts) and options.changed_since is None
