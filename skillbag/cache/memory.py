"""The cache of one request: read from its file, compared with the disk, and replaced after a check.

If all questions of earlier checks have the same answers, the result is the same. Otherwise the entries whose answers
changed are computed again, and no others.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from skillbag.base.parallel import in_parts
from skillbag.base.records import NamedTuple
from skillbag.cache.codec import pack_result, unpack_result
from skillbag.cache.entry import SEPARATOR, CacheEntry, holds_secrets, redact_for_cache, split_questions
from skillbag.cache.eviction import evict
from skillbag.cache.store import read_snapshot, write_snapshot
from skillbag.cache.table import STAMP, EntryTable
from skillbag.cache.target_memory import Known, TargetMemory, folders_of
from skillbag.fs import tracked
from skillbag.model.result import Result
from skillbag.workspace.target import SKILL_FILE, Kind, SkillFolder, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MANY = 3000
"""Entries from which a second process that compares the stamps of half of them saves more than it costs."""


class Memory:
    """The cache of one request; `path` is its file, None if it is not stored."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        snapshot = read_snapshot(path) if path else None
        self._facts: Mapping[str, Any] = snapshot.facts if snapshot else _NO_FACTS
        self._entries = snapshot.entries if snapshot else EntryTable.of(())
        self._changed = frozenset[int]()

    @property
    def roots(self) -> tuple[str, ...]:
        """The roots of the targets of the earlier checks."""
        return tuple(target.root for target in self._targets())

    def result(self, today: str) -> Result | None:
        """The result, if nothing has changed that it depends on."""
        self._changed = self._find_changed()
        plain = self._facts["result"]
        if self._changed or plain is None or self._facts["day"] not in (None, today):
            return None
        return unpack_result(plain)

    def targets(self) -> list[tuple[Target, tuple[SkillFolder, ...]]] | None:
        """The targets with their skill folders, if these have not changed; call after `result`."""
        if not len(self._entries) or 0 in self._changed:
            return None
        targets = []
        for target, span, folders in zip(self._targets(), self._spans(), self._folders, strict=True):
            changed = (folder for number, folder in zip(span, folders, strict=False) if number in self._changed)
            if not all(os.path.lexists(os.path.join(folder.path, SKILL_FILE)) for folder in changed):
                return None
            targets.append((target, folders))
        return targets

    @property
    def discovery_entry(self) -> CacheEntry:
        """The entry for what was read before any skill was linted."""
        return self._entries[0]

    def forget(self) -> None:
        """Discard all cached state."""
        self._facts, self._changed = _NO_FACTS, frozenset()
        self._set_entries(EntryTable.of(()))

    def of_target(self, target: Target, rules: str) -> TargetMemory:
        """The entries of a target that were made with the rules of this digest."""
        for number, (other, other_rules) in enumerate(zip(self._targets(), self._facts["rules"], strict=True)):
            if (other.kind, other.root, other_rules) == (target.kind, target.root, rules):
                # Only target-level results depend on which skills belong to the target.
                return TargetMemory(target.root, self._known(number, with_whole=other == target))
        return TargetMemory(target.root)

    def _known(self, number: int, *, with_whole: bool) -> Known:
        span = self._spans()[number]
        skills, rest = span[:-1], span[-1]
        return Known(
            folders=self._folders[number],
            entries=self._entries.part(span.start, rest),
            changed=frozenset(number - span.start for number in self._changed if number in skills),
            inventory=self._facts["inventories"][number],
            whole=self._entries[rest] if with_whole else None,
            whole_changed=rest in self._changed,
        )

    def remember(self, record: CheckRecord) -> None:
        """Keep a check for the next one; if it can't be stored, the next one starts without it."""
        self._facts = _facts_of(record)
        self._set_entries(self._entries_of(record))
        self._write()

    def _set_entries(self, entries: EntryTable) -> None:
        self._entries = entries
        vars(self).pop("_folders", None)

    def _write(self) -> None:
        if self.path is None:
            return
        facts, entries = _shareable(self._facts), _redacted(self._entries)
        if facts is None or entries is None:
            return
        with contextlib.suppress(OSError):
            write_snapshot(self.path, facts, entries)
            evict(os.path.dirname(self.path), time.time())

    def _find_changed(self) -> frozenset[int]:
        """The numbers of the entries with a question whose stamp has changed."""
        entries = self._entries
        now = b"".join(in_parts(stamps_of, entries.questions, _MANY))
        if now == entries.stamps:
            return frozenset()
        return frozenset(bisect_right(entries.ends, number) for number in _differing(entries.stamps, now))

    def _entries_of(self, record: CheckRecord) -> EntryTable:
        entry = record.discovery_entry
        if not len(self._entries) or entry != self._entries[0]:
            entry = _without_skills(entry, record.memories)
        parts = [EntryTable.of([entry])]
        for memory in record.memories:
            parts += [memory.entries, EntryTable.of([memory.whole] if memory.whole else [])]
        return EntryTable.joined(parts)

    @cached_property
    def _folders(self) -> list[tuple[SkillFolder, ...]]:
        """For each target the folders of its skills."""
        return [folders_of(self._entries.part(span.start, span.stop - 1)) for span in self._spans()]

    def _targets(self) -> list[Target]:
        return [
            Target(Kind(kind), root, tuple(roots), tuple(only), tuple(loose), tuple((path, why) for path, why in aside))
            for kind, root, roots, only, loose, aside in self._facts["targets"]
        ]

    def _spans(self) -> list[range]:
        """For each target the numbers of its entries: those of its skills, then that of the target-level checks."""
        ends = list(accumulate((count + 1 for count in self._facts["skills"]), initial=1))
        return [range(start, end) for start, end in pairwise(ends)]


