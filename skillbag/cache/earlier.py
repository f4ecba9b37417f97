"""A check of what changed: its findings, and those elsewhere that the state before the changes did not have.

Only what the changes touch is linted for that state, with the disk as it was (`fs.past`). What a verdict depends on is
known from its entry: its questions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillbag.base.errors import UserError
from skillbag.cache.checker import CachedChecker, digest_of
from skillbag.cache.codec import pack_summary, unpack, unpack_summary
from skillbag.cache.entry import CacheEntry, split_questions
from skillbag.cache.eviction import place_of
from skillbag.cache.memory import Memory, TargetRecord
from skillbag.engine.changed import ChangedParts, only_changed
from skillbag.engine.checker import Checker, Progress
from skillbag.fs import tracked
from skillbag.model.findings import Finding
from skillbag.model.result import Result
from skillbag.workspace.git_changes import Changes, past_before
from skillbag.workspace.target import SkillFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.engine.planner import PlannedTarget
    from skillbag.engine.verdict import TargetVerdict, Verdict
    from skillbag.fs.past import Past

_OF_A_PATH = (tracked.CONTENT, tracked.NAMES, tracked.MODE, tracked.KIND, tracked.REAL, tracked.LINK, tracked.VERSION)


def check_changes(
    checker: Checker, changes: tuple[Changes, ...], *, cache: bool, progress: Progress | None = None
) -> Result:
    """The result of a check with the findings in what changed, and those that the changes brought elsewhere.

    Raises as `Checker.check`.
    """
    if not isinstance(checker, CachedChecker):
        # One that measures leaves no entries.
        return only_changed(checker.check(progress), changes, _Earlier(checker, changes, None).findings)
    memory = Memory(place_of(checker.request._replace(today="")) if cache else None)
    result = checker.check_around(memory, progress)
    return only_changed(result, changes, lambda *given: _Earlier(checker, changes, memory).findings(*given))


class _Earlier:
    """The state before the changes; `memory` holds the entries of the check that has just been done."""

    def __init__(self, checker: Checker, changes: tuple[Changes, ...], memory: Memory | None) -> None:
        self._checker = checker
        self._past = past_before(changes)
        self._discovery: CacheEntry | None = None
        records: list[TargetRecord] = []
        if memory:
            self._discovery, records = memory.latest()
        self._records = {(record.target.kind, record.target.root): record for record in records}
        named = any(root != os.path.realpath(root) for _, root in self._records)
        self._has_links = named or any(each.links for each in changes)

    def findings(self, parts: ChangedParts, roots: frozenset[str]) -> tuple[Finding, ...]:
        """Those in the targets of these roots, outside of the changed parts; none if that state can't be checked."""
        from skillbag.engine.result_builder import ResultBuilder

        builder = ResultBuilder(self._checker.today)
        touched = _Touched(self._past, parts if self._has_links else None)
        with tracked.looking_at(self._past):
            try:
                for target in self._plan(touched):
                    if target.workspace.root in roots:
                        builder.add(target, self._verdict(target, touched, parts))
            except (UserError, OSError):
                return ()
        return builder.result().findings

    def _plan(self, touched: _Touched) -> Iterable[PlannedTarget]:
        if self._discovery is None or touched.has(self._discovery):
            from skillbag.engine.planner import Planner

            return Planner(self._checker.request).plan()
        planner = self._checker.planner
        return [planner.of(record.target, record.folders) for record in self._records.values()]

    def _verdict(self, target: PlannedTarget, touched: _Touched, parts: ChangedParts) -> TargetVerdict:
        from skillbag.engine.verdict import TargetVerdict

        workspace = target.workspace
        record = self._records.get((workspace.kind, workspace.root))
        if record is None or record.rules != target.digest:
            record = TargetRecord(workspace.target, target.digest, "", {}, None)
        verdicts: list[Verdict] = []
        summaries = []
        for folder in workspace.skill_folders:
            entry = record.skills.get(folder.path)
            if entry is None or touched.has(entry):
                verdict, summary = _lint(folder, target, changed=parts.holds(folder.path))
                verdicts.append(verdict)
            else:
                summary = entry.summary
                if entry.verdict:
                    verdicts.append(unpack(entry.verdict, workspace.root))
            summaries.append(summary)
        verdicts.append(_rest(target, record, summaries, touched))
        return TargetVerdict(verdicts, len(summaries), 0)


def _lint(folder: SkillFolder, target: PlannedTarget, *, changed: bool) -> tuple[Verdict, bytes]:
    """The verdict and the packed summary of a skill; of a changed one the summary alone matters."""
    from skillbag.engine.verdict import Verdict

    root = target.workspace.root
    if changed:
        from skillbag.workspace.skill import read_skill

        return Verdict(), pack_summary(read_skill(folder.path, folder.skills_root, root).card)
    from skillbag.checks.predicate import keeping
    from skillbag.engine.lint import lint_skill

    with keeping():
        verdict, summary = lint_skill(folder, root, target.rules)
    return verdict, pack_summary(summary)


def _rest(target: PlannedTarget, record: TargetRecord, summaries: list[bytes], touched: _Touched) -> Verdict:
    """The verdict of the target's own files, and of the relations between its skills."""
    workspace = target.workspace
    folders = workspace.skill_folders
    is_same = record.target == workspace.target and record.inventory == digest_of(folders, summaries)
    if is_same and record.rest and not touched.has(record.rest):
        from skillbag.engine.verdict import Verdict

        return unpack(record.rest.verdict, workspace.root) if record.rest.verdict else Verdict()
    from skillbag.engine.lint import lint_rest
    from skillbag.workspace.model import Inventory

    return lint_rest(Inventory(workspace, tuple(map(unpack_summary, summaries, folders))), target.rules)


class _Touched:
    """Which entries depend on something that changed. With `links`, their paths may lead there through links."""

    def __init__(self, past: Past, links: ChangedParts | None) -> None:
        self._links = links
        self._questions = frozenset(_affected(past))

    def has(self, entry: CacheEntry) -> bool:
        """Whether one of an entry's questions may have had another answer."""
        asked = split_questions([entry.questions])
        if self._links is None:
            return not self._questions.isdisjoint(asked)
        return any(
            question[0] + self._links.place(question[1:]) in self._questions
            or (os.path.islink(question[1:]) and question[0] + os.path.realpath(question[1:]) in self._questions)
            for question in asked
        )


def _affected(past: Past) -> Iterator[str]:
    """The questions about changed files, and about the folders in which names have come or gone."""
    for changed in past.changed:
        path = changed
        yield from (kind + path for kind in _OF_A_PATH)
        while not _is_same(past, path):
            path = os.path.dirname(path)
            # A folder that has come or gone itself is another answer to all questions.
            yield from (kind + path for kind in (_OF_A_PATH if not _is_same(past, path) else tracked.NAMES))


def _is_same(past: Past, path: str) -> bool:
    """Whether there was at a path what there is now: a file, folder or link, or nothing."""
    now, _ = tracked.kinds(path)
    return now == past.kinds(path)[0]
