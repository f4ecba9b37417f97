"""A check that uses the cache entries of earlier checks of the same request, and stores its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skillbag.kernel.base.records import cached_property
from skillbag.kernel.fs.read import has_overlay
from skillbag.kernel.fs.trace import recording
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.transaction.locations import Notice
from skillbag.kernel.transaction.recovery import recover_all
from skillbag.kernel.workspace.target import SkillFolder
from skillbag.lint.cache.entry import SEPARATOR, CacheEntry, entry_of, pack_summary
from skillbag.lint.cache.memory import Memory, TargetRecord
from skillbag.lint.cache.store import place_of
from skillbag.lint.engine.checker import Checker, Progress
from skillbag.lint.engine.request import CheckRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.lint.engine.planner import PlannedTarget
    from skillbag.lint.engine.result_builder import ResultBuilder
    from skillbag.lint.engine.verdict import TargetVerdict

_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError)
"""The errors that a malformed cache can cause."""


class CachedChecker(Checker):
    """A checker whose results are those of a `Checker`, in less time; without a `memory`, that of the request's file.

    An unchanged request costs neither rules nor readers: importing them would take as long as all the rest.
    """

    def __init__(self, request: CheckRequest, notice: Notice | None = None, memory: Memory | None = None) -> None:
        super().__init__(request, notice)
        self._given = memory

    @classmethod
    def forgetful(cls, request: CheckRequest, notice: Notice | None = None) -> CachedChecker:
        """A checker that knows its own last check, and stores nothing."""
        return cls(request, notice, Memory(None))

    @cached_property
    def memory(self) -> Memory:
        """What is known of earlier checks."""
        return self._given or Memory(place_of(self.request._replace(today="")))

    @cached_property
    def _uncached(self) -> Checker:
        """For what is only tried in an overlay, again and again."""
        return Checker(self.request, self.notice)

    def check(self, progress: Progress | None = None) -> CheckResult:
        """See `Checker.check`."""
        if has_overlay():
            return self._uncached.check(progress)
        try:
            return super().check(progress)
        except _MALFORMED:
            # Without the cache, an error with another cause is raised again.
            self.memory.forget()
            return super().check(progress)

    def _known(self) -> CheckResult | None:
        memory = self.memory
        try:
            recover_all(memory.roots, self.notice)
        except OSError:
            # If it is still a target, planning reports the same error.
            memory.forget()
        return memory.result(self.today)

    def _plan(self) -> list[PlannedTarget]:
        self._linters: list[CachingLinter] = []
        if self.memory.discovery:
            self._discovery = self.memory.discovery
            return [self.planner.of(record.target, record.folders) for record in self.memory.known]
        from skillbag.lint.engine.verdict import Verdict

        with recording() as trace:
            planned = self.planner.plan(afresh=True)
            for target in planned:
                _ = target.workspace.skill_folders
        self._discovery = entry_of(trace, Verdict())
        return planned

    def _linter(self, target: PlannedTarget) -> CachingLinter:
        record = self.memory.of_target(target.workspace.target, target.digest)
        self._linters.append(CachingLinter(target, record, self.memory))
        return self._linters[-1]

    def _keep(self, result: CheckResult, builder: ResultBuilder) -> None:
        self.memory.remember(self._discovery, [linter.record for linter in self._linters], result, builder.day)


class CachingLinter:
    """Lints what has no valid entry in the `record` of a target, which is then updated."""

    def __init__(self, target: PlannedTarget, record: TargetRecord, memory: Memory) -> None:
        self.record = record
        self.known = {path: entry for path, entry in record.skills.items() if entry}
        self._workspace, self._rules = target.workspace, target.rules
        self._memory = memory

    def lint_skill(self, folder: SkillFolder) -> CacheEntry:
        """The new entry of a skill."""
        from skillbag.lint.engine.lint import lint_skill

        with recording() as trace:
            verdict, summary = lint_skill(folder, self._workspace.root, self._rules)
        return entry_of(trace, verdict, pack_summary(summary))

    def conclude(self, linted: Sequence[CacheEntry]) -> TargetVerdict:
        """The verdict of the entries of all skills, and of the rest of the target."""
        from skillbag.lint.engine.verdict import TargetVerdict

        folders, root = self._workspace.skill_folders, self._workspace.root
        summaries = [entry.summary for entry in linted]
        inventory = digest_of(folders, summaries)
        rest = self.record.rest if inventory == self.record.inventory else None
        rest = rest or self._lint_rest(folders, summaries)
        skills = dict(zip([folder.path for folder in folders], linted, strict=True))
        self.record = self.record._replace(inventory=inventory, skills=skills, rest=rest)
        entries = (*linted, rest)
        verdicts = [self._memory.verdict(entry.verdict, root) for entry in entries if entry.verdict]
        return TargetVerdict(verdicts, len(linted), sum([entry.files for entry in entries]))

    def _lint_rest(self, folders: Sequence[SkillFolder], summaries: Iterable[bytes]) -> CacheEntry:
        from skillbag.kernel.workspace.model import Inventory
        from skillbag.lint.engine.lint import lint_rest

        inventory = Inventory(self._workspace, tuple(map(self._memory.summary, summaries, folders)))
        with recording() as trace:
            verdict = lint_rest(inventory, self._rules)
        return entry_of(trace, verdict)


def digest_of(folders: Iterable[SkillFolder], summaries: Iterable[bytes]) -> str:
    """A digest of a target's skill folders and their packed summaries."""
    from _blake2 import blake2b

    paths = SEPARATOR.join([folder.path for folder in folders]).encode("utf-8", "surrogatepass")
    return blake2b(b"\n".join([*summaries, paths]), digest_size=16).hexdigest()
