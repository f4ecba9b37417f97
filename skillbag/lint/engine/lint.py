"""Rules x subjects -> findings. Each skill is read once, linted and released; only its summary stays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain

from skillbag.kernel.base.parallel import UntilEnough, split
from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import amount_read
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import Aside
from skillbag.kernel.workspace.host_folders import files_in_skill
from skillbag.kernel.workspace.model import Inventory, Workspace
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import SKILL_FILE, SkillFolder
from skillbag.kernel.workspace.text import text_files
from skillbag.lint.checks.predicate import Subject, linting_skills
from skillbag.lint.checks.suppressions import apply_suppressions
from skillbag.lint.engine.linter import Linter
from skillbag.lint.engine.rule_set import RuleSet, rules_for
from skillbag.lint.engine.verdict import Linted, TargetVerdict, Verdict, in_order
from skillbag.lint.rules.model import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol, TypeAlias, TypeVar

    Of = TypeVar("Of")
    Split: TypeAlias = Callable[
        [Callable[[Sequence[SkillFolder]], list[Any]], Sequence[SkillFolder], int], Sequence[list[Any]]
    ]

    class TargetLinter(Protocol[Of]):
        """How the skills of one target are linted; caches and earlier states wrap `lint_skill`.

        `known` has, by folder, what needs no linting. `conclude` lints the rest of the target.
        """

        @property
        def known(self) -> Mapping[str, Of]: ...
        @property
        def lint_skill(self) -> Callable[[SkillFolder], Of]: ...
        def conclude(self, linted: Sequence[Of]) -> TargetVerdict: ...


_SAMPLE = "it is a sample within a skill, which only security rules judge"


def lint(workspace: Workspace, rules: RuleSet, linter: TargetLinter[Of], split: Split = split) -> TargetVerdict:
    """Lint each skill of a target, then the rest of it. Many skills are linted by several processes."""
    folders = workspace.skill_folders
    missing = [folder for folder in folders if folder.path not in linter.known]
    lint_skill = linter.lint_skill
    linted: list[Of] = []
    if missing:
        rules.expect(missing)
        first = UntilEnough(missing, amount_read)
        with linting_skills():
            linted += [lint_skill(folder) for folder in first]
            # What is left is known after the first.
            linted += chain(*split(lambda part: [lint_skill(folder) for folder in part], first.rest, first.processes))
    each = {**linter.known, **dict(zip([folder.path for folder in missing], linted, strict=True))}
    return linter.conclude([each[folder.path] for folder in folders])


class FreshLinter:
    """Lints all skills of a target, and keeps nothing."""

    known: Mapping[str, tuple[Verdict, SkillSummary]] = {}

    def __init__(self, workspace: Workspace, rules: RuleSet) -> None:
        self._workspace, self._rules = workspace, rules
        self.lint_skill = partial(lint_skill, root=workspace.root, rules=rules)

    def conclude(self, linted: Sequence[tuple[Verdict, SkillSummary]]) -> TargetVerdict:
        """Lint the rest of the target; the verdict of it all."""
        summaries = tuple([summary for _, summary in linted])
        rest = lint_rest(Inventory(self._workspace, summaries), self._rules)
        verdicts = [*(verdict for verdict, _ in linted), rest]
        kept = [verdict for verdict in verdicts if not verdict.is_empty]
        return TargetVerdict(kept, len(linted), sum([verdict.files for verdict in verdicts]), summaries)


def lint_target(
    workspace: Workspace, rules: Iterable[Rule], *, defined: AbstractSet[str], today: str, suppressions: bool = True
) -> Linted:
    """Lint a target with the rules for its kind; the other arguments are those of `conclude`."""
    chosen = rules_for(workspace.kind, rules, searched=workspace.target.searched)
    verdict = lint(workspace, chosen, FreshLinter(workspace, chosen))
    return conclude(verdict, workspace.root, chosen, defined=defined, today=today, suppressions=suppressions)


def lint_skill(folder: SkillFolder, root: str, rules: RuleSet) -> tuple[Verdict, SkillSummary]:
    """Lint one skill of the target at `root`; target-level rules need the summary."""
    skill = read_skill(folder.path, folder.skills_root, root)
    linter = Linter(root, rules, skill)
    if isinstance(skill.document, Document):
        linter.documents[skill.path] = skill.document
    linter.apply(rules.by_subject[Subject.SKILL], skill)
    if skill.has_manifest:
        linter.lint_manifest(skill)
    for inner in skill.inner:
        linter.apply(rules.by_subject[Subject.SKILL], inner)
    for file in files_in_skill(skill):
        linter.apply(rules.late[Subject.HOST_FILE], file)
    for sample in skill.samples:
        linter.apply(rules.of_samples, sample)
    for text in text_files(skill):
        linter.lint_text(text)
    aside = [Aside(sample.path, _SAMPLE) for sample in skill.samples if not linter.is_test_data(sample.path)]
    if isinstance(skill.document, DocumentProblem) and skill.document.kind != "missing":
        aside.append(Aside(skill.path, skill.document.detail, fails=True))
    return linter.verdict(tuple(aside)), skill.card


def lint_rest(inventory: Inventory, rules: RuleSet) -> Verdict:
    """Lint the target's own files, and the relations between its skills."""
    workspace = inventory.workspace
    linter = Linter(workspace.root, rules)
    for text in workspace.texts():
        linter.lint_text(text)
    linter.apply(rules.by_subject[Subject.INVENTORY], inventory)
    if workspace.target.around:
        linter.lint_around(inventory)
    return linter.verdict()


