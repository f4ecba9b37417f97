"""A check that uses the cache entries of earlier checks of the same request, and stores its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from skillbag.base.parallel import in_parts
from skillbag.cache.codec import pack_summary, unpack, unpack_summary
from skillbag.cache.entry import CacheEntry, recorded
from skillbag.cache.eviction import place_of
from skillbag.cache.memory import CheckRecord, Memory
from skillbag.cache.table import EntryTable
from skillbag.cache.target_memory import TargetMemory
from skillbag.engine.checker import Checker, Progress, mark_installed
from skillbag.fs.read import has_overlay
from skillbag.model.result import Result
from skillbag.transaction.recovery import recover_all, recover_around
from skillbag.workspace.target import SkillFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.engine.lint import RuleSet
    from skillbag.engine.planner import PlannedTarget
    from skillbag.engine.verdict import TargetVerdict, Verdict
    from skillbag.workspace.model import Workspace

_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError)
"""The errors that a malformed cache can cause."""


class CachedChecker(Checker):
    """A checker whose results are those of a `Checker`, in less time.

    An unchanged request costs neither rules nor readers: importing them would take as long as all the rest.
    """

    def check(self, progress: Progress | None = None) -> Result:
        """See `Checker.check`."""
        if has_overlay():
            return super().check(progress)
        recover_around(self.request.paths, self.request.root, self.notice)
        return self.check_from(Memory(place_of(self.request._replace(today=""))), progress)

    def check_from(self, memory: Memory, progress: Progress | None = None) -> Result:
        """As `check`, with `memory`, which is then updated."""
        try:
            result = self._check(memory, progress)
        except _MALFORMED:
            # Without the cache, an error with another cause is raised again.
            memory.forget()
            result = self._check(memory, progress)
        # Not cached: the lock decides which skills are installed.
        return mark_installed(result)

    def _check(self, memory: Memory, progress: Progress | None) -> Result:
        try:
            recover_all(memory.roots, self.notice)
        except OSError:
            # If it is still a target, planning reports the same error.
            memory.forget()
        today = self.today
        result = memory.result(today)
        return result if result is not None else self._lint(memory, today, progress)

    def _lint(self, memory: Memory, today: str, progress: Progress | None) -> Result:
        from skillbag.engine.result_builder import ResultBuilder

        planned, discovery_entry = self._plan(memory)
        builder = ResultBuilder(today)
        memories = []
        for target in planned:
            if progress:
                progress(len(target.workspace.skill_folders))
            known = memory.of_target(target.workspace.target, target.digest)
            builder.add(target, lint_cached(target.workspace, target.rules, known))
            memories.append(known)
        result = builder.result()
        targets, rules = [plan.workspace.target for plan in planned], [plan.digest for plan in planned]
        day = today if builder.dated else None
        memory.remember(CheckRecord(discovery_entry, targets, memories, rules, result, day))
        return result

    def _plan(self, memory: Memory) -> tuple[list[PlannedTarget], CacheEntry]:
        """The targets, from the cache or newly planned, with the entry on which they depend."""
        known = memory.targets()
        if known:
            return [self.planner.of(target, folders) for target, folders in known], memory.discovery_entry
        from skillbag.engine.verdict import Verdict

        planned: list[PlannedTarget] = []

        def plan() -> tuple[Verdict, bytes]:
            planned.extend(self.planner.plan(afresh=True))
            for target in planned:
                _ = target.workspace.skill_folders
            return Verdict(), b""

        entry = recorded(plan)
        return planned, entry


def lint_cached(workspace: Workspace, rules: RuleSet, memory: TargetMemory) -> TargetVerdict:
    """As `lint`, with valid verdicts from `memory`, which is then updated."""
    from skillbag.engine.verdict import TargetVerdict

    record = partial(_record_skills, root=workspace.root, rules=rules)
    skills = memory.skills(workspace.skill_folders, lambda folders: EntryTable.joined(in_parts(record, folders)))
    rest = memory.rest(lambda: _record_rest(workspace, rules, skills.summaries))
    verdicts = [unpack(line, workspace.root) for line in (*skills.verdicts, rest.verdict) if line]
    return TargetVerdict(verdicts, len(skills), sum(skills.files) + rest.files)


def _record_skills(folders: Sequence[SkillFolder], *, root: str, rules: RuleSet) -> EntryTable:
    from skillbag.engine.lint import lint_skill

    def work(folder: SkillFolder) -> tuple[Verdict, bytes]:
        verdict, summary = lint_skill(folder, root, rules)
        return verdict, pack_summary(summary)

    return EntryTable.of([recorded(partial(work, folder)) for folder in folders])


def _record_rest(workspace: Workspace, rules: RuleSet, summaries: Iterable[bytes]) -> CacheEntry:
    from skillbag.engine.lint import lint_rest
    from skillbag.workspace.model import Inventory

    inventory = Inventory(workspace, tuple(map(unpack_summary, summaries, workspace.skill_folders)))
    return recorded(lambda: (lint_rest(inventory, rules), b""))
