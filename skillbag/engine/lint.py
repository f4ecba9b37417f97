"""Rules x subjects -> findings. Each skill is read once, judged, and let go; only its card stays for the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from skillbag.base.parallel import in_parts
from skillbag.base.records import NamedTuple, cached_property
from skillbag.cache.codec import Verdict
from skillbag.checks.predicate import Match, Subject
from skillbag.checks.suppressions import MARK, Suppression, apply_suppressions, read_suppressions
from skillbag.documents.source import Document, DocumentProblem, Position, read_document
from skillbag.model.findings import Finding
from skillbag.model.result import Aside
from skillbag.rules.model import Rule
from skillbag.workspace.model import Inventory, Workspace
from skillbag.workspace.skill import Skill, SkillSummary, is_sample, read_skill
from skillbag.workspace.target import Kind, SkillFolder
from skillbag.workspace.text import TextFile, UnreadText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from skillbag.cache.entry import Unit
    from skillbag.cache.table import Units
else:
    Protocol = object


class Linted(NamedTuple):
    """What checking one target gave: findings in order of place, and how much was looked at.

    `skills` and `files` count what was read; `suppressed` the findings that the files themselves ask to leave out.
    `dated` says that one of them asks so until some day. The cards of the skills are given where all were judged anew.
    `aside` is what is a `SKILL.md` in a skill and was not judged as one.
    """

    findings: tuple[Finding, ...]
    skills: int
    files: int
    suppressed: int
    dated: bool = False
    cards: tuple[SkillSummary, ...] = ()
    aside: tuple[Aside, ...] = ()


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


class Memory(Protocol):
    """What earlier checks of a target found out, and the place where this one's findings go."""

    def skills(self, folders: Sequence[SkillFolder], judge: Callable[[Sequence[SkillFolder]], Units]) -> Units:
        """The units of these skills, in order: as they are known, or judged where that holds no more."""

    def rest(self, judge: Callable[[], Unit]) -> Unit:
        """The unit of the rest of the target, to be asked for after its skills: as it is known, or judged."""


class _Judge:
    """Puts subjects to the rules; keeps the findings, and the documents that their places are counted in."""

    def __init__(self, root: str, rules: RuleSet) -> None:
        self.root = root
        self.rules = rules
        self.findings: list[Finding] = []
        self.suppressions: list[Suppression] = []
        self.aside: list[Aside] = []
        self.documents: dict[str, Document] = {}
        self.files = 0
        self._shown = ("", 0, "")

    def take(self) -> Verdict:
        """What was found since the last time."""
        verdict = Verdict(tuple(self.findings), tuple(self.suppressions), self.files, tuple(self.aside))
        self.findings, self.suppressions, self.files, self.aside = [], [], 0, []
        self.documents.clear()
        return verdict

    def skill(self, skill: Skill) -> SkillSummary:
        if isinstance(skill.document, Document):
            self.documents[skill.path] = skill.document
        self.ask(Subject.SKILL, skill)
        for inner in skill.inner:
            self.ask(Subject.SKILL, inner)
        self.aside += [Aside(entry.path, _SAMPLE) for entry in skill.inner_files if is_sample(entry)]
        for text in skill.text_files():
            self.text(text)
        self.documents.clear()
        self._shown = ("", 0, "")
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

    def _finding(self, rule: Rule, hit: Match) -> Finding:
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


def _span(document: Document | None, hit: Match) -> tuple[Position, Position]:
    if document is None:
        start = hit.at or Position(1, 1)
    elif hit.at is None:
        return document.position(hit.start), document.position(max(hit.end, hit.start))
    else:
        start = document.within(hit.at)
    return start, start