_NO_FACTS: Mapping[str, Any] = {
    **dict.fromkeys(("targets", "skills", "rules", "inventories"), ()),
    "result": None,
    "day": None,
}


class CheckRecord(NamedTuple):
    """What is stored of a check: its targets, for each of them the entries and the digest of its rules, and the result.

    `day` is the only day on which the result is valid, or None.
    """

    discovery_entry: CacheEntry
    targets: Sequence[Target]
    memories: Sequence[TargetMemory]
    rules: Sequence[str]
    result: Result
    day: str | None


def _facts_of(record: CheckRecord) -> dict[str, Any]:
    memories = record.memories
    sure = record.discovery_entry.digest and all(
        memory.whole and memory.whole.digest and b"" not in memory.entries.digests for memory in memories
    )
    return {
        "targets": record.targets,
        "skills": [len(memory.entries) for memory in memories],
        "rules": record.rules,
        "inventories": [memory.inventory for memory in memories],
        "result": pack_result(record.result) if sure else None,
        "day": record.day,
    }


def _redacted(entries: EntryTable) -> EntryTable | None:
    """The entries without what must not be stored; None if one of them can't be stored at all."""
    bare = {number: redact_for_cache(entries[number]) for number, digest in enumerate(entries.digests) if not digest}
    kept = {number: entry for number, entry in bare.items() if entry}
    return entries.replaced(kept) if len(kept) == len(bare) else None


def _shareable(facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The facts without a result that holds secrets; None if the targets hold some."""
    result = facts["result"]
    if result is not None:
        from skillbag.rules.index import RULES

        # The words of the standard rules are long and hold no secrets.
        ours = {row[0] for row in RULES}
        rules = [rule for rule in result["rules"] if rule.id not in ours]
        if _holds_secret(result["roots"], result["findings"], result["targets"], rules):
            facts = {**facts, "result": None}
    return None if _holds_secret(facts["targets"]) else facts


def _holds_secret(*values: object) -> bool:
    return holds_secrets(json.dumps(values, separators=(",", ":")).encode())


def _without_skills(entry: CacheEntry, memories: Sequence[TargetMemory]) -> CacheEntry:
    """The discovery entry without the questions for each `SKILL.md`, on which the skill's own entry depends."""
    asked_by_skills: set[str] = set()
    for memory in memories:
        own = {f"{tracked.CONTENT}{folder.path}/{SKILL_FILE}" for folder in folders_of(memory.entries)}
        contents = own.intersection(split_questions(memory.entries.questions))
        asked_by_skills |= {tracked.KIND + question[1:] for question in contents}
    kept = [(at * STAMP, question) for at, question in enumerate(entry.asked) if question not in asked_by_skills]
    return entry._replace(
        questions=SEPARATOR.join([question for _, question in kept]),
        stamps=b"".join([entry.stamps[at : at + STAMP] for at, _ in kept]),
    )


def stamps_of(questions: Iterable[str]) -> bytes:
    """The current stamps of the questions of some entries (see `CacheEntry`), in order."""
    return tracked.stamps(split_questions(questions)).tobytes()


def _differing(one: bytes, other: bytes) -> Iterator[int]:
    """The numbers of the stamps that differ."""
    pending = [(0, len(one) // STAMP)]
    while pending:
        start, end = pending.pop()
        if one[start * STAMP : end * STAMP] == other[start * STAMP : end * STAMP]:
            continue
        if end - start == 1:
            yield start
            continue
        middle = (start + end) // 2
        pending += [(start, middle), (middle, end)]
