"""A check of what changed: its findings, and those elsewhere that the state before the changes did not have.

What is judged may be an earlier state itself: git's index. Of an earlier state only what differs from the disk is
linted, with the disk as it was (`kernel.fs.past`). What a verdict depends on is known from its entry: its questions.
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
from collections.abc import Callable, Iterator, Sequence

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs import other_disk, tracked
from skillbag.kernel.fs.past import mode_on_disk
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.git_changes import GitChanges, past_before
from skillbag.kernel.workspace.target import SkillFolder, Target, TargetKind
from skillbag.lint.cache.checker import CachedChecker, CachingLinter
from skillbag.lint.cache.entry import CacheEntry, pack_summary, split_questions
from skillbag.lint.cache.memory import Memory, TargetRecord
from skillbag.lint.engine.changed import ChangedParts, only_changed
from skillbag.lint.engine.checker import Checker, Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.fs.past import Past
    from skillbag.lint.engine.planner import PlannedTarget

_OF_A_PATH = (tracked.CONTENT, tracked.NAMES, tracked.MODE, tracked.KIND, tracked.REAL, tracked.LINK, tracked.VERSION)


def lint_changes(
    checker: Checker,
    changes: tuple[GitChanges, ...],
    unstaged: tuple[GitChanges, ...] = (),
    progress: Progress | None = None,
) -> CheckResult:
    """The result of a check with the findings in what changed, and those that the changes brought elsewhere.

    What is judged is the state before the `unstaged` changes: git's index. Raises as `Checker.check`.
    """
    index = past_before(unstaged)
    result = None
    # One that measures leaves no entries.
    memory = checker.memory if isinstance(checker, CachedChecker) else Memory(None)
    if isinstance(checker, CachedChecker):
        try:
            result = checker.check(progress)
        except UserError:
            # The files can't be checked; the index may.
            if not index.changed:
                raise
            memory.forget()
    has_links = any(each.links for each in (*changes, *unstaged))
    with other_disk.looking_at(index) if index.changed else contextlib.nullcontext():
        if not isinstance(checker, CachedChecker):
            result = checker.check(progress)
        elif result is None or index.changed:
            result = _EarlierChecker(checker, index, memory, has_links=has_links).check()
        before = _EarlierChecker(checker, past_before((*unstaged, *changes)), memory, has_links=has_links)
        return only_changed(result, changes, before.findings)


def _in_one_process(
    work: Callable[[Sequence[SkillFolder]], list[CacheEntry]], folders: Sequence[SkillFolder], _processes: int
) -> list[list[CacheEntry]]:
    # The contents of the past come from a program that processes can't share.
    return [work(folders)]


class _EarlierChecker(Checker):
    """Checks an earlier state than that on the disk, of which `memory` holds the entries, if it was checked."""

    _split = staticmethod(_in_one_process)

    def __init__(self, checker: Checker, past: Past, memory: Memory, *, has_links: bool) -> None:
        super().__init__(checker.request)
        self._present = checker
        self._past = past
        self._memory = memory
        self._discovery, records = memory.latest()
        self._records = {_key(record.target): record for record in records}
        has_links = has_links or any(root != os.path.realpath(root) for _, root, _ in self._records)
        self._touched = _Touched(past, has_links=has_links)
        self._roots: frozenset[str] | None = None
        self._left_out: Callable[[str], bool] = frozenset[str]().__contains__

    def check(self, progress: Progress | None = None) -> CheckResult:
        """See `Checker.check`."""
        with other_disk.looking_at(self._past):
            return super().check(progress)

    def findings(self, parts: ChangedParts, roots: frozenset[str]) -> tuple[Finding, ...]:
        """Those in the targets of these roots, outside of the changed parts; none if this state can't be checked."""
        self._roots, self._left_out = roots, parts.holds
        try:
            return self.check().findings
        except (UserError, OSError):
            return ()

    def _recover(self) -> None:
        """Nothing: an earlier state is not changed."""

    def _plan(self) -> list[PlannedTarget]:
        if self._discovery is None or self._touched.has(self._discovery):
            planned = self.planner.plan()
        else:
            planner = self._present.planner
            planned = [planner.of(record.target, record.folders) for record in self._records.values()]
        return [target for target in planned if self._roots is None or target.workspace.root in self._roots]

    def _linter(self, target: PlannedTarget) -> _EarlierLinter:
        workspace, digest = target.workspace, target.digest
        record = self._records.get(_key(workspace.target))
        if record is None or record.rules != digest:
            record = TargetRecord(workspace.target, digest, "", {}, None)
        skills = {path: entry for path, entry in record.skills.items() if entry and not self._touched.has(entry)}
        is_same = record.target == workspace.target and record.rest and not self._touched.has(record.rest)
        record = record._replace(skills=skills, rest=record.rest if is_same else None)
        return _EarlierLinter(target, record, self._memory, self._left_out)


class _EarlierLinter(CachingLinter):
    """Lints the skills of an earlier state; of those that are left out, the summary alone matters."""

    def __init__(
        self, target: PlannedTarget, record: TargetRecord, memory: Memory, left_out: Callable[[str], bool]
    ) -> None:
        super().__init__(target, record, memory)
        self._left_out = left_out

    def lint_skill(self, folder: SkillFolder) -> CacheEntry:
        """See `CachingLinter.lint_skill`."""
        if not self._left_out(folder.path):
            return super().lint_skill(folder)
        from skillbag.kernel.workspace.skill import read_skill

        summary = read_skill(folder.path, folder.skills_root, self._workspace.root).card
        return CacheEntry("", b"", 0, b"", b"", pack_summary(summary))


def _key(target: Target) -> tuple[TargetKind, str, bool]:
    return target.kind, target.root, target.searched


class _Touched:
    """Which entries depend on something that changed. With links, their paths may lead there through links."""

    def __init__(self, past: Past, *, has_links: bool) -> None:
        self._has_links = has_links
        self._questions = frozenset(_affected(past))
        self._real = functools.cache(os.path.realpath)

    def has(self, entry: CacheEntry) -> bool:
        """Whether one of an entry's questions may have had another answer."""
        questions = split_questions([entry.questions])
        if not self._has_links:
            return not self._questions.isdisjoint(questions)
        return any(
            question[0] + self._place(question[1:]) in self._questions
            or (os.path.islink(question[1:]) and question[0] + os.path.realpath(question[1:]) in self._questions)
            for question in questions
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
