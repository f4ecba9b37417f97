"""What `skillbag runtime dev` prints: a line for each step (skill runtime, section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from skillbag.kernel.manifest.reader import ManifestFile
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.report.options import located
from skillbag.report.runtime.testing import case_lines
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted
from skillbag.runtime.activation.activation import ActivatedSkill
from skillbag.runtime.testing.suite import Ran, SkillCases


class DevJson(NamedTuple):
    """A round, in one line."""

    lines: Annotated[tuple[str, ...], "Its steps, as they are printed without `--json`."]


def manifest_lines(file: ManifestFile, cwd: str) -> Iterator[str]:
    """The manifest's name and version, or what is wrong with it."""
    for fault in file.faults:
        level = "error" if fault.is_error else "warning"
        yield f"[manifest] {level}: {_place(file.path, *fault.position, cwd)}: {shown(fault.message)}"
    if file.manifest:
        yield shown(f"[manifest] ok: {file.manifest.name} {file.manifest.version}")


def lint_lines(findings: Sequence[Finding], cwd: str) -> Iterator[str]:
    """The findings of `check`, and how many of them are errors."""
    for each in findings:
        place = _place(each.path, each.line, each.column, cwd)
        yield f"[lint] {each.level}: {place}: {shown(each.message)} ({each.rule})"
    errors = sum(each.level is Severity.ERROR for each in findings)
    yield f"[lint] {counted(errors, 'error')}" if errors else "[lint] ok"


def loaded_line(active: ActivatedSkill) -> str:
    """What the skill has registered."""
    code = active.registration
    parts = {"tool": active.tools, "hook": code.hooks, "workflow": code.workflows, "scanner": code.scanners}
    return f"[load] ok: {', '.join(counted(len(items), name) for name, items in parts.items() if items) or 'a prompt'}"


def not_loaded_line(message: str, *, is_loaded: bool) -> str:
    """Why it is not loaded."""
    rest = "; the version before stays loaded" if is_loaded else ""
    return f"[load] error: {shown(message)}{rest}"


def tested_lines(skill: SkillCases, results: Iterable[Ran], cwd: str) -> Iterator[str]:
    """The cases that failed, files that can't be used, and the counts."""
    ran = list(results)
    failed = [each for each in ran if each.result.faults]
    for each in failed:
        yield from (f"[test] {line}" for line in case_lines(each, cwd))
    for file in skill.files:
        for fault in file.faults:
            yield f"[test] error: {_place(file.path, *fault.position, cwd)}: {shown(fault.message)}"
    if failed:
        yield f"[test] {len(ran) - len(failed)} ok, {len(failed)} failed"
    else:
        yield f"[test] {len(ran)} ok" if ran else "[test] no cases"


def _place(path: str, line: int, column: int, cwd: str) -> str:
    return shown(f"{located(path, cwd)}:{line}:{column}")
