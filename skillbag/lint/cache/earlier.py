"""A check of what changed: its findings, and those elsewhere that the state before the changes did not have.

What is judged may be an earlier state itself: git's index. Of an earlier state only what differs from the disk is
linted, with the disk as it was (`kernel.fs.past`). What a verdict depends on is known from its entry: its questions.
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
from collections.abc import Callable, Iterable, Iterator

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs import other_disk, tracked
from skillbag.kernel.fs.past import mode_on_disk
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.git_changes import GitChanges, past_before
from skillbag.kernel.workspace.target import SkillFolder, Target, TargetKind
from skillbag.lint.cache.checker import CachedChecker, digest_of
from skillbag.lint.cache.codec import pack_summary, unpack, unpack_summary
from skillbag.lint.cache.entry import CacheEntry, split_questions
from skillbag.lint.cache.eviction import place_of
from skillbag.lint.cache.memory import Memory, TargetRecord
from skillbag.lint.engine.changed import ChangedParts, only_changed
from skillbag.lint.engine.checker import Checker, Progress, mark_installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.fs.past import Past
    from skillbag.lint.engine.planner import PlannedTarget
    from skillbag.lint.engine.verdict import TargetVerdict, Verdict

_OF_A_PATH = (tracked.CONTENT, tracked.NAMES, tracked.MODE, tracked.KIND, tracked.REAL, tracked.LINK, tracked.VERSION)


def lint_changes(
    checker: Checker,
    changes: tuple[GitChanges, ...],
    unstaged: tuple[GitChanges, ...] = (),
    *,
    cache: bool,
    progress: Progress | None = None,
) -> CheckResult:
    """The result of a check with the findings in what changed, and those that the changes brought elsewhere.

    What is judged is the state before the `unstaged` changes: git's index. Raises as `Checker.check`.
    """
    index = past_before(unstaged)
    result, memory = None, None
    if isinstance(checker, CachedChecker):
        memory = Memory(place_of(checker.request._replace(today="")) if cache else None)
        try:
            result = checker.check_around(memory, progress)
        except UserError:
            # The files can't be checked; the index may.
            if not index.changed:
                raise
            memory = None
    has_links = any(each.links for each in (*changes, *unstaged))
    with other_disk.looking_at(index) if index.changed else contextlib.nullcontext():
        if not isinstance(checker, CachedChecker):
            # One that measures leaves no entries.
            result = checker.check(progress)
        elif result is None or index.changed:
            result = _Earlier(checker, index, memory, has_links=has_links).result()
        before = _Earlier(checker, past_before((*unstaged, *changes)), memory, has_links=has_links)
        return only_changed(result, changes, before.findings)


class _Earlier:
    """An earlier state than that on the disk, of which `memory` holds the entries, if it was checked."""

    def __init__(self, checker: Checker, past: Past, memory: Memory | None, *, has_links: bool) -> None:
        self._checker = checker
        self._past = past
        self._discovery: CacheEntry | None = None
        records: list[TargetRecord] = []
        if memory:
            self._discovery, records = memory.latest()
        self._records = {_key(record.target): record for record in records}
        has_links = has_links or any(root != os.path.realpath(root) for _, root, _ in self._records)
        self._touched = _Touched(past, has_links=has_links)

    def result(self) -> CheckResult:
        """The result of a check of this state; raises as `Checker.check`."""
        with other_disk.looking_at(self._past):
            return mark_installed(self._result(lambda root: True, lambda path: False))

    def findings(self, parts: ChangedParts, roots: frozenset[str]) -> tuple[Finding, ...]:
        """Those in the targets of these roots, outside of the changed parts; none if this state can't be checked."""
        with other_disk.looking_at(self._past):
            try:
                return self._result(roots.__contains__, parts.holds).findings
            except (UserError, OSError):
                return ()

    def _result(self, is_asked: Callable[[str], bool], left_out: Callable[[str], bool]) -> CheckResult:
        """The result for the targets of the roots that are asked for, without the findings in skills left out."""
        from skillbag.lint.engine.result_builder import ResultBuilder

        builder = ResultBuilder(self._checker.today)
        for target in self._plan():
            if is_asked(target.workspace.root):
                builder.add(target, self._verdict(target, left_out))
        return builder.result()

    def _plan(self) -> Iterable[PlannedTarget]:
        if self._discovery is None or self._touched.has(self._discovery):
            from skillbag.lint.engine.planner import Planner

            return Planner(self._checker.request).plan()
        planner = self._checker.planner
        return [planner.of(record.target, record.folders) for record in self._records.values()]

    def _verdict(self, target: PlannedTarget, left_out: Callable[[str], bool]) -> TargetVerdict:
        from skillbag.lint.engine.verdict import TargetVerdict

        workspace = target.workspace
        record = self._records.get(_key(workspace.target))
        if record is None or record.rules != target.digest:
            record = TargetRecord(workspace.target, target.digest, "", {}, None)
        verdicts: list[Verdict] = []
        summaries = []
        for folder in workspace.skill_folders:
            entry = record.skills.get(folder.path)
            if entry is None or self._touched.has(entry):
                verdict, summary = _lint(folder, target, left_out=left_out(folder.path))
            else:
                verdict, summary = _unpacked(entry, workspace.root), entry.summary
            verdicts.append(verdict)
            summaries.append(summary)
        verdicts.append(_rest(target, record, summaries, self._touched))
        return TargetVerdict(verdicts, len(summaries), sum(verdict.files for verdict in verdicts))


