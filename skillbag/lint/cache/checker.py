"""A check that uses the cache entries of earlier checks of the same request, and stores its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain

from skillbag.kernel.base.parallel import UntilEnough, split
from skillbag.kernel.fs.read import amount_read, has_overlay
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.transaction.recovery import recover_all, recover_around
from skillbag.kernel.workspace.target import SkillFolder
from skillbag.lint.cache.codec import pack_summary
from skillbag.lint.cache.entry import SEPARATOR, CacheEntry, recorded
from skillbag.lint.cache.eviction import place_of
from skillbag.lint.cache.memory import Memory, TargetRecord
from skillbag.lint.engine.checker import Checker, Progress, mark_installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.workspace.model import Workspace
    from skillbag.kernel.workspace.skill import SkillSummary
    from skillbag.lint.engine.planner import PlannedTarget
    from skillbag.lint.engine.rule_set import RuleSet
    from skillbag.lint.engine.verdict import Verdict

    Unpack = Callable[[bytes, SkillFolder], SkillSummary]

_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError)
"""The errors that a malformed cache can cause."""


class CachedChecker(Checker):
    """A checker whose results are those of a `Checker`, in less time.

    An unchanged request costs neither rules nor readers: importing them would take as long as all the rest.
    """

    def check(self, progress: Progress | None = None) -> CheckResult:
        """See `Checker.check`."""
        if has_overlay():
            return super().check(progress)
        return self.check_around(Memory(place_of(self.request._replace(today=""))), progress)

    def check_around(self, memory: Memory, progress: Progress | None = None) -> CheckResult:
        """As `check_from`, after an interrupted change around the paths was completed or rolled back."""
        recover_around(self.request.paths, self.request.root, self.notice)
        return self.check_from(memory, progress)

    def check_from(self, memory: Memory, progress: Progress | None = None) -> CheckResult:
        """As `check`, with `memory`, which is then updated."""
        try:
            result = self._check(memory, progress)
        except _MALFORMED:
            # Without the cache, an error with another cause is raised again.
            memory.forget()
            result = self._check(memory, progress)
        # Not cached: the lock decides which skills are installed.
        return mark_installed(result)

    def _check(self, memory: Memory, progress: Progress | None) -> CheckResult:
        try:
            recover_all(memory.roots, self.notice)
        except OSError:
            # If it is still a target, planning reports the same error.
            memory.forget()
        today = self.today
        return memory.result(today) or self._lint(memory, today, progress)

    def _lint(self, memory: Memory, today: str, progress: Progress | None) -> CheckResult:
        from skillbag.lint.engine.result_builder import ResultBuilder
        from skillbag.lint.engine.verdict import TargetVerdict

        planned, discovery = self._plan(memory)
        builder = ResultBuilder(today)
        records = []
        for target in planned:
            workspace = target.workspace
            if progress:
                progress(len(workspace.skill_folders))
            known = memory.of_target(workspace.target, target.digest)
            record = _lint_cached(workspace, target.rules, known, memory.summary)
            verdicts = [memory.verdict(entry.verdict, workspace.root) for entry in record.entries if entry.verdict]
            files = sum([entry.files for entry in record.entries])
            builder.add(target, TargetVerdict(verdicts, len(record.skills), files))
            records.append(record)
        result = builder.result()
        memory.remember(discovery, records, result, today if builder.dated else None)
        return result

    def _plan(self, memory: Memory) -> tuple[list[PlannedTarget], CacheEntry]:
        """The targets, from the cache or newly planned, with the entry on which they depend."""
        if memory.discovery:
            return [self.planner.of(record.target, record.folders) for record in memory.known], memory.discovery
        from skillbag.lint.engine.verdict import Verdict

        planned: list[PlannedTarget] = []

        def plan() -> tuple[Verdict, bytes]:
            planned.extend(self.planner.plan(afresh=True))
            for target in planned:
                _ = target.workspace.skill_folders
            return Verdict(), b""

        entry = recorded(plan)
        return planned, entry


def _lint_cached(workspace: Workspace, rules: RuleSet, known: TargetRecord, unpacked: Unpack) -> TargetRecord:
    """As `lint`, with the valid entries of an earlier check; `unpacked` gives the summary of a skill."""
    folders = workspace.skill_folders
    missing = [folder for folder in folders if not known.skills.get(folder.path)]
    record = partial(_record_skills, root=workspace.root, rules=rules)
    first = UntilEnough(missing, amount_read)
    linted: list[CacheEntry] = []
    if missing:
        from skillbag.lint.checks.predicate import linting_skills

        rules.expect(missing)
        with linting_skills():
            linted += record(first)
            # What is left is known after the first.
            linted += chain(*split(record, first.rest, first.processes))
    new = dict(zip([folder.path for folder in missing], linted, strict=True))
    entries = [known.skills.get(folder.path) or new[folder.path] for folder in folders]
    summaries = [entry.summary for entry in entries]
    inventory = digest_of(folders, summaries)
    rest = known.rest if inventory == known.inventory else None
    rest = rest or _record_rest(workspace, rules, map(unpacked, summaries, folders))
    skills = dict(zip([folder.path for folder in folders], entries, strict=True))
    return known._replace(inventory=inventory, skills=skills, rest=rest)


def _record_skills(folders: Iterable[SkillFolder], *, root: str, rules: RuleSet) -> list[CacheEntry]:
    from skillbag.lint.engine.lint import lint_skill

    def work(folder: SkillFolder) -> tuple[Verdict, bytes]:
        verdict, summary = lint_skill(folder, root, rules)
        return verdict, pack_summary(summary)

    return [recorded(partial(work, folder)) for folder in folders]


def digest_of(folders: Iterable[SkillFolder], summaries: Iterable[bytes]) -> str:
    """A digest of a target's skill folders and their packed summaries."""
    from _blake2 import blake2b

    paths = SEPARATOR.join([folder.path for folder in folders]).encode("utf-8", "surrogatepass")
    return blake2b(b"\n".join([*summaries, paths]), digest_size=16).hexdigest()


def _record_rest(workspace: Workspace, rules: RuleSet, cards: Iterable[SkillSummary]) -> CacheEntry:
    from skillbag.kernel.workspace.model import Inventory
    from skillbag.lint.engine.lint import lint_rest

    inventory = Inventory(workspace, tuple(cards))
    return recorded(lambda: (lint_rest(inventory, rules), b""))
