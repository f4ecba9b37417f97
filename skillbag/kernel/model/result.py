"""The result of a check: targets, findings and rules, for reports."""

from __future__ import annotations

from collections import Counter

from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.model.findings import Finding, Severity

_LEVELS = tuple(Severity)


class CheckedTarget(NamedTuple):
    """A target with the numbers of its skills and files. `kind` is workspace, source or skills; `root` is absolute.

    `plugins` and `marketplaces` are those among its files around skills.
    """

    kind: str
    root: str
    skills: int
    files: int
    plugins: int = 0
    marketplaces: int = 0


TEST_DATA = "it is test data"
"""What the reason begins with for which a file is left out by default."""
TEST_SKILL = f"{TEST_DATA}, which only security rules judge"


class Aside(NamedTuple):
    """A `SKILL.md` that was not checked as a skill, or a file that was not checked: its absolute path, and why not.

    `fails`: the run fails, as a whole skill may say anything.
    """

    path: str
    reason: str
    fails: bool = False


class RuleInfo(NamedTuple):
    """A rule in a report: `title` is one sentence, `help` the rule's page in Markdown.

    `clause` is None for rules beyond the standard; `fix` is None without general advice. `tags` are further words about
    it, `score` its severity as a number from 0 to 10; rules of `check` have no score. `once`: findings with the same
    message are one in a report. `url` is the address of the rule's page.
    """

    id: str
    family: str
    clause: str | None
    level: Severity
    title: str
    why: str
    fix: str | None
    help: str
    tags: tuple[str, ...] = ()
    score: str = ""
    once: bool = False
    url: str | None = None


class CheckResult(NamedTuple):
    """The result of a whole check. Findings are sorted by path, line, column and rule.

    `rules` are all selected rules (only SARIF prints them). `suppressed` and `baselined` count the findings that are
    left out of `findings`, and `hidden` are those of levels that are not shown. `aside` is each `SKILL.md` that was not
    checked as a skill, and each file of tests, by path.
    """

    targets: tuple[CheckedTarget, ...]
    findings: tuple[Finding, ...]
    rules: tuple[RuleInfo, ...] = ()
    suppressed: int = 0
    baselined: int = 0
    aside: tuple[Aside, ...] = ()
    hidden: tuple[Finding, ...] = ()

    def errors_first(self) -> CheckResult:
        """The result with its findings by level, and as before within each."""
        return self._replace(findings=tuple(sorted(self.findings, key=lambda finding: _LEVELS.index(finding.level))))

    def down_to(self, level: str) -> CheckResult:
        """The result with the findings of lower levels hidden; they count where warnings fail."""
        parts: tuple[list[Finding], list[Finding]] = [], []
        for finding in self.findings:
            parts[_LEVELS.index(finding.level) > _LEVELS.index(Severity(level))].append(finding)
        return self._replace(findings=tuple(parts[0]), hidden=tuple(parts[1]))

    @cached_property
    def _levels(self) -> Counter[Severity]:
        return Counter(finding.level for finding in self.findings)

    @cached_property
    def _roots_with_errors(self) -> frozenset[str]:
        return frozenset(finding.root for finding in self.findings if finding.level is Severity.ERROR)

    @property
    def files(self) -> int:
        """How many files were read, over all targets."""
        return sum(target.files for target in self.targets)

    @property
    def skills(self) -> int:
        """How many skills were checked, over all targets."""
        return sum(target.skills for target in self.targets)

    @property
    def errors(self) -> int:
        """How many findings break a MUST."""
        return self._levels[Severity.ERROR]

    @property
    def warnings(self) -> int:
        """How many findings break a SHOULD."""
        return self._levels[Severity.WARNING]

    @property
    def own_warnings(self) -> int:
        """How many of the warnings are not in installed skills."""
        all_levels = (*self.findings, *self.hidden)
        return sum(1 for finding in all_levels if finding.level is Severity.WARNING and not finding.installed)

    @property
    def installed(self) -> int:
        """How many findings are in installed skills."""
        return sum(1 for finding in self.findings if finding.installed)

    @property
    def notes(self) -> int:
        """How many findings are about a MAY."""
        return self._levels[Severity.NOTE]

    @property
    def test_data(self) -> int:
        """How many files are left out as test data."""
        return sum(each.reason.startswith(TEST_DATA) for each in self.aside)

    @property
    def fixable(self) -> int:
        """How many findings have safe edits."""
        return sum(1 for finding in self.findings if finding.edits)

    def fails(self, strict: bool) -> bool:
        """Whether the run fails: by errors, an unread `SKILL.md`, or if `strict` by warnings outside of installs."""
        unread = any(each.fails for each in self.aside)
        return unread or self.errors > 0 or (strict and self.own_warnings > 0)

    def conforms(self, target: CheckedTarget) -> bool:
        """Whether the target conforms to the checked clauses: never without files or clauses, or for plain skills."""
        held = target.kind in ("workspace", "source") and target.files > 0
        return held and target.root not in self._roots_with_errors and any(rule.clause for rule in self.rules)