def _key(target: Target) -> tuple[TargetKind, str, bool]:
    return target.kind, target.root, target.searched


def _unpacked(entry: CacheEntry, root: str) -> Verdict:
    from skillbag.lint.engine.verdict import Verdict

    return (unpack(entry.verdict, root) if entry.verdict else Verdict())._replace(files=entry.files)


def _lint(folder: SkillFolder, target: PlannedTarget, *, left_out: bool) -> tuple[Verdict, bytes]:
    """The verdict and the packed summary of a skill; of one that is left out the summary alone matters."""
    from skillbag.lint.engine.verdict import Verdict

    root = target.workspace.root
    if left_out:
        from skillbag.kernel.workspace.skill import read_skill

        return Verdict(), pack_summary(read_skill(folder.path, folder.skills_root, root).card)
    from skillbag.lint.checks.predicate import linting_skills
    from skillbag.lint.engine.lint import lint_skill

    with linting_skills():
        verdict, summary = lint_skill(folder, root, target.rules)
    return verdict, pack_summary(summary)


def _rest(target: PlannedTarget, record: TargetRecord, summaries: list[bytes], touched: _Touched) -> Verdict:
    """The verdict of the target's own files, and of the relations between its skills."""
    workspace = target.workspace
    folders = workspace.skill_folders
    is_same = record.target == workspace.target and record.inventory == digest_of(folders, summaries)
    if is_same and record.rest and not touched.has(record.rest):
        return _unpacked(record.rest, workspace.root)
    from skillbag.kernel.workspace.model import Inventory
    from skillbag.lint.engine.lint import lint_rest

    return lint_rest(Inventory(workspace, tuple(map(unpack_summary, summaries, folders))), target.rules)


class _Touched:
    """Which entries depend on something that changed. With links, their paths may lead there through links."""

    def __init__(self, past: Past, *, has_links: bool) -> None:
        self._has_links = has_links
        self._questions = frozenset(_affected(past))
        self._real = functools.cache(os.path.realpath)

    def has(self, entry: CacheEntry) -> bool:
        """Whether one of an entry's questions may have had another answer."""
        asked = split_questions([entry.questions])
        if not self._has_links:
            return not self._questions.isdisjoint(asked)
        return any(
            question[0] + self._place(question[1:]) in self._questions
            or (os.path.islink(question[1:]) and question[0] + os.path.realpath(question[1:]) in self._questions)
            for question in asked
        )

    def _place(self, path: str) -> str:
        """The path in its real folder."""
        folder, name = os.path.split(path)
        return os.path.join(self._real(folder), name)


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
    """Whether there was at a path what there is on the disk: a file, folder or link, or nothing."""
    return stat.S_IFMT(mode_on_disk(path)) == past.kinds(path)[0]
