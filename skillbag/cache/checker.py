"""A check that uses what earlier checks of the same request found, and keeps what it finds."""

from __future__ import annotations

from functools import partial

from skillbag.cache.eviction import place_of
from skillbag.cache.memory import CheckRecord, Memory
from skillbag.engine.checker import Checker, Progress
from skillbag.engine.installed_skills import with_installed
from skillbag.fs.read import has_overlay
from skillbag.model.result import Result
from skillbag.transaction.recovery import recover_all, recover_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillbag.cache.entry import Unit
    from skillbag.cache.table import Units
    from skillbag.cache.target_memory import TargetMemory
    from skillbag.engine.lint import RuleSet
    from skillbag.engine.planner import PlannedTarget
    from skillbag.engine.verdict import TargetVerdict, Verdict
    from skillbag.workspace.model import Workspace
    from skillbag.workspace.target import SkillFolder

_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError)
"""What a cache raises that does not have the shape that we gave it."""


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
        """As `check`, with the memory of earlier checks, which then remembers this one."""
        try:
            result = self._check(memory, progress)
        except _MALFORMED:
            # If that is not the cause, the same fails again.
            memory.forget()
            result = self._check(memory, progress)
        # The lock is not part of what is cached: findings change hands as soon as the lock says so.
        return with_installed(result)

    def _check(self, memory: Memory, progress: Progress | None) -> Result:
        try:
            recover_all(memory.roots, self.notice)
        except OSError:
            # It may be no target any more; if it is one, the same is reported again.
            memory.forget()
        today = self.today
        result = memory.result(today)
        return result if result is not None else self._lint(memory, today, progress)

    def _lint(self, memory: Memory, today: str, progress: Progress | None) -> Result:
        from skillbag.engine.result_builder import ResultBuilder

        planned, front = self._plan(memory)
        builder = ResultBuilder(today)
        memories = []
        for target in planned:
            if progress:
                progress(len(target.workspace.skill_folders))
            known = memory.of_target(target.workspace.target, target.digest)
            builder.add(target, lint_cached(target.workspace, target.rules, known))
            memories.append(known)
        result = builder.result()
        targets, rules = [one.workspace.target for one in planned], [one.digest for one in planned]
        memory.remember(CheckRecord(front, targets, memories, rules, result, today if builder.dated else None))
        return result

    def _plan(self, memory: Memory) -> tuple[list[PlannedTarget], Unit]:
        """The targets, as they are known or planned anew, with the entry that tells when they change."""
        known = memory.targets()
        if known:
            return [self.planner.of(target, folders) for target, folders in known], memory.front
        from skillbag.cache.entry import recorded
        from skillbag.engine.verdict import Verdict

        planned: list[PlannedTarget] = []

        def plan() -> tuple[Verdict, bytes]:
            planned.extend(self.planner.plan(afresh=True))
            for target in planned:
                _ = target.workspace.skill_folders
            return Verdict(), b""

        front = recorded(plan)
        return planned, front


def lint_cached(workspace: Workspace, rules: RuleSet, memory: TargetMemory) -> TargetVerdict:
    """As `lint`: verdicts that still hold come from the memory, which then holds those that do not."""
    from skillbag.base.parallel import in_parts
    from skillbag.cache.codec import unpack
    from skillbag.cache.table import Units
    from skillbag.engine.verdict import TargetVerdict

    record = partial(_record_skills, root=workspace.root, rules=rules)
    skills = memory.skills(workspace.skill_folders, lambda folders: Units.joined(in_parts(record, folders)))
    rest = memory.rest(lambda: _record_rest(workspace, rules, skills.cards))
    verdicts = [unpack(line, workspace.root) for line in (*skills.verdicts, rest.verdict) if line]
    return TargetVerdict(verdicts, len(skills), sum(skills.files) + rest.files)


def _record_skills(folders: Sequence[SkillFolder], *, root: str, rules: RuleSet) -> Units:
    from skillbag.cache.codec import pack_card
    from skillbag.cache.entry import recorded
    from skillbag.cache.table import Units
    from skillbag.engine.lint import lint_skill

    def work(folder: SkillFolder) -> tuple[Verdict, bytes]:
        verdict, summary = lint_skill(folder, root, rules)
        return verdict, pack_card(summary)

    return Units.of([recorded(partial(work, folder)) for folder in folders])


def _record_rest(workspace: Workspace, rules: RuleSet, cards: Iterable[bytes]) -> Unit:
    from skillbag.cache.codec import unpack_card
    from skillbag.cache.entry import recorded
    from skillbag.engine.lint import lint_rest
    from skillbag.workspace.model import Inventory

    inventory = Inventory(workspace, tuple(map(unpack_card, cards, workspace.skill_folders)))
    return recorded(lambda: (lint_rest(inventory, rules), b""))
