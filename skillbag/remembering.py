"""What earlier checks found out: looked up by request, held to the disk as it is now, and written down anew.

A request that was checked before, of whose questions to the disk each is answered as it was, has the same result. Where
some answers differ, the units that they belong to are judged again, and no others.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate, pairwise

from skillbag import asked
from skillbag.findings import Level
from skillbag.named import NamedTuple
from skillbag.processes import in_parts
from skillbag.result import CheckedTarget, Result, RuleInfo
from skillbag.snapshot import Snapshot, read_snapshot, write_snapshot
from skillbag.snapshots import FOLDER, bound
from skillbag.units import Unit, renewed, tells_secrets, to_keep
from skillbag.user_folders import cache_folder
from skillbag.verdicts import pack_findings, unpack_findings
from skillbag.workspace import git_state
from skillbag.workspace.target import SKILL_FILE, Kind, SkillFolder, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MANY_STAMPS = 20_000
"""Questions from which a second process that looks at half of them saves more than it costs."""
_MANY_UNITS = 300
"""Units to be read again from which it does."""

Plan = list[tuple[Target, tuple[SkillFolder, ...]]]
"""The targets of a request, each with the folders of its skills."""


class _Old(NamedTuple):
    """A unit of an earlier run, and whether something that it hung on bears another stamp now."""

    unit: Unit
    changed: bool


class TargetMemory:
    """What is known of one target: units by the path of the skill, and the unit of the rest of it (see `lint.Memory`).

    After a check, `units`, `whole` and `inventory` are those to keep.
    """

    def __init__(self, root: str, old: Mapping[str, _Old], whole: _Old | None, inventory: bytes) -> None:
        self.root = root
        self._old = old
        self._whole = whole
        self.inventory = inventory
        self.units: Sequence[Unit] = ()
        self.whole: Unit | None = None

    def recall(self, folders: Sequence[SkillFolder]) -> dict[str, Unit]:
        """The units of these skills that still hold, by the skill's path."""
        known = {folder.path: self._old[folder.path] for folder in folders if folder.path in self._old}
        held = {path: old.unit for path, old in known.items() if not old.changed}
        doubtful = [(path, old.unit) for path, old in known.items() if old.changed]
        parts = in_parts(partial(renewed, self.root), [unit for _, unit in doubtful], _MANY_UNITS)
        again = (unit for part in parts for unit in part)
        held.update((path, unit) for (path, _), unit in zip(doubtful, again, strict=True) if unit)
        return held

    def recall_whole(self, inventory: bytes) -> Unit | None:
        """The unit of the rest of the target, if it holds and was made from skills of this digest."""
        if self._whole is None or inventory != self.inventory:
            return None
        return renewed(self.root, [self._whole.unit])[0] if self._whole.changed else self._whole.unit

    def keep(self, units: Sequence[Unit], whole: Unit, inventory: bytes) -> None:
        """Take the units of all skills, in the order of their folders, and of the rest."""
        self.units, self.whole, self.inventory = units, whole, inventory


class Memory:
    """What is known of one request; `path` is the file that it is kept in."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._known = read_snapshot(path)
        self._facts: Mapping[str, Any] = self._known.facts if self._known else _NO_FACTS
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
        return _result(plain)

    def plan(self) -> Plan | None:
        """The targets with their skill folders, where that still holds; to be asked after `result`."""
        if not self._units or 0 in self._changed:
            return None
        plan: Plan = []
        for target, span in zip(self._targets(), self._spans(), strict=True):
            folders = tuple(_folder(unit) for unit in self._units[span.start : span.stop - 1])
            changed = (folder for number, folder in zip(span, folders, strict=False) if number in self._changed)
            if not all(os.path.lexists(os.path.join(folder.path, SKILL_FILE)) for folder in changed):
                return None
            plan.append((target, folders))
        return plan

    @property
    def front(self) -> Unit:
        """The unit of what was found out before any skill was judged, as it is known."""
        return self._units[0]

    def forget(self) -> None:
        """Know nothing any more."""
        self._known, self._facts, self._changed = None, _NO_FACTS, frozenset()
        for name in ("_units", "_paths"):
            vars(self).pop(name, None)

    def of_target(self, target: Target, rules: str) -> TargetMemory:
        """What is known of a target that is checked by the rules of this digest."""
        facts = zip(self._targets(), self._spans(), self._facts["rules"], self._facts["inventories"], strict=True)
        for other, span, their_rules, inventory in facts:
            if (other.kind, other.root, their_rules) == (target.kind, target.root, rules):
                old = {_folder(unit).path: _Old(unit, n in self._changed) for n, unit in self._numbered(span)}
                last = span.stop - 1
                # What is said of the whole hangs on which skills belong to it; what is said of a skill does not.
                whole = _Old(self._units[last], last in self._changed) if other == target else None
                return TargetMemory(target.root, old, whole, bytes.fromhex(inventory))
        return TargetMemory(target.root, {}, None, b"")

    def remember(self, outcome: Outcome) -> None:
        """Write it down for the next check; where that can't be done, the next one begins anew."""
        units = [unit for unit in map(to_keep, _units_of(outcome)) if unit]
        facts = _shareable(_facts_of(outcome))
        if facts is None or len(units) < sum(facts["skills"]) + len(facts["skills"]) + 1:
            return
        with contextlib.suppress(OSError):
            write_snapshot(self.path, facts, units)
            bound(os.path.dirname(self.path), time.time())

    def _look(self) -> frozenset[int]:
        return _changed(self._known) if self._known else frozenset()

    def _numbered(self, span: range) -> Iterator[tuple[int, Unit]]:
        return ((number, self._units[number]) for number in span[:-1])

    def _targets(self) -> list[Target]:
        return [
            Target(Kind(kind), root, tuple(roots), tuple(only)) for kind, root, roots, only in self._facts["targets"]
        ]

    def _spans(self) -> list[range]:
        """For each target the numbers of its units: those of its skills, then that of the rest of it."""
        ends = list(accumulate((count + 1 for count in self._facts["skills"]), initial=1))
        return [range(start, end) for start, end in pairwise(ends)]

    @cached_property
    def _units(self) -> list[Unit]:
        return self._known.units() if self._known else []


