"""One finding for many places: of rules whose every message is of interest once in a target, such as on vendor keys.

It comes after everything that judges places one by one: suppressions, settings of paths, staged files, the baseline.
"""

from __future__ import annotations

from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult


def reported_once(result: CheckResult) -> CheckResult:
    """The result with the first of all findings that have the same message in a target, of rules that say `once`.

    Its message ends with the number of files where there are several. Installed skills are counted apart.
    """
    rules = {rule.id for rule in result.rules if rule.once}
    files: dict[tuple[object, ...], set[str]] = {}
    kept: list[tuple[Finding, set[str]]] = []
    for finding in result.findings:
        if finding.rule not in rules:
            kept.append((finding, set()))
            continue
        key = (finding.root, finding.rule, finding.level, finding.message, finding.installed)
        if key not in files:
            files[key] = set()
            kept.append((finding, files[key]))
        files[key].add(finding.path)
    return result._replace(findings=tuple([_counted(finding, len(paths)) for finding, paths in kept]))


def _counted(finding: Finding, files: int) -> Finding:
    return finding._replace(message=f"{finding.message} (in {files:,} files)") if files > 1 else finding
