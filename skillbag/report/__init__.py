"""Findings to text, JSON, SARIF and the rest. `FORMATS` names every output; each is imported when it is asked for.

Others import:

    .             audit, audit_sarif, catalog, columns, diff, encoding, entry, folding, inputs,
                  invocation, lifecycle_parts, markdown, memory_report, options, order, outcome, outcome_text, phrasing,
                  refresh, sanitize, summary, timing, turn, views
    answers       commands, entry, envelope, inputs, memory, order, refresh, registry, rules, runs, turn, types
    capabilities  cyclonedx, markdown, text, values
    graphs        dot, listing, mermaid, svg
    pages         audit, conformance, tree
    runtime       acts, dev, permissions, scan, scores, skills, status, testing
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Imported for types only: every import of a part of this package runs this file.
    from skillbag.kernel.model.result import CheckResult
    from skillbag.kernel.model.timing import Timing
    from skillbag.report.options import ReportOptions


class Format(NamedTuple):
    """An output of a check, made by the function `report` of a module of this package.

    `has_fingerprints` says that findings need theirs. `of_repository` says that paths begin where code hosts look for
    them (`options.base_on_host`). `in_series` makes a report one of several that follow each other; it is None for
    formats that are one document.
    """

    module: str
    has_fingerprints: bool = False
    of_repository: bool = False
    in_series: Callable[[str], str] | None = None

    def render(self, result: CheckResult, options: ReportOptions, *timing: Timing) -> str:
        """The whole output, line ends included; a format of `WITH_TIMING` may be given a `timing`, too."""
        if self.of_repository:
            from skillbag.report.options import base_on_host

            roots = (target.root for target in result.targets)
            options = options._replace(cwd=base_on_host(options.cwd, roots))
        return "".join(import_module(f"skillbag.report.{self.module}").report(result, options, *timing))


def _on_one_line(text: str) -> str:
    # JSON has line ends only between values.
    return text.replace("\n", "") + "\n"


FORMATS = {
    "text": Format("text", in_series=str),
    "concise": Format("concise", in_series=str),
    "json": Format("as_json", in_series=_on_one_line),
    "github": Format("formats.github", of_repository=True),
    "sarif": Format("formats.sarif", has_fingerprints=True, of_repository=True),
    # reviewdog takes paths as relative to the folder that it runs in, as linters have them.
    "rdjson": Format("formats.rdjson"),
    "gitlab": Format("formats.gitlab", has_fingerprints=True, of_repository=True),
    "azure": Format("formats.azure"),
    "junit": Format("formats.junit", of_repository=True),
    "markdown": Format("markdown"),
    "html": Format("pages.check"),
}
"""Every output by the name that `--format` takes. `markdown` is the summary of a job, not a list for a machine."""
WITH_TIMING = ("text", "json")
"""The formats that can hold what the check cost."""