_NO_FACTS: Mapping[str, Any] = {
    "targets": (),
    "skills": (),
    "rules": (),
    "inventories": (),
    "result": None,
    "day": None,
}


class LiveMemory(Memory):
    """A memory that stays, of a process that is told of what changes; nothing is written until `flush`."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._suspects: frozenset[int] | None = None
        self._outcome: Outcome | None = None

    def suspect(self, paths: Iterable[str]) -> bool:
        """Let the next check look at these absolute paths alone; whether anything hangs on them."""
        numbers: set[int] = set()
        for path in paths:
            numbers |= self._hanging_on(path)
        self._suspects = frozenset(numbers)
        return bool(numbers)

    def suspect_all(self) -> None:
        """Let the next check look at everything."""
        self._suspects = None

    def folders(self) -> frozenset[str]:
        """The folders in which a change may matter."""
        return frozenset(os.path.dirname(path) for path in self._paths) | {
            question[1:] for unit in self._units for question in unit.asked if question[0] == asked.NAMES
        }

    def remember(self, outcome: Outcome) -> None:
        """Keep it for the next check."""
        self._outcome, self._facts = outcome, _facts_of(outcome)
        self._units = _units_of(outcome)
        vars(self).pop("_paths", None)

    def flush(self) -> None:
        """Write down what is known."""
        if self._outcome is not None:
            super().remember(self._outcome)
            self._outcome = None

    def _look(self) -> frozenset[int]:
        among: Iterable[int] = range(len(self._units)) if self._suspects is None else self._suspects
        return frozenset(n for n in among if _stamps(self._units[n].asked) != self._units[n].stamps)

    @cached_property
    def _paths(self) -> dict[str, set[int]]:
        """The units that hang on each path."""
        found: dict[str, set[int]] = {}
        for number, unit in enumerate(self._units):
            for question in unit.asked:
                found.setdefault(question[1:], set()).add(number)
        return found

    def _hanging_on(self, path: str) -> set[int]:
        """The units that hang on a path, on the names in its folder, or on something below it."""
        numbers = self._paths.get(path, set()) | self._paths.get(os.path.dirname(path), set())
        if path in self._paths and os.path.isfile(path):
            return numbers
        below = path + os.sep
        return numbers.union(*(units for other, units in self._paths.items() if other.startswith(below)))


class Outcome(NamedTuple):
    """What is to be kept of a check: its front, for each target its memory and the digest of its rules, the result.

    `day` is the day for which alone the result holds, or None.
    """

    front: Unit
    targets: Sequence[Target]
    memories: Sequence[TargetMemory]
    rules: Sequence[str]
    result: Result
    day: str | None


def _units_of(outcome: Outcome) -> list[Unit]:
    units = [_without_skills(outcome.front, outcome.memories)]
    for memory in outcome.memories:
        units += [*memory.units, memory.whole] if memory.whole else []
    return units


def _facts_of(outcome: Outcome) -> dict[str, Any]:
    memories = outcome.memories
    sure = all(unit.digest for memory in memories for unit in (*memory.units, memory.whole) if unit)
    return {
        "targets": outcome.targets,
        "skills": [len(memory.units) for memory in memories],
        "rules": outcome.rules,
        "inventories": [memory.inventory.hex() for memory in memories],
        "result": _plain(outcome.result) if sure and outcome.front.digest else None,
        "day": outcome.day,
    }


def _shareable(facts: dict[str, Any]) -> dict[str, Any] | None:
    """The facts without what tells a secret; None where it is not the result that does."""
    result = facts["result"]
    if result is not None and _tells(result["roots"], result["findings"], result["targets"], _of_team(result["rules"])):
        facts = {**facts, "result": None}
    return None if _tells(facts["targets"]) else facts


def _of_team(rules: Iterable[RuleInfo]) -> list[RuleInfo]:
    """The rules that are not of this program, whose own words are nobody's secret, and long."""
    from skillbag.rule_index import RULES

    ours = {row[0] for row in RULES}
    return [rule for rule in rules if rule.id not in ours]


