"""Rules x subjects -> findings. Each skill is read once, judged, and let go; only its card stays for the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

from skillbag.checks.predicate import Hit, Subject
from skillbag.documents.source import Document, Position, Problem, read_document
from skillbag.findings import Finding
from skillbag.processes import in_parts
from skillbag.rules import Rule
from skillbag.suppressions import MARK, Suppression, apply_suppressions, read_suppressions
from skillbag.workspace.model import Inventory, SkillFolder, Workspace
from skillbag.workspace.skill import Card, Skill, read_skill
from skillbag.workspace.text import TextFile, UnreadText


class Linted(NamedTuple):
    """What checking one target gave: findings in order of place, the cards of its skills, and how much was looked at.

    `files` counts the files that were read; `suppressed` the findings that the files themselves ask to leave out.
    """

    findings: tuple[Finding, ...]
    cards: tuple[Card, ...]
    files: int
    suppressed: int

    @property
    def skills(self) -> int:
        """How many skills were looked at."""
        return len(self.cards)


@dataclass(frozen=True)
class RuleSet:
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


class _Part(NamedTuple):
    """What some of a target's texts gave: findings, suppressions, the cards of the skills, and how many files."""

    findings: list[Finding]
    suppressions: list[Suppression]
    cards: list[Card]
    files: int


class _Judge:
    """Puts subjects to the rules; keeps the findings, and the documents that their places are counted in."""

    def __init__(self, root: str, rules: RuleSet) -> None:
        self.root = root
        self.rules = rules
        self.findings: list[Finding] = []
        self.suppressions: list[Suppression] = []
        self.documents: dict[str, Document] = {}
        self.files = 0
        self._shown = ("", 0, "")

    def skill(self, skill: Skill) -> Card:
        if isinstance(skill.document, Document):
            self.documents[skill.path] = skill.document
        self.ask(Subject.SKILL, skill)
        for text in skill.text_files():
            self.text(text)
        self.documents.clear()
        return skill.card

    def text(self, text: TextFile | UnreadText) -> None:
        self.files += 1
        if isinstance(text, UnreadText):
            self.ask(Subject.UNREAD, text)
            return
        self.documents[text.document.path] = text.document
        triggered, marked = self.rules.triggered(text.document.raw)
        self._apply(self.rules.always, text)
        self._apply(triggered, text)
        if marked:
            self.suppressions += read_suppressions(text)

    def ask(self, subject: Subject, value: object) -> None:
        self._apply(self.rules.by_subject[subject], value)

    def _apply(self, rules: Iterable[Rule], value: object) -> None:
        for rule in rules:
            for hit in rule.predicate.check(value, rule.options):
                self.findings.append(self._finding(rule, hit))

    def _finding(self, rule: Rule, hit: Hit) -> Finding:
        document = self._document(hit.path)
        start, end = _span(document, hit)
        return Finding(
            rule=rule.id,
            clause=rule.clause,
            level=rule.level,
            path=hit.path,
            root=self.root,
            line=start.line,
            column=start.column,
            end_line=end.line,
            end_column=end.column,
            message=rule.message.format_map(hit.values),
            fix=rule.fix.format_map(hit.values) if rule.fix else None,
            excerpt=self._excerpt(document, start.line) if document else "",
            edits=hit.edits,
        )

    def _excerpt(self, document: Document, line: int) -> str:
        # A thousand findings on one long line share its text.
        if self._shown[:2] != (document.path, line):
            self._shown = (document.path, line, _shareable(document, line))
        return self._shown[2]

    def _document(self, path: str) -> Document | None:
        if path not in self.documents:
            document = read_document(path, self.root)
            if isinstance(document, Problem):
                return None
            self.documents[path] = document
        return self.documents[path]


def _shareable(document: Document, line: int) -> str:
    """A line as it may go into a finding. One from the midst of a private key does not tell by itself what it is."""
    if "PRIVATE KEY" not in document.text:
        return document.line(line)
    from skillbag.checks.secrets import mask

    return mask(document.text).split("\n")[line - 1].rstrip("\r")


def _span(document: Document | None, hit: Hit) -> tuple[Position, Position]:
    if document is None:
        start = hit.at or Position(1, 1)
    elif hit.at is None:
        return document.position(hit.start), document.position(max(hit.end, hit.start))
    else:
        start = document.within(hit.at)
    return start, start


def lint(
    workspace: Workspace,
    rules: Iterable[Rule],
    *,
    defined: AbstractSet[str],
    today: str,
    suppressions: bool = True,
) -> Linted:
    """Check one target with those of the rules that are meant for its kind.

    `defined` are the ids of all rules there are, so that a suppression of an unknown one is told from one of a rule
    that is switched off; `today` (ISO date) ends suppressions. Without `suppressions`, comments excuse nothing.
    """
    rule_set = RuleSet(tuple(rule for rule in rules if workspace.kind in rule.targets))
    parts = in_parts(partial(_judge_skills, workspace, rule_set), workspace.skill_folders)
    cards = tuple(card for part in parts for card in part.cards)
    parts.append(_judge_whole(Inventory(workspace, cards), rule_set))
    findings = [finding for part in parts for finding in part.findings]
    meant = [suppression for part in parts if suppressions for suppression in part.suppressions]
    ran = frozenset(rule.id for rule in rule_set.rules)
    kept, judged = apply_suppressions(findings, meant, ran, defined, today)
    late = _Judge(workspace.root, rule_set)
    for one in judged:
        late.ask(Subject.SUPPRESSION, one)
    ordered = tuple(_in_order([*kept, *late.findings]))
    return Linted(ordered, cards, sum(part.files for part in parts), len(findings) - len(kept))


def _judge_skills(workspace: Workspace, rules: RuleSet, folders: Sequence[SkillFolder]) -> _Part:
    judge = _Judge(workspace.root, rules)
    cards = [judge.skill(read_skill(folder.path, folder.skills_root, workspace.root)) for folder in folders]
    return _Part(judge.findings, judge.suppressions, cards, judge.files)


def _judge_whole(inventory: Inventory, rules: RuleSet) -> _Part:
    judge = _Judge(inventory.workspace.root, rules)
    for text in inventory.workspace.texts():
        judge.text(text)
    judge.ask(Subject.INVENTORY, inventory)
    return _Part(judge.findings, judge.suppressions, [], judge.files)


def _in_order(findings: list[Finding]) -> Iterator[Finding]:
    seen: set[tuple[object, ...]] = set()
    for finding in sorted(findings, key=lambda f: (f.path, f.line, f.column, f.rule, f.message)):
        key = (finding.path, finding.line, finding.column, finding.end_column, finding.rule, finding.message)
        if key not in seen:
            seen.add(key)
            yield finding