def conclude(
    target: TargetVerdict,
    root: str,
    rules: RuleSet,
    *,
    defined: AbstractSet[str],
    today: str,
    suppressions: bool = True,
    further: AbstractSet[str] = frozenset(),
) -> Linted:
    """Apply the suppressions of the target at `root`, and lint them.

    `defined` are the ids of all rules: those not among `rules` are switched off, any other id is unknown. `today` (ISO
    date) decides which suppressions have expired. Without `suppressions` none has an effect. `further` rules ran, too.
    """
    findings = [finding for verdict in target.verdicts for finding in verdict.findings]
    written = [comment for verdict in target.verdicts if suppressions for comment in verdict.suppressions]
    ran = rules.ids({name for suppression in written for name in suppression.rules}) | further
    kept, outcomes = apply_suppressions(findings, written, ran, defined, today)
    signs = {rule.id: rule.sign for rule in rules.rules if rule.sign}
    linter = Linter(root, rules)
    for outcome in outcomes:
        linter.apply(rules.by_subject[Subject.SUPPRESSION], outcome)
    return Linted(
        findings=tuple(in_order([*raised_together(kept, signs, root), *linter.findings])),
        skills=target.skills,
        files=target.files,
        suppressed=len(findings) - len(kept),
        dated=any(comment.until is not None for comment in written),
        summaries=target.summaries,
        aside=tuple([aside for verdict in target.verdicts for aside in verdict.aside]),
    )


def raised_together(findings: Sequence[Finding], signs: Mapping[str, str], root: str) -> Iterator[Finding]:
    """The findings of the target at `root`; where signs of two kinds are warnings about a skill, each is an error.

    `signs` are the kinds by rule. What a README says to people is no sign, and each inner skill stands for itself.
    """
    kinds: dict[str, dict[str, Finding]] = {}
    places = [_skill(finding.path, root) if _is_sign(finding, signs) else "" for finding in findings]
    for finding, place in zip(findings, places, strict=True):
        if place:
            kinds.setdefault(place, {}).setdefault(signs[finding.rule], finding)
    for finding, place in zip(findings, places, strict=True):
        for other in [other for kind, other in kinds.get(place, {}).items() if kind != signs.get(finding.rule)][:1]:
            beside = f"`{other.rule}` in {os.path.relpath(other.path, place).replace(os.sep, '/')}:{other.line}"
            message = f"{finding.message} (an error, not a warning, since there is {beside} as well)"
            finding = finding._replace(level=Severity.ERROR, message=message)
        yield finding


def _is_sign(finding: Finding, signs: Mapping[str, str]) -> bool:
    name = os.path.basename(finding.path).upper()
    return finding.level is Severity.WARNING and finding.rule in signs and not name.startswith("README")


def _skill(path: str, root: str) -> str:
    """The folder of the skill that a file belongs to; empty if it is in none."""
    while path != root and path != os.path.dirname(path):
        path = os.path.dirname(path)
        if tracked.exists(os.path.join(path, SKILL_FILE)):
            return path
    return ""
