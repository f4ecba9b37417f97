"""Rules applied to subjects: findings, suppressions, and the documents that their places are counted in."""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillbag.kernel.base import clock
from skillbag.kernel.documents.source import Document, DocumentProblem, Position, read_document
from skillbag.kernel.model.findings import Finding, Severity, Suppression
from skillbag.kernel.model.result import TEST_SKILL, Aside
from skillbag.kernel.workspace.host_folders import host_folders
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import AGENTS, TargetKind
from skillbag.kernel.workspace.text import TextFile, UnreadText
from skillbag.kernel.workspace.tree import in_test_data
from skillbag.lint.checks.predicate import MAX, Match, Subject, Unjudged
from skillbag.lint.checks.suppressions import MARK, read_suppressions
from skillbag.lint.engine.rule_set import RuleSet, is_about_harm
from skillbag.lint.engine.verdict import Verdict
from skillbag.lint.rules.model import Rule

_MANY = f"There are more than {MAX:,} findings of this rule in this file; the others are left out"
_COUNTED = frozenset((Subject.TEXT, Subject.SUPPRESSION, Subject.MANIFEST))
"""Subjects of which one file may have very many."""


class Linter:
    """Applies rules to subjects; collects findings, and the documents that their places are counted in."""

    def __init__(self, root: str, rules: RuleSet, skill: Skill | None = None) -> None:
        self.root, self.rules = root, rules
        self._skill = None if rules.test_data else skill
        self.findings: list[Finding] = []
        self.suppressions: list[Suppression] = []
        self.documents: dict[str, Document] = {}
        self.aside: dict[Aside, None] = {}
        self.files = 0
        self.signs: dict[str, str] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._excerpt = ("", 0, "")
        self._masked: dict[str, Document] = {}

    def is_test_data(self, path: str) -> bool:
        """Whether a file of the skill is for tests, so that only rules about harm count."""
        skill = self._skill
        if skill is None or not path.startswith(skill.directory + os.sep):
            return False
        return in_test_data(path[len(skill.directory) + 1 :].replace(os.sep, "/"), skill.folder)

    def verdict(self, aside: tuple[Aside, ...] = ()) -> Verdict:
        """The findings, suppressions and number of files."""
        return Verdict(tuple(self.findings), tuple(self.suppressions), self.files, (*aside, *self.aside))

    def lint_text(self, text: TextFile | UnreadText) -> None:
        """Apply the rules about texts, without those whose literals are not in the text."""
        # It is named by a rule about it, or else beside the findings.
        if isinstance(text, UnreadText) and (text.is_data or not self.rules.by_subject[Subject.UNREAD]):
            self.aside[Aside(text.problem.path, text.problem.detail)] = None
            return
        self.files += 1
        if self._skill and "/" in text.relative and in_test_data(text.relative, self._skill.folder):
            path = text.problem.path if isinstance(text, UnreadText) else text.document.path
            self.aside[Aside(path, TEST_SKILL)] = None
        if isinstance(text, UnreadText):
            self.apply(self.rules.by_subject[Subject.UNREAD], text)
            return
        self.documents[text.document.path] = text.document
        search, body = self.rules.literals.search, text.document.body
        text.places = clock.timed("literals", search, body) if clock.timed else search(body)
        self.apply(self.rules.always, text)
        self.apply(self.rules.triggered(text.places), text)
        if MARK in text.places:
            self.suppressions += read_suppressions(text)

    def lint_manifest(self, skill: Skill) -> None:
        """Apply the rules about manifests."""
        # Few skills have one, and the others need no reader for it.
        from skillbag.kernel.manifest.reader import read_active_skill

        self.apply(self.rules.late[Subject.MANIFEST], read_active_skill(skill))

    def lint_around(self, inventory: Inventory) -> None:
        """Apply the rules about files around skills, and to their texts those about texts."""
        # Few targets have any, and the others need no reader for commands.
        from skillbag.lint.engine.host_runs import inner_texts, raised_unasked

        workspace = inventory.workspace
        seen: set[str] = set()
        own = () if workspace.kind is TargetKind.SKILLS else (workspace.path(AGENTS),)
        folders = tuple(card.directory + os.sep for card in inventory.cards)
        for folder in host_folders(inventory):
            for file in folder.files:
                # A skill at the root of a project has them among its own files.
                if file.path not in own and not file.path.startswith(folders):
                    before = len(self.findings)
                    self.lint_text(file.text)
                    self.findings[before:] = raised_unasked(self.findings[before:], file, self.signs)
                for script in inner_texts(file, seen):
                    if not script.document.path.startswith(folders):
                        self.lint_text(script)
                self.apply(self.rules.late[Subject.HOST_FILE], file)
            self.apply(self.rules.late[Subject.HOST_FOLDER], folder)

    def apply(self, rules: Iterable[Rule], subject: object) -> None:
        """Apply rules to a subject of their kind."""
        for rule in rules:
            predicate = rule.predicate
            # The options are of a class in the module of the predicate, so they are not made for nothing.
            if predicate.needs and not predicate.is_needed(subject):
                continue
            for match in predicate.check(subject, rule.options):
                if isinstance(match, Unjudged):
                    self.aside[Aside(*match)] = None
                    continue
                level = rule.level_of(match, subject)
                if level is None or (not is_about_harm(rule) and self.is_test_data(match.path)):
                    continue
                if predicate.subject in _COUNTED:
                    count = self._counts[rule.id, match.path] = self._counts.get((rule.id, match.path), 0) + 1
                    if count == MAX + 1:
                        self.findings.append(
                            self._finding(rule, match, level)._replace(message=_MANY, fix=None, edits=())
                        )
                    if count > MAX:
                        break
                self.findings.append(self._finding(rule, match, level))
                if rule.sign:
                    self.signs[rule.id] = rule.sign

    def _finding(self, rule: Rule, match: Match, level: Severity) -> Finding:
        document = self._document(match.path)
        start, end = _span(document, match)
        return Finding(
            rule=rule.id,
            clause=rule.clause,
            level=level,
            path=match.path,
            root=self.root,
            line=start.line,
            column=start.column,
            end_line=end.line,
            end_column=end.column,
            message=rule.message.format_map(match.values),
            fix=rule.fix.format_map(match.values) if rule.fix else None,
            excerpt=self._excerpt_of(document, start.line) if document and not match.private else "",
            edits=match.edits,
            moved=match.moved,
            cause=match.cause,
        )

    def _excerpt_of(self, document: Document, line: int) -> str:
        # A thousand findings on one long line share its text.
        if self._excerpt[:2] != (document.path, line):
            self._excerpt = (document.path, line, self._shareable(document).line(line))
        return self._excerpt[2]

    def _shareable(self, document: Document) -> Document:
        """The document, masked if it holds a private key, which a line alone does not show."""
        if document.path not in self._masked:
            shown = document
            if "PRIVATE KEY" in document.text:
                from skillbag.kernel.secrets.detection import mask

                shown = document._replace(text=mask(document.text))
            self._masked[document.path] = shown
        return self._masked[document.path]

    def _document(self, path: str) -> Document | None:
        if path not in self.documents:
            document = read_document(path, self.root)
            if isinstance(document, DocumentProblem):
                return None
            self.documents[path] = document
        return self.documents[path]


def _span(document: Document | None, match: Match) -> tuple[Position, Position]:
    if document is None:
        start = match.at or Position(1, 1)
    elif match.at is None:
        return document.position(match.start), document.position(max(match.end, match.start))
    else:
        start = document.within(match.at)
    return start, start
