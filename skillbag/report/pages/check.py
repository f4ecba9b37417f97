"""`check --format html`: the findings on a page, with search and filters, their rules, and what was checked."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from skillbag.kernel.base.json_records import to_json
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckedTarget, CheckResult, RuleInfo
from skillbag.kernel.workspace.skill_folders import SkillFolders
from skillbag.lint.skill_graph.values import SkillGraph, with_findings
from skillbag.report.options import ReportOptions, base_of_page, shown_path
from skillbag.report.pages.check_data import check_values, web_address
from skillbag.report.pages.graph_data import SCRIPTS, graph_context, graph_data, graph_libraries, graph_views
from skillbag.report.pages.rendering import View, render_page
from skillbag.report.sanitize import shown
from skillbag.report.summary import CLAUSES, CONFORMS, counted, extent, named_aside, set_aside, tally

_MAX_TOP = 6
_MAX_PLAIN = 1_000
"""Findings that a reader without scripts is shown."""
_MAX_LISTED = 500
_KINDS = {"skills": "skills of"}
_FIRST = (View("findings", "Findings"),)
_LAST = (View("rules", "Rules"), View("about", "About this check"))


class Top(NamedTuple):
    """A rule or a skill with its findings by level; `value` as `parameter` of the address shows them alone."""

    parameter: str
    value: str
    name: str
    levels: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """All its findings."""
        return sum(number for _, number in self.levels)


class RuleSection(NamedTuple):
    """A rule that found something, with the number of its findings."""

    id: str
    clause: str
    level: str
    number: int
    title: str
    why: list[str]
    fix: str
    url: str | None


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """The page."""
    if not options.by_place:
        result = result.errors_first()
    options = options._replace(cwd=base_of_page(options.cwd, (target.root for target in result.targets)))
    name = _name(result, options)
    data = check_values(result, options)
    graph = with_findings(options.graph or SkillGraph((), ()), result.findings)
    aside = named_aside(result)
    context = {
        "result": result,
        "name": name,
        "strict": options.strict,
        "failed": result.fails(options.strict),
        "tally": tally(result),
        "extent": extent(result.skills, result.files),
        "sentences": list(_sentences(result)),
        "targets": [(*_target(each, options), result.conforms(each)) for each in result.targets[:_MAX_LISTED]],
        "more_targets": max(0, len(result.targets) - _MAX_LISTED),
        "aside": [(shown_path(each.path, options.cwd), shown(each.reason)) for each in aside[:_MAX_LISTED]],
        "more_aside": max(0, len(aside) - _MAX_LISTED),
        "rules": _rules(result),
        "tops": _tops(result, options, dict(data.skills)),
        "plain": [(finding, shown_path(finding.path, options.cwd)) for finding in result.findings[:_MAX_PLAIN]],
        "conforms": CONFORMS,
        "command": options.command,
    }
    yield render_page(
        "check.html",
        title=f"{tally(result)} in {name}",
        data=to_json(data) | {"graph": to_json(graph_data(graph, lambda path: shown_path(path, options.cwd)))},
        scripts=("facets.js", "pager.js", "listing.js", *SCRIPTS, "check_cards.js", "check.js"),
        views=(*_FIRST, *graph_views(graph), *_LAST),
        libraries=graph_libraries(graph),
        context=context | graph_context(graph)._asdict(),
    )


def _name(result: CheckResult, options: ReportOptions) -> str:
    """What was checked, by the name of its folder: a reader elsewhere can make nothing of `.`."""
    if len(result.targets) != 1:
        return counted(len(result.targets), "target")
    (target,) = result.targets
    return f"the {_KINDS.get(target.kind, target.kind)} {shown(os.path.basename(target.root) or target.root)}"


def _target(target: CheckedTarget, options: ReportOptions) -> tuple[str, str, int, int]:
    return target.kind, shown_path(target.root, options.cwd), target.skills, target.files


def _sentences(result: CheckResult) -> Iterator[str]:
    held = [target for target in result.targets if result.conforms(target)]
    exception = ", but for the findings set aside" if set_aside(result) else ""
    if held and len(result.targets) == 1:
        yield f"It {CONFORMS}{exception}."
    elif held:
        verb = "conforms" if len(held) == 1 else "conform"
        yield f"{len(held):,} of {counted(len(result.targets), 'target')} {verb} to {CLAUSES}{exception}."
    if aside := set_aside(result):
        yield f"Set aside: {aside}."
    if result.installed:
        yield f"{counted(result.installed, 'finding')} in installed skills, which --fix and --strict leave alone."


def _tops(result: CheckResult, options: ReportOptions, names: Mapping[str, str]) -> list[tuple[str, list[Top]]]:
    """The rules and the skills with most errors, then with most findings."""
    skills = SkillFolders()

    def skill(finding: Finding) -> str:
        folder = skills.of(finding.path, finding.root)
        return shown_path(folder, options.cwd) if folder else ""

    tops = [
        ("Rules", _top("rule", result, lambda finding: shown(finding.rule), {})),
        ("Skills", _top("skill", result, skill, names)),
    ]
    return [(title, rows) for title, rows in tops if rows]


def _top(parameter: str, result: CheckResult, key: Callable[[Finding], str], names: Mapping[str, str]) -> list[Top]:
    counts: dict[str, Counter[Severity]] = {}
    for finding in result.findings:
        if value := key(finding):
            counts.setdefault(value, Counter())[finding.level] += 1
    tops = [
        Top(parameter, value, names.get(value, value), tuple((level.value, levels[level]) for level in Severity))
        for value, levels in counts.items()
    ]
    return sorted(tops, key=lambda top: (-top.levels[0][1], -top.total, top.value))[:_MAX_TOP]


def _rules(result: CheckResult) -> list[RuleSection]:
    """The rules that found something, errors first, then the most frequent."""
    counts = Counter((finding.rule, finding.clause, finding.level) for finding in result.findings)
    infos = {rule.id: rule for rule in result.rules}
    order = sorted(counts, key=lambda key: (list(Severity).index(key[2]), -counts[key], key[0]))
    return [_rule(rule, clause, level, counts[rule, clause, level], infos.get(rule)) for rule, clause, level in order]


def _rule(rule: str, clause: str | None, level: Severity, number: int, info: RuleInfo | None) -> RuleSection:
    return RuleSection(
        shown(rule),
        shown(clause or ""),
        level,
        number,
        shown(info.title) if info else "",
        [shown(" ".join(part.split())) for part in (info.why if info else "").split("\n\n")],
        shown(info.fix or "") if info else "",
        web_address(info.url) if info else None,
    )
