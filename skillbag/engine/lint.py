"""Rules x subjects -> findings. Each skill is read once, linted and released; only its summary stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from skillbag.base import parallel
from skillbag.base.records import NamedTuple, cached_property
from skillbag.checks.predicate import Match, Subject
from skillbag.checks.suppressions import MARK, apply_suppressions, read_suppressions
from skillbag.documents.source import Document, DocumentProblem, Position, read_document
from skillbag.engine.verdict import TargetVerdict, Verdict
from skillbag.model.findings import Finding
from skillbag.model.result import Aside
from skillbag.model.suppression import Suppression
from skillbag.rules.model import Rule
from skillbag.workspace.model import Inventory, Workspace
from skillbag.workspace.skill import SkillSummary, is_sample, read_skill
from skillbag.workspace.target import Kind, SkillFolder
from skillbag.workspace.text import TextFile, UnreadText, text_files


class Linted(NamedTuple):
    """What checking one target gave: findings in order of place, with suppressions applied.

    `skills` and `files` count what was read; `summaries` are those of the skills, where all were linted in this run.
    `suppressed` counts findings that a suppression removed; `dated` says that a suppression ends on some day. `aside`
    lists each `SKILL.md` in a skill that is not linted as one.
    """

    findings: tuple[Finding, ...]
    skills: int
    files: int
    suppressed: int
    dated: bool
    summaries: tuple[SkillSummary, ...]
    aside: tuple[Aside, ...]


_SAMPLE = "it is a sample within a skill"


class RuleSet(NamedTuple):
    """The rules of one kind of target, by subject, with one automaton over the literals of all text rules."""

    rules: tuple[Rule, ...]

    @cached_property
    def by_subject(self) -> dict[Subject, tuple[Rule, ...]]:
        """The rules of each subject."""
        return {subject: tuple(r for r in self.rules if r.predicate.subject is subject) for subject in Subject}

    @cached_property
    def always(self) -> tuple[Rule, ...]:
        """Text rules without literals: they see every text."""
        return tuple(rule for rule in self.by_subject[Subject.TEXT] if rule.predicate.literals is None)

    @cached_property
    def _literals(self) -> dict[bytes, list[int]]:
        wanted: dict[bytes, list[int]] = {MARK: []}
        for number, rule in enumerate(self.by_subject[Subject.TEXT]):
            for literal in rule.predicate.literals or ():
                wanted.setdefault(literal, []).append(number)
        return wanted

    @cached_property
    def _find(self) -> Callable[..., list[tuple[int, int, int]]]:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        # Left to choose, the library takes a form that is three times slower for this many literals.
        automaton = BytesAhoCorasick(list(self._literals), implementation=Implementation.DFA)
        return automaton.find_matches_as_indexes

    @cached_property
    def _rules_of(self) -> list[list[int]]:
        return list(self._literals.values())

    def triggered(self, raw: bytes) -> tuple[tuple[Rule, ...], bool]:
        """The text rules one of whose literals is in `raw`, and whether it holds a suppression."""
        found = {match[0] for match in self._find(raw, overlapping=True)}
        if not found:
            return (), False
        rules = self.by_subject[Subject.TEXT]
        numbers = sorted({number for literal in found for number in self._rules_of[literal]})
        return tuple(rules[number] for number in numbers), 0 in found


def lint(workspace: Workspace, rules: RuleSet) -> TargetVerdict:
    """Lint each skill of a target, then the rest of it. Many skills are linted by several processes."""
    folders = workspace.skill_folders
    if len(folders) < parallel.LEAST:
        linted = [lint_skill(folder, workspace.root, rules) for folder in folders]
    else:
        parts = parallel.in_parts(partial(_lint_skills, root=workspace.root, rules=rules), folders)
        linted = [skill for part in parts for skill in part]
    summaries = tuple([summary for _, summary in linted])
    rest = lint_rest(Inventory(workspace, summaries), rules)
    verdicts = [*(verdict for verdict, _ in linted), rest]
    files = sum([verdict.files for verdict in verdicts])
    return TargetVerdict([one for one in verdicts if not one.is_empty], len(folders), files, summaries)


def lint_target(
    workspace: Workspace, rules: Iterable[Rule], *, defined: AbstractSet[str], today: str, suppressions: bool = True
) -> Linted:
    """Lint a target by those of the rules that are meant for its kind; the other arguments are those of `conclude`."""
    chosen = rules_for(workspace.kind, rules)
    verdict = lint(workspace, chosen)
    return conclude(verdict, workspace.root, chosen, defined=defined, today=today, suppressions=suppressions)


def lint_skill(folder: SkillFolder, root: str, rules: RuleSet) -> tuple[Verdict, SkillSummary]:
    """Lint one skill of the target at `root`; the summary is what rules about the whole target need of it."""
    skill = read_skill(folder.path, folder.skills_root, root)
    linter = _Linter(root, rules)
    linter.know(skill.path, skill.document)
    linter.apply(rules.by_subject[Subject.SKILL], skill)
    for inner in skill.inner:
        linter.apply(rules.by_subject[Subject.SKILL], inner)
    for text in text_files(skill):
        linter.lint_text(text)
    aside = tuple([Aside(entry.path, _SAMPLE) for entry in skill.inner_files if is_sample(entry)])
    return linter.verdict(aside), skill.card


def lint_rest(inventory: Inventory, rules: RuleSet) -> Verdict:
    """Lint what a target holds beside its skills, and all of its skills together."""
    linter = _Linter(inventory.workspace.root, rules)
    for text in inventory.workspace.texts():
        linter.lint_text(text)
    linter.apply(rules.by_subject[Subject.INVENTORY], inventory)
    return linter.verdict()


def _lint_skills(folders: Sequence[SkillFolder], *, root: str, rules: RuleSet) -> list[tuple[Verdict, SkillSummary]]:
    return [lint_skill(folder, root, rules) for folder in folders]


class _Linter:
    """Applies rules to subjects; collects findings, and the documents that their places are counted in."""

    def __init__(self, root: str, rules: RuleSet) -> None:
        self.root = root
        self.rules = rules
        self.findings: list[Finding] = []
        self.suppressions: list[Suppression] = []
        self.documents: dict[str, Document] = {}
        self.files = 0
        self._shown = ("", 0, "")

    def verdict(self, aside: tuple[Aside, ...] = ()) -> Verdict:
        """What was found."""
        return Verdict(tuple(self.findings), tuple(self.suppressions), self.files, aside)

    def know(self, path: str, document: Document | DocumentProblem) -> None:
        """Spare reading a document again when something is found in it."""
        if isinstance(document, Document):
            self.documents[path] = document

    def lint_text(self, text: TextFile | UnreadText) -> None:
        """Apply the rules about texts, of those with literals the ones whose literals the text holds."""
        self.files += 1
        if isinstance(text, UnreadText):
            self.apply(self.rules.by_subject[Subject.UNREAD], text)
            return
        self.documents[text.document.path] = text.document
        triggered, marked = self.rules.triggered(text.document.raw)
        self.apply(self.rules.always, text)
        self.apply(triggered, text)
        if marked:
            self.suppressions += read_suppressions(text)

    def apply(self, rules: Iterable[Rule], subject: object) -> None:
        """Apply rules to a subject of their kind."""
        for rule in rules:
            for match in rule.predicate.check(subject, rule.options):
                self.findings.append(self._finding(rule, match))

    def _finding(self, rule: Rule, match: Match) -> Finding:
        document = self._document(match.path)
        start, end = _span(document, match)
        return Finding(
            rule=rule.id,
            clause=rule.clause,
            level=rule.level,
            path=match.path,
            root=self.root,
            line=start.line,
            column=start.column,
            end_line=end.line,
            end_column=end.column,
            message=rule.message.format_map(match.values),
            fix=rule.fix.format_map(match.values) if rule.fix else None,
            excerpt=self._excerpt(document, start.line) if document else "",
            edits=match.edits,
        )

    def _excerpt(self, document: Document, line: int) -> str:
        # A thousand findings on one long line share its text.
        if self._shown[:2] != (document.path, line):
            self._shown = (document.path, line, _shareable(document, line))
        return self._shown[2]

    def _document(self, path: str) -> Document | None:
        if path not in self.documents:
            document = read_document(path, self.root)
            if isinstance(document, DocumentProblem):
                return None
            self.documents[path] = document
        return self.documents[path]


def _shareable(document: Document, line: int) -> str:
    """A line as it may go into a finding. One from the midst of a private key does not tell by itself what it is."""
    if "PRIVATE KEY" not in document.text:
        return document.line(line)
    from skillbag.secrets.detection import mask

    return mask(document.text).split("\n")[line - 1].rstrip("\r")


def _span(document: Document | None, match: Match) -> tuple[Position, Position]:
    if document is None:
        start = match.at or Position(1, 1)
    elif match.at is None:
        return document.position(match.start), document.position(max(match.end, match.start))
    else:
        start = document.within(match.at)
    return start, start


def conclude(
    target: TargetVerdict,
    root: str,
    rules: RuleSet,
    *,
    defined: AbstractSet[str],
    today: str,
    suppressions: bool = True,
) -> Linted:
    """Apply the suppressions of the target at `root`, and lint them.

    `defined` are the ids of all rules, so that a suppression of an unknown rule differs from one of a rule that is
    switched off. `today` (ISO date) decides which have expired. Without `suppressions` none has an effect.
    """
    findings = [finding for verdict in target.verdicts for finding in verdict.findings]
    meant = [one for verdict in target.verdicts if suppressions for one in verdict.suppressions]
    ran = frozenset([rule.id for rule in rules.rules])
    kept, outcomes = apply_suppressions(findings, meant, ran, defined, today)
    linter = _Linter(root, rules)
    for outcome in outcomes:
        linter.apply(rules.by_subject[Subject.SUPPRESSION], outcome)
    return Linted(
        findings=tuple(_in_order([*kept, *linter.findings])),
        skills=target.skills,
        files=target.files,
        suppressed=len(findings) - len(kept),
        dated=any(one.until is not None for one in meant),
        summaries=target.summaries,
        aside=tuple([aside for verdict in target.verdicts for aside in verdict.aside]),
    )


def rules_for(kind: Kind, rules: Iterable[Rule]) -> RuleSet:
    """Those of the rules that are meant for a kind of target, to be used again and again."""
    return RuleSet(tuple(rule for rule in rules if kind in rule.targets))


def _in_order(findings: list[Finding]) -> Iterator[Finding]:
    seen: set[tuple[object, ...]] = set()
    for finding in sorted(findings, key=lambda f: (f.path, f.line, f.column, f.rule, f.message)):
        key = (finding.path, finding.line, finding.column, finding.end_column, finding.rule, finding.message)
        if key not in seen:
            seen.add(key)
            yield finding