def _tells(*values: object) -> bool:
    return tells_secrets(json.dumps(values, separators=(",", ":")).encode())


def _without_skills(front: Unit, memories: Sequence[TargetMemory]) -> Unit:
    """The front without the questions whether a skill's `SKILL.md` is there: the skill's own unit asks more of it."""
    asked_by_skills = set()
    for memory in memories:
        for unit in memory.units:
            file = f"{_folder(unit).path}/{SKILL_FILE}"
            if f"{asked.CONTENT}{file}" in unit.asked:
                asked_by_skills.add(asked.KIND + file)
    stamps, width = front.stamps, asked.WIDTH * 8
    kept = [(n, question) for n, question in enumerate(front.asked) if question not in asked_by_skills]
    return front._replace(
        questions="\0".join([question for _, question in kept]),
        stamps=b"".join([stamps[n * width : (n + 1) * width] for n, _ in kept]),
    )


def _folder(unit: Unit) -> SkillFolder:
    # The first question about a skill is what lies in its folder.
    path = unit.questions.partition("\0")[0][1:]
    skills_root, name = os.path.split(path)
    return SkillFolder(name, path, skills_root)


def _changed(known: Snapshot) -> frozenset[int]:
    """The numbers of the units of which a question bears another stamp now."""
    now = b"".join(in_parts(_stamps, known.questions(), _MANY_STAMPS))
    if now == known.stamps:
        return frozenset()
    ends = list(accumulate(known.counts()))
    return frozenset(bisect_right(ends, number) for number in _differing(known.stamps, now))


def _stamps(questions: Sequence[str]) -> bytes:
    return asked.stamps(questions).tobytes()


def _differing(one: bytes, other: bytes) -> Iterator[int]:
    """The numbers of the stamps that differ."""
    width = asked.WIDTH * 8
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


def _plain(result: Result) -> dict[str, Any]:
    """A result as plain JSON values."""
    roots = list(dict.fromkeys(finding.root for finding in result.findings))
    return {
        "targets": result.targets,
        "roots": roots,
        "of": [roots.index(finding.root) for finding in result.findings],
        "findings": pack_findings(result.findings),
        "rules": result.rules,
        "suppressed": result.suppressed,
    }


def _result(plain: Mapping[str, Any]) -> Result:
    roots = plain["roots"]
    pairs = zip(plain["of"], plain["findings"], strict=True)
    findings = [unpack_findings([raw], roots[number])[0] for number, raw in pairs]
    rules = (RuleInfo(raw[0], raw[1], raw[2], Level(raw[3]), *raw[4:]) for raw in plain["rules"])
    targets = (CheckedTarget(*raw) for raw in plain["targets"])
    return Result(tuple(targets), tuple(findings), tuple(rules), suppressed=plain["suppressed"])


def place_of(request: Sequence[object]) -> str:
    """The absolute path of the file for a request (plain values), checked by this program on this machine.

    Raises:
        UserError: the cache folder is misnamed (see `user_folders`).
    """
    from _blake2 import blake2b

    text = repr((_program(), _user(), tuple(request)))
    name = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return os.path.join(cache_folder(), FOLDER, f"{name}.checks")


def _user() -> tuple[object, ...]:
    """Who asks, and what the environment says to git and of where programs and settings are."""
    ids = (os.geteuid(), os.getegid(), os.getgroups()) if hasattr(os, "geteuid") else ()
    return *ids, *map(os.environ.get, ("PATH", "HOME", "XDG_CONFIG_HOME")), git_state.settings()


def _program() -> list[tuple[object, ...]]:
    """What distinguishes this program from another version of it: interpreter, libraries, its modules and its rules."""
    found: list[tuple[object, ...]] = [(sys.version, sys.platform, sys.getfilesystemencoding())]
    # Where libraries lie: to install another version of one changes the names in there.
    for path in sys.path:
        if path.endswith("-packages") and os.path.isdir(path):
            found.append((path, os.stat(path).st_mtime_ns))
    top = os.path.dirname(__file__)
    folders = [top, *(os.path.join(top, name) for name in ("checks", "documents", "workspace"))]
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".json")):
                    status = entry.stat()
                    found.append((entry.path, status.st_mtime_ns, status.st_size))
    return sorted(found, key=str)
