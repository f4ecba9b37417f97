"""The cache of one request: read from its file, compared with the disk, and replaced after a check.

If all questions of earlier checks have the same answers, the result is the same. Otherwise the entries whose answers
changed are computed again, and no others.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain

from skillbag.kernel.base.parallel import in_parts
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.base.verbose import log_step
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.target import SKILL_FILE, HostFilePath, ListFault, SkillFolder, Target, TargetKind
from skillbag.lint.cache.entry import (
    SEPARATOR,
    STAMP,
    CacheEntry,
    PackedResult,
    dump,
    holds_secrets,
    pack_result,
    redact_for_cache,
    revalidate,
    split_questions,
    unpack,
    unpack_result,
    unpack_summary,
)
from skillbag.lint.cache.store import Snapshot, evict, read_snapshot, write_snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.workspace.summary import SkillSummary
    from skillbag.lint.engine.verdict import Verdict

_MANY_STAMPS = 3000
"""Entries from which a second process that compares the stamps of half of them saves more than it costs."""
_MANY_FILES = 300
"""The same for entries whose files are read."""


class TargetRecord(NamedTuple):
    """What is known of a target: the entries of its skills by folder, and that of the target-level checks (`rest`).

    An entry is None where it is not valid. `rules` is a digest of the target's rules; `inventory` is one of the skills'
    summaries, on which `rest` depends too.
    """

    target: Target
    rules: str
    inventory: str
    skills: Mapping[str, CacheEntry | None]
    rest: CacheEntry | None

    @cached_property
    def entries(self) -> list[CacheEntry]:
        """The valid entries in order."""
        return [entry for entry in (*self.skills.values(), self.rest) if entry]

    @property
    def folders(self) -> tuple[SkillFolder, ...]:
        """The folders of the skills."""
        parts = [(path, path.rpartition(os.sep)) for path in self.skills]
        return tuple([SkillFolder(name, path, skills_root or os.sep) for path, (skills_root, _, name) in parts])


class Memory:
    """The cache of one request; `path` is its file, None if it is not stored.

    `known` and `discovery`, the entry for what was read before any skill was linted, are set if there is no `result`.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.discovery: CacheEntry | None = None
        self.known: Sequence[TargetRecord] = ()
        if path:
            log_step("keeps results in {}", path)
        self._kept = (path and read_snapshot(path)) or Snapshot()

    @property
    def roots(self) -> tuple[str, ...]:
        """The roots of the targets of the earlier checks."""
        return tuple(plain[1] for plain, *_ in self._kept.targets)

    def latest(self) -> tuple[CacheEntry | None, list[TargetRecord]]:
        """What was read before any skill, and the targets, as of the check that has just been done."""
        return next(iter(self._kept.entries), None), [*self._records(frozenset())]

    def result(self, today: str) -> CheckResult | None:
        """The result, if nothing has changed that it depends on."""
        changed = self._find_changed()
        kept = self._kept
        packed = kept.result if kept.day in (None, today) else None
        if packed and not changed:
            return unpack_result(packed)
        self.discovery = kept.entries[0] if kept.entries and 0 not in changed else None
        self.known = [*self._records(changed)]
        if not (
            packed and self.discovery and all(None not in (*item.skills.values(), item.rest) for item in self.known)
        ):
            return None
        # Only stamps have changed.
        self._set(kept._replace(entries=[self.discovery, *chain(*[record.entries for record in self.known])]))
        return unpack_result(packed)

    def _find_changed(self) -> AbstractSet[int]:
        """The numbers of the entries with a question whose stamp has changed."""
        first, others = self._kept.entries[:1], self._kept.entries[1:]
        questions = [entry.questions for entry in others]
        now = b"".join(in_parts(stamps_of, questions, _MANY_STAMPS))
        changed = set()
        at = 0
        for number, entry in enumerate(others, 1):
            end = at + len(entry.stamps)
            if now[at:end] != entry.stamps:
                changed.add(number)
            at = end
        if first and _has_changed(first[0], others, changed):
            changed.add(0)
        return changed

    def _records(self, changed: AbstractSet[int]) -> Iterator[TargetRecord]:
        """The targets, without the entries with a question whose answer has changed."""
        start = 1
        for plain, rules, inventory, count in self._kept.targets:
            kind, root, roots, only, loose, aside, listed, searched, around = plain
            skipped, faults = tuple((path, why) for path, why in aside), tuple(ListFault(*raw) for raw in listed)
            target = Target(TargetKind(kind), root, tuple(roots), tuple(only), tuple(loose), skipped, faults, searched)
            target = target._replace(around=tuple(HostFilePath(*raw) for raw in around))
            entries = self._kept.entries[start : start + count]
            valid: list[CacheEntry | None] = [*entries]
            suspects = [number - start for number in sorted(changed) if start <= number < start + count]
            parts = in_parts(partial(revalidate, root), [entries[number] for number in suspects], _MANY_FILES)
            for number, entry in zip(suspects, chain(*parts), strict=True):
                valid[number] = entry
            skills = {entry.subject: same for entry, same in zip(entries[:-1], valid, strict=False)}
            yield TargetRecord(target, rules, inventory, skills, valid[-1])
            start += count
        if start < len(self._kept.entries):
            raise ValueError("entries of no target")

    def of_target(self, target: Target, rules: str) -> TargetRecord:
        """What is known of a target with the rules of this digest; call after `result`."""
        for record in self.known:
            if (record.target.kind, record.target.root, record.rules) == (target.kind, target.root, rules):
                # Only target-level results depend on which skills belong to the target.
                return record._replace(target=target, rest=record.rest if record.target == target else None)
        return TargetRecord(target, rules, "", {}, None)

    def remember(
        self, discovery: CacheEntry, records: Sequence[TargetRecord], result: CheckResult, day: str | None = None
    ) -> None:
        """Keep a check for the next one; with a `day`, its result is valid only then."""
        entries = [discovery, *chain(*[record.entries for record in records])]
        is_complete = b"" not in [entry.digest for entry in entries]
        targets = [(record.target, record.rules, record.inventory, len(record.entries)) for record in records]
        self._set(Snapshot(entries, targets, pack_result(result) if is_complete else None, day))

    def verdict(self, packed: bytes, root: str) -> Verdict:
        """The verdict of an entry of the target at `root`."""
        return unpack(packed, root)

    def summary(self, packed: bytes, folder: SkillFolder) -> SkillSummary:
        """The summary of a skill's entry."""
        return unpack_summary(packed, folder)

    def forget(self) -> None:
        """Discard all cached state."""
        self._kept = Snapshot()

    def _set(self, snapshot: Snapshot) -> None:
        self._kept = snapshot
        self._write()

    def _write(self) -> None:
        """Store it, if possible, without what must not be stored."""
        if self.path is None:
            return
        snapshot = self._kept._replace(entries=[*map(redact_for_cache, self._kept.entries)])
        subjects = [entry.subject for entry in snapshot.entries if not entry.digest]
        if holds_secrets(dump([snapshot.targets, subjects])):
            return
        if snapshot.result and _holds_secret(snapshot.result):
            snapshot = snapshot._replace(result=None)
        with contextlib.suppress(OSError):
            write_snapshot(self.path, snapshot)
            evict(os.path.dirname(self.path), time.time())