def lint(
    workspace: Workspace,
    rules: Iterable[Rule] | RuleSet,
    *,
    defined: AbstractSet[str],
    today: str,
    suppressions: bool = True,
    memory: Memory | None = None,
) -> Linted:
    """Check one target with those of the rules that are meant for its kind, or with a set of such rules.

    `defined` are the ids of all rules there are, so that a suppression of an unknown one is told from one of a rule
    that is switched off; `today` (ISO date) ends suppressions. Without `suppressions`, comments excuse nothing. What
    the `memory` has still holds, and is not judged again.
    """
    rule_set = rules if isinstance(rules, RuleSet) else rules_for(workspace.kind, rules)
    judged = _judged(workspace, rule_set) if memory is None else _remembered(workspace, rule_set, memory)
    findings = [finding for verdict in judged.verdicts for finding in verdict.findings]
    meant = [one for verdict in judged.verdicts if suppressions for one in verdict.suppressions]
    ran = frozenset(rule.id for rule in rule_set.rules)
    kept, outcomes = apply_suppressions(findings, meant, ran, defined, today)
    late = _Judge(workspace.root, rule_set)
    for one in outcomes:
        late.ask(Subject.SUPPRESSION, one)
    ordered = tuple(_in_order([*kept, *late.findings]))
    aside = tuple(one for verdict in judged.verdicts for one in verdict.aside)
    return Linted(
        ordered, judged.skills, judged.files, len(findings) - len(kept), _is_dated(meant), judged.cards, aside
    )


def rules_for(kind: Kind, rules: Iterable[Rule]) -> RuleSet:
    """Those of the rules that are meant for a kind of target, to be used again and again."""
    return RuleSet(tuple(rule for rule in rules if kind in rule.targets))


def _is_dated(suppressions: Iterable[Suppression]) -> bool:
    return any(one.until is not None for one in suppressions)


class _Judged(NamedTuple):
    """The verdicts that are not empty, and how many skills and files they are about."""

    verdicts: list[Verdict]
    skills: int
    files: int
    cards: tuple[SkillSummary, ...] = ()


def _judged(workspace: Workspace, rules: RuleSet) -> _Judged:
    parts = in_parts(partial(_judge_skills, workspace, rules), workspace.skill_folders)
    verdicts = [part[0] for part in parts]
    cards = tuple(card for part in parts for card in part[1])
    verdicts.append(_judge_whole(Inventory(workspace, cards), rules))
    return _Judged(verdicts, len(cards), sum(verdict.files for verdict in verdicts), cards)


def _judge_skills(
    workspace: Workspace, rules: RuleSet, folders: Sequence[SkillFolder]
) -> tuple[Verdict, list[SkillSummary]]:
    judge = _Judge(workspace.root, rules)
    cards = [judge.skill(read_skill(folder.path, folder.skills_root, workspace.root)) for folder in folders]
    return judge.take(), cards


def _judge_whole(inventory: Inventory, rules: RuleSet) -> Verdict:
    judge = _Judge(inventory.workspace.root, rules)
    for text in inventory.workspace.texts():
        judge.text(text)
    judge.ask(Subject.INVENTORY, inventory)
    return judge.take()


def _remembered(workspace: Workspace, rules: RuleSet, memory: Memory) -> _Judged:
    from skillbag.cache.codec import unpack
    from skillbag.cache.table import Units

    judge = partial(_judge_units, workspace, rules)
    units = memory.skills(workspace.skill_folders, lambda folders: Units.joined(in_parts(judge, folders)))
    whole = memory.rest(lambda: _judge_rest(workspace, rules, units.cards))
    verdicts = [unpack(line, workspace.root) for line in (*units.verdicts, whole.verdict) if line]
    return _Judged(verdicts, len(units), sum(units.files) + whole.files)


def _judge_units(workspace: Workspace, rules: RuleSet, folders: Sequence[SkillFolder]) -> Units:
    from skillbag.cache.codec import pack_card
    from skillbag.cache.entry import recorded
    from skillbag.cache.table import Units

    judge = _Judge(workspace.root, rules)

    def work(folder: SkillFolder) -> tuple[Verdict, bytes]:
        card = judge.skill(read_skill(folder.path, folder.skills_root, workspace.root))
        return judge.take(), pack_card(card)

    return Units.of([recorded(partial(work, folder)) for folder in folders])


def _judge_rest(workspace: Workspace, rules: RuleSet, cards: Iterable[bytes]) -> Unit:
    from skillbag.cache.codec import unpack_card
    from skillbag.cache.entry import recorded

    inventory = Inventory(workspace, tuple(map(unpack_card, cards, workspace.skill_folders)))
    return recorded(lambda: (_judge_whole(inventory, rules), b""))


def _in_order(findings: list[Finding]) -> Iterator[Finding]:
    seen: set[tuple[object, ...]] = set()
    for finding in sorted(findings, key=lambda f: (f.path, f.line, f.column, f.rule, f.message)):
        key = (finding.path, finding.line, finding.column, finding.end_column, finding.rule, finding.message)
        if key not in seen:
            seen.add(key)
            yield finding
