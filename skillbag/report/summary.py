"""The sentences that sum up a run; the outputs for people share them."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag import STANDARD_VERSION
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.model.result import TEST_DATA, Aside, CheckedTarget, CheckResult
from skillbag.report.options import ReportOptions, shown_path
from skillbag.report.sanitize import shown

CLAUSES = f"the checked clauses of SkillBag {STANDARD_VERSION}"
CONFORMS = f"conforms to {CLAUSES}"
_MAX_TARGETS = 10
_PLUGIN = "the plugin"
_MAX_ASIDE = 5


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tally(result: CheckResult) -> str:
    """How many findings of each level there are, such as `2 errors, 1 note`, or `No findings`."""
    counts = (result.errors, "error"), (result.warnings, "warning"), (result.notes, "note")
    return ", ".join(counted(number, noun) for number, noun in counts if number) or "No findings"


def verdict(result: CheckResult) -> str:
    """The tally, in how many files, and what `--fix` can do about it."""
    if not (result.targets or result.findings):
        return "Nothing was checked."
    affected = len({finding.path for finding in result.findings})
    sentence = f"{tally(result)} in {counted(affected, 'file')}." if affected else "No findings."
    if result.installed:
        are = "is" if result.installed == 1 else "are"
        sentence += f" Of these, {result.installed} {are} in installed skills, which --fix and --strict leave alone."
    return f"{sentence} --fix can fix {result.fixable} of them." if result.fixable else sentence


def target_name(target: CheckedTarget, options: ReportOptions) -> str:
    """A target's kind and root, such as `workspace apps/shop`."""
    return f"{target.kind} {shown_path(target.root, options.cwd)}"


def extent(skills: int, files: int) -> str:
    """How much was read: `3 skills, 12 files`."""
    return f"{counted(skills, 'skill')}, {counted(files, 'file')}"


def set_aside(result: CheckResult) -> str:
    """The findings that are not reported, such as `2 suppressed, 1 in the baseline`; empty where there are none."""
    counts = (result.suppressed, "suppressed"), (result.baselined, "in the baseline")
    return ", ".join(f"{number} {words}" for number, words in counts if number)


def not_judged(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """What is a `SKILL.md` and was not judged as a skill, a sentence each, the rest of very many in one."""
    aside = named_aside(result)
    for each in aside[:_MAX_ASIDE]:
        yield f"Not judged: {shown_path(each.path, options.cwd)}: {shown(each.reason)}."
    if (more := len(aside) - _MAX_ASIDE) > 0:
        yield f"Not judged: {more} more; --format json names all."
    if number := result.test_data:
        yield f"Left out: {counted(number, 'file')} of test data; --config test-data=true takes them in."


def named_aside(result: CheckResult) -> list[Aside]:
    """What was not judged, without test data, which is only counted."""
    return [each for each in result.aside if not each.reason.startswith(TEST_DATA)]


def checked(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """What was checked, a sentence a target, and of each that conforms the sentence that says so."""
    exception = ", but for the findings set aside" if set_aside(result) else ""
    for target in result.targets[:_MAX_TARGETS]:
        is_source = options.source and is_within(target.root, options.cwd)
        where = shown(options.source) if is_source else shown_path(target.root, options.cwd)
        yield f"Checked {_what(target)} `{where}` ({extent(target.skills, target.files)}{_around(target)})."
        if result.conforms(target):
            yield f"It {CONFORMS}{exception}."
    if more := result.targets[_MAX_TARGETS:]:
        size = extent(sum(target.skills for target in more), sum(target.files for target in more))
        yield f"Checked {counted(len(more), 'more target')} ({size})."


def _what(target: CheckedTarget) -> str:
    """What a target is, before its path."""
    if target.kind != "skills":
        return f"the {target.kind}"
    if target.skills:
        return "the skills in"
    return _PLUGIN if target.plugins == 1 and not target.marketplaces else "what agents read in"


def _around(target: CheckedTarget) -> str:
    """How many plugins and marketplaces are in a target, after its extent."""
    plugins = 0 if _what(target) == _PLUGIN else target.plugins
    counts = (plugins, "plugin"), (target.marketplaces, "marketplace")
    return "".join(f", {counted(number, noun)}" for number, noun in counts if number)