def _holds_secret(result: PackedResult) -> bool:
    from skillbag.lint.rules.index import LATE_RULES, RULES

    # The words of the standard rules are long and hold no secrets.
    ours = {*LATE_RULES, *(row[0] for row in RULES)}
    rules = [rule for rule in result.rules if rule[0] not in ours]
    return holds_secrets(dump([result.roots, result.findings, result.lines, result.targets, rules]))


def _has_changed(discovery: CacheEntry, others: Sequence[CacheEntry], changed: AbstractSet[int]) -> bool:
    """Whether a question of `discovery` has another stamp; `others` are numbered from 1, `changed` those that have.

    Discovery asks of every folder whether it holds a `SKILL.md`. The names in the folder, the first question of its
    skill, answer that too: not asking again takes a tenth off a check of 20,000 skills.
    """
    same = [entry.questions.partition(SEPARATOR)[0] for number, entry in enumerate(others, 1) if number not in changed]
    inner = os.sep + SKILL_FILE
    known = {tracked.KIND + first[1:] + inner for first in same if first.startswith(tracked.NAMES)}
    stamps = [discovery.stamps[at : at + STAMP] for at in range(0, len(discovery.stamps), STAMP)]
    stamped = zip(split_questions([discovery.questions]), stamps, strict=True)
    left = [(question, stamp) for question, stamp in stamped if question not in known]
    return tracked.stamps([question for question, _ in left]).tobytes() != b"".join([stamp for _, stamp in left])


def stamps_of(questions: Iterable[str]) -> bytes:
    """The current stamps of the questions of some entries (see `CacheEntry`), in order."""
    return tracked.stamps(split_questions(questions)).tobytes()
