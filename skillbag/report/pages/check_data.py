"""The findings of a check as the data of a page: rules, skills and files once, and a row for each finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult, RuleInfo
from skillbag.kernel.workspace.skill_folders import SkillFolders
from skillbag.report.edits import Texts
from skillbag.report.excerpt import excerpt
from skillbag.report.options import ReportOptions, shown_path
from skillbag.report.pages.changes import change_values
from skillbag.report.sanitize import shown

COLUMNS = (
    "rule", "level", "file", "line", "column", "message", "fix", "excerpt", "installed", "fixable", "changes",
)  # fmt: skip
"""The columns of a finding's row. `rule`, `file` and `fix` are places in their tables; `excerpt` has three parts."""
_WIDTH = 160
"""Columns of an excerpt: a minified line has thousands."""

T = TypeVar("T")


class RuleData(NamedTuple):
    """A rule that found something."""

    id: str
    clause: str | None
    family: str
    url: str | None


class CheckData(NamedTuple):
    """What the page's script is given: files are a path and the place of their skill, skills a path and a name."""

    rules: list[RuleData]
    skills: list[tuple[str, str]]
    files: list[tuple[str, int | None]]
    fixes: list[str]
    columns: tuple[str, ...]
    findings: list[list[object]]


def check_values(result: CheckResult, options: ReportOptions) -> CheckData:
    """What the page's script is given."""
    return _Values(result, options).values()


def skill_names(paths: Iterable[str]) -> dict[str, str]:
    """Skills by the names of their folders, or by their paths where two have the same."""
    names = {path: path.rpartition("/")[2] for path in paths}
    numbers = Counter(names.values())
    return {path: name if numbers[name] == 1 else path for path, name in names.items()}


def web_address(url: str | None) -> str | None:
    """An address that a link may have: a rule of a team, or of a pack, could name a script."""
    return url if url and url.lower().startswith(("https://", "http://")) else None


class _Table(dict[T, int]):
    """Distinct values by their place in a list."""

    def place(self, value: T) -> int:
        return self.setdefault(value, len(self))


class _Values:
    def __init__(self, result: CheckResult, options: ReportOptions) -> None:
        self.result, self.options = result, options
        self.infos = {rule.id: rule for rule in result.rules}
        self.rules: _Table[tuple[str, str | None]] = _Table()
        self.files: _Table[tuple[str, str]] = _Table()
        self.fixes: _Table[str] = _Table()
        self.skills = SkillFolders()
        self.texts: Texts = {}

    def values(self) -> CheckData:
        rows = list(map(self._row, self.result.findings))
        folders: _Table[str] = _Table()
        files = []
        for path, root in self.files:
            folder = self.skills.of(path, root)
            files.append((self._path(path), folders.place(folder) if folder else None))
        rules = [_rule_data(*rule, self.infos) for rule in self.rules]
        skills = list(skill_names(map(self._path, folders)).items())
        return CheckData(rules, skills, files, list(self.fixes), COLUMNS, rows)

    def _row(self, finding: Finding) -> list[object]:
        part = excerpt(finding, _WIDTH) if finding.excerpt.strip() else None
        return [
            self.rules.place((finding.rule, finding.clause)),
            finding.level.value,
            self.files.place((finding.path, finding.root)),
            finding.line,
            finding.column,
            shown(finding.message),
            None if finding.fix is None else self.fixes.place(shown(finding.fix)),
            None if part is None else list(part),
            int(finding.installed),
            int(bool(finding.edits)),
            change_values(finding, self.texts, self._path) if finding.edits else [],
        ]

    def _path(self, path: str) -> str:
        return shown_path(path, self.options.cwd)


def _rule_data(rule: str, clause: str | None, infos: Mapping[str, RuleInfo]) -> RuleData:
    info = infos.get(rule)
    return RuleData(
        shown(rule),
        None if clause is None else shown(clause),
        shown(info.family) if info else "",
        web_address(info.url) if info else None,
    )
