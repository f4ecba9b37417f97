"""`check --select suppressions`: all rules run, and only the findings about suppressions are reported.

Whether a suppression is used can only be judged after its rules have run.
"""

from __future__ import annotations

from skillbag.doors.cli.check_options import CheckOptions
from skillbag.kernel.model.result import CheckResult
from skillbag.lint.engine.request import CheckRequest
from skillbag.lint.rules.builtin import load_core_rules

_FAMILY = "suppressions"


def is_meant(options: CheckOptions) -> bool:
    """Whether only rules about suppressions are selected, in a check that reports what is there."""
    if options.fix or options.diff or options.watch or not any(_FAMILY[:-1] in name for name in options.select):
        return False
    return {*options.select} <= {_FAMILY, *_ids()}


def of_all_rules(request: CheckRequest) -> CheckRequest:
    """The same request with the rules that run without a selection."""
    return request._replace(select=())


def narrowed(result: CheckResult, options: CheckOptions) -> CheckResult:
    """The findings of the selected rules."""
    wanted = _ids() if _FAMILY in options.select else {*options.select}
    return result._replace(findings=tuple(finding for finding in result.findings if finding.rule in wanted))


def _ids() -> set[str]:
    return {rule.id for rule in load_core_rules() if rule.family == _FAMILY}
