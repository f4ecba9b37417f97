"""From the verdicts of targets to the result of a check: suppressions, path settings and order."""

from __future__ import annotations

from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import Aside, CheckedTarget, CheckResult, RuleInfo
from skillbag.lint.engine.lint import conclude
from skillbag.lint.engine.planner import PlannedTarget, describe
from skillbag.lint.engine.verdict import TargetVerdict
from skillbag.lint.rules.model import LATE


class ResultBuilder:
    """Collects the results of the targets of one check on the day `today` (ISO date)."""

    def __init__(self, today: str, *, suppressions: bool = True) -> None:
        self._suppressions = suppressions
        self._dated = False
        self._today = today
        self._targets: list[CheckedTarget] = []
        self._findings: dict[tuple[object, ...], Finding] = {}
        self._aside: set[Aside] = set()
        self._rules: dict[str, RuleInfo] = {}
        self._suppressed = 0

    def add(self, target: PlannedTarget, verdict: TargetVerdict) -> None:
        """Add a target, without findings that its suppressions and configuration exclude."""
        workspace, chosen = target
        families = chosen.families
        linted = conclude(
            verdict,
            workspace.root,
            target.rules,
            defined=families.keys(),
            today=self._today,
            suppressions=self._suppressions,
        )
        kept = [chosen.config.keep(finding, families[finding.rule]) for finding in linted.findings]
        for finding in kept:
            if finding is not None:
                # A skill that is set apart may hold one of another target.
                self._findings.setdefault((finding.level, finding.identity), finding)
        aside = (*linted.aside, *(Aside(path, reason) for path, reason in workspace.target.aside))
        self._aside.update([skill for skill in aside if not chosen.config.excludes(skill.path)])
        self._suppressed += linted.suppressed + kept.count(None)
        if not workspace.target.searched:
            # A plugin may have manifests for several hosts.
            plugins = {file.root for file in workspace.target.around if file.kind.endswith(("-plugin", "-extension"))}
            catalogs = {file.root for file in workspace.target.around if file.kind.endswith("-marketplace")}
            counts = (linted.skills, linted.files, len(plugins), len(catalogs))
            self._targets.append(CheckedTarget(workspace.kind.value, workspace.root, *counts))
        self._dated = self._dated or linted.dated
        has_late = any(families[finding.rule] in LATE for finding in linted.findings)
        for rule in (*chosen.rules, *(chosen.late if has_late else ())):
            if rule.id not in self._rules:
                self._rules[rule.id] = describe(rule)

    @property
    def day(self) -> str | None:
        """The only day on which the result is valid; None where it is valid on any."""
        return self._today if self._dated else None

    def result(self) -> CheckResult:
        """The result of all targets, its findings in order of place."""
        found = sorted(self._findings.values(), key=lambda found: (found.path, found.line, found.column, found.rule))
        rules = tuple([self._rules[name] for name in sorted(self._rules)])
        aside = tuple(sorted(self._aside))
        return CheckResult(tuple(self._targets), tuple(found), rules, self._suppressed, aside=aside)
