"""What earlier checks found out: looked up by request, held to the disk as it is now, and written down anew.

A request that was checked before, of whose questions to the disk each is answered as it was, has the same result. Where
some answers differ, the units that they belong to are judged again, and no others.
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
from skillbag.cache.entry import SEPARATOR, Unit, holds_secrets, redact_for_cache
from skillbag.cache.eviction import evict
from skillbag.cache.store import read_snapshot, write_snapshot
from skillbag.cache.table import Units
from skillbag.cache.target_memory import Known, TargetMemory, folders_of
from skillbag.fs import tracked
from skillbag.model.result import Result, RuleInfo
from skillbag.workspace.target import SKILL_FILE, Kind, SkillFolder, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MANY = 3000
"""Units from which a second process that looks at half of them saves more than it costs."""

Targets = list[tuple[Target, tuple[SkillFolder, ...]]]
"""The targets of a request, each with the folders of its skills."""


class Memory:
    """What is known of one request; `path` is the file that it is kept in, if it is."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        known = read_snapshot(path) if path else None
        self._facts: Mapping[str, Any] = known.facts if known else _NO_FACTS
        self._units = known.units if known else Units.of(())
        self._changed = frozenset[int]()

    @property
    def roots(self) -> tuple[str, ...]:
        """The roots of the targets that the request had."""
        return tuple(target.root for target in self._targets())

    def result(self, today: str) -> Result | None:
        """The result, where nothing has changed that it hung on."""
        self._changed = self._look()
        plain = self._facts["result"]
        if self._changed or plain is None or self._facts["day"] not in (None, today):
            return None
        return unpack_result(plain)

    def targets(self) -> Targets | None:
        """The targets with their skill folders, where that still holds; to be asked after `result`."""
        if not len(self._units) or 0 in self._changed:
            return None
        targets: Targets = []
        for target, span, folders in zip(self._targets(), self._spans(), self._folders, strict=True):
            changed = (folder for number, folder in zip(span, folders, strict=False) if number in self._changed)
            if not all(os.path.lexists(os.path.join(folder.path, SKILL_FILE)) for folder in changed):
                return None
            targets.append((target, folders))
        return targets

    @property
    def front(self) -> Unit:
        """The unit of what was found out before any skill was judged, as it is known."""
        return self._units[0]

    def forget(self) -> None:
        """Know nothing any more."""
        self._facts, self._changed = _NO_FACTS, frozenset()
        self._set_units(Units.of(()))

    def of_target(self, target: Target, rules: str) -> TargetMemory:
        """What is known of a target that is checked by the rules of this digest."""
        for number, (other, their_rules) in enumerate(zip(self._targets(), self._facts["rules"], strict=True)):
            if (other.kind, other.root, their_rules) == (target.kind, target.root, rules):
                # What is said of the whole hangs on which skills belong to it; what is said of a skill does not.
                return TargetMemory(target.root, self._known(number, with_whole=other == target))
        return TargetMemory(target.root)

    def _known(self, number: int, *, with_whole: bool) -> Known:
        """What is known of the target of a number."""
        span = self._spans()[number]
        skills, rest = span[:-1], span[-1]
        return Known(
            folders=self._folders[number],
            units=self._units.part(span.start, rest),
            changed=frozenset(number - span.start for number in self._changed if number in skills),
            inventory=self._facts["inventories"][number],
            whole=self._units[rest] if with_whole else None,
            whole_changed=rest in self._changed,
        )

    def remember(self, outcome: CheckRecord) -> None:
        """Write it down for the next check; where that can't be done, the next one begins anew."""
        self._take(outcome)
        self._write()

    def _take(self, outcome: CheckRecord) -> None:
        self._facts = _facts_of(outcome)
        self._set_units(self._units_of(outcome))

    def _set_units(self, units: Units) -> None:
        self._units = units
        vars(self).pop("_folders", None)

    def _write(self) -> None:
        if self.path is None:
            return
        facts, units = _shareable(self._facts), _to_keep(self._units)
        if facts is None or units is None:
            return
        with contextlib.suppress(OSError):
            write_snapshot(self.path, facts, units)
            evict(os.path.dirname(self.path), time.time())

    def _look(self) -> frozenset[int]:
        """The numbers of the units of which a question bears another stamp now."""
        return _changed(self._units)

    def _units_of(self, outcome: CheckRecord) -> Units:
        front = outcome.front
        if not len(self._units) or front != self._units[0]:
            front = _without_skills(front, outcome.memories)
        parts = [Units.of([front])]
        for memory in outcome.memories:
            parts += [memory.units, Units.of([memory.whole] if memory.whole else [])]
        return Units.joined(parts)

    @cached_property
    def _folders(self) -> list[tuple[SkillFolder, ...]]:
        """For each target the folders of its skills."""
        return [folders_of(self._units.part(span.start, span.stop - 1)) for span in self._spans()]

    def _targets(self) -> list[Target]:
        return [
            Target(Kind(kind), root, tuple(roots), tuple(only), tuple(loose), tuple((path, why) for path, why in aside))
            for kind, root, roots, only, loose, aside in self._facts["targets"]
        ]

    def _spans(self) -> list[range]:
        """For each target the numbers of its units: those of its skills, then that of the rest of it."""
        ends = list(accumulate((count + 1 for count in self._facts["skills"]), initial=1))
        return [range(start, end) for start, end in pairwise(ends)]


_NO_FACTS: Mapping[str, Any] = {
    "targets": (),
    "skills": (),
    "rules": (),
    "inventories": (),
    "result": None,
    "day": None,
}


class CheckRecord(NamedTuple):
    """What is to be kept of a check: its front, for each target its memory and the digest of its rules, the result.

    `day` is the day for which alone the result holds, or None.
    """

    front: Unit
    targets: Sequence[Target]
    memories: Sequence[TargetMemory]
    rules: Sequence[str]
    result: Result
    day: str | None


def _facts_of(outcome: CheckRecord) -> dict[str, Any]:
    memories = outcome.memories
    sure = outcome.front.digest and all(
        memory.whole and memory.whole.digest and b"" not in memory.units.digests for memory in memories
    )
    return {
        "targets": outcome.targets,
        "skills": [len(memory.units) for memory in memories],
        "rules": outcome.rules,
        "inventories": [memory.inventory for memory in memories],
        "result": pack_result(outcome.result) if sure else None,
        "day": outcome.day,
    }


def _to_keep(units: Units) -> Units | None:
    """The units without what is never to be kept; None where there is a unit that can't be kept at all."""
    bare = {number: redact_for_cache(units[number]) for number, digest in enumerate(units.digests) if not digest}
    kept = {number: unit for number, unit in bare.items() if unit}
    return units.replaced(kept) if len(kept) == len(bare) else None


def _shareable(facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The facts without what tells a secret; None where it is not the result that does."""
    result = facts["result"]
    if result is not None and _tells(result["roots"], result["findings"], result["targets"], _of_team(result["rules"])):
        facts = {**facts, "result": None}
    return None if _tells(facts["targets"]) else facts


def _of_team(rules: Iterable[RuleInfo]) -> list[RuleInfo]:
    """The rules that are not of this program, whose own words are nobody's secret, and long."""
    from skillbag.rules.index import RULES

    ours = {row[0] for row in RULES}
    return [rule for rule in rules if rule.id not in ours]


def _tells(*values: object) -> bool:
    return holds_secrets(json.dumps(values, separators=(",", ":")).encode())


def _without_skills(front: Unit, memories: Sequence[TargetMemory]) -> Unit:
    """The front without the questions whether a skill's `SKILL.md` is there: the skill's own unit asks more of it."""
    asked_by_skills: set[str] = set()
    for memory in memories:
        own = {f"{tracked.CONTENT}{folder.path}/{SKILL_FILE}" for folder in folders_of(memory.units)}
        asked_by_skills |= {tracked.KIND + question[1:] for question in own.intersection(memory.units.asked())}
    stamps, width = front.stamps, tracked.WIDTH * 8
    kept = [(n, question) for n, question in enumerate(front.asked) if question not in asked_by_skills]
    return front._replace(
        questions=SEPARATOR.join([question for _, question in kept]),
        stamps=b"".join([stamps[n * width : (n + 1) * width] for n, _ in kept]),
    )


def _changed(units: Units) -> frozenset[int]:
    """The numbers of the units of which a question bears another stamp now."""
    now = b"".join(in_parts(stamps_of, units.questions, _MANY))
    if now == units.stamps:
        return frozenset()
    return frozenset(bisect_right(units.ends, number) for number in _differing(units.stamps, now))


def stamps_of(questions: Iterable[str]) -> bytes:
    """The stamps of the questions of some units (see `Unit`) as they are now, one after the other."""
    return tracked.stamps(question for text in questions if text for question in text.split(SEPARATOR)).tobytes()


def _differing(one: bytes, other: bytes) -> Iterator[int]:
    """The numbers of the stamps that differ."""
    width = tracked.WIDTH * 8
    pending = [(0, len(one) // width)]
    while pending:
        start, end = pending.pop()
        if one[start * width : end * width] == other[start * width : end * width]:
            continue
        if end - start == 1:
            yield start
            continue
        middle = (start + end) // 2
        pending += [(start, middle), (middle, end)]
