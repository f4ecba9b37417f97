"""What is common to all that was audited, told from the records as they pass by: memory does not grow with findings."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skillbag import STANDARD_VERSION, __version__
from skillbag.audit.record import FAILED, NOTHING, OK
from skillbag.audit.similarity import Group, Likeness, Totals
from skillbag.audit.validation import FORMAT
from skillbag.model.findings import Level

WORST = 10
"""So many of the worst sources are named, of each rule and of all."""

LISTED = 1000
"""So many failures, unpinned sources and dependencies are listed, and groups of skills; the records have them all."""

_SHOWN = 20
"""So many places of a group are named."""


def summarize(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The summary of the records (`schemas/audit.schema.json`, `summary`)."""
    with Likeness() as likeness:
        counted = _Counted(likeness)
        for record in records:
            counted.add(record)
        likeness.group()
        return {
            "format": FORMAT,
            "program": __version__,
            "standard": STANDARD_VERSION,
            "runs": dict(sorted(counted.runs.items())),
            **counted.totals(),
            "rules": list(counted.rules()),
            "worst": [_worst(entry) for entry in counted.worst.entries()],
            "copies": _groups(likeness.copies_total(), likeness.copies(LISTED, _SHOWN)),
            "near_copies": _groups(likeness.near_total(), likeness.near(LISTED, _SHOWN)),
            "unpinned": {
                "sources": counted.unpinned_sources.value(),
                "dependencies": counted.unpinned_dependencies.value(),
            },
            "failures": counted.failures.value(),
        }


class _Listed:
    """A list of which only the first in order are kept, and the number."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[Any] = []

    def add(self, what: Any) -> None:
        self.count += 1
        self._kept.append(what)
        if len(self._kept) > 2 * LISTED:
            self._cut()

    def _cut(self) -> None:
        self._kept.sort(key=str)
        del self._kept[LISTED:]

    def value(self) -> dict[str, Any]:
        self._cut()
        return {"count": self.count, "listed": self._kept}


class _Most:
    """The entries with the largest numbers; among equals, the first by name."""

    def __init__(self) -> None:
        self._heap: list[tuple[tuple[int, ...], _Backwards]] = []

    def add(self, numbers: tuple[int, ...], name: str) -> None:
        if not any(numbers):
            return
        entry = (numbers, _Backwards(name))
        if len(self._heap) < WORST:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def entries(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        for numbers, name in sorted(self._heap, reverse=True):
            yield str(name), numbers


class _Backwards(str):
    """A text that sorts the other way round."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


class _Rule:
    """What is counted of one rule."""

    def __init__(self, finding: Mapping[str, Any]) -> None:
        self.clause, self.level = finding["clause"], finding["level"]
        self.findings = self.sources = self.skills = 0
        self.worst = _Most()


class _Counted:
    """All that is counted while the records pass by."""

    def __init__(self, likeness: Likeness) -> None:
        self.runs: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.numbers: Counter[str] = Counter()
        self.worst = _Most()
        self.unpinned_sources, self.unpinned_dependencies, self.failures = _Listed(), _Listed(), _Listed()
        self._rules: dict[str, _Rule] = {}
        self._likeness = likeness

    def add(self, record: Mapping[str, Any]) -> None:
        source = _shown(record)
        self.runs[record["run"]] += 1
        self.statuses[record["status"]] += 1
        self.numbers.update(bytes=record["bytes"], milliseconds=round(record["seconds"] * 1000))
        if record["pinned"] is not None:
            self.numbers["pinned" if record["pinned"] else "unpinned"] += 1
        if record["pinned"] is False:
            self.unpinned_sources.add(source)
        if record["status"] == FAILED:
            self.failures.add({"source": source, "error": record["error"]})
        if record["status"] == OK:
            self._add_checked(source, record)

    def _add_checked(self, source: str, record: Mapping[str, Any]) -> None:
        counts = record["counts"]
        for name in (*Level, "suppressed", "excused", "files"):
            self.numbers[name] += counts[name]
        self.numbers["targets"] += len(record["targets"])
        self.numbers["held"] += sum(target["kind"] != "skills" for target in record["targets"])
        self.numbers["conforming"] += sum(target["conforms"] for target in record["targets"])
        self.numbers["skills"] += len(record["skills"])
        self.numbers["tokens"] += sum(skill["tokens"] for skill in record["skills"])
        self.worst.add((counts["error"], counts["warning"]), source)
        self._add_findings(source, record)
        for skill in record["skills"]:
            self._likeness.add(source, skill)
        for dependency in record["dependencies"]:
            self.numbers["dependencies"] += 1
            if dependency["pinned"] is False and not dependency["locked"]:
                self.unpinned_dependencies.add({"in": source, **_told(dependency)})

    def _add_findings(self, source: str, record: Mapping[str, Any]) -> None:
        skills = {skill["path"] for skill in record["skills"]}
        hit: dict[str, set[str]] = {}
        for finding in record["findings"]:
            rule = self._rules.get(finding["rule"])
            if rule is None:
                rule = self._rules[finding["rule"]] = _Rule(finding)
            rule.findings += 1
            hit.setdefault(finding["rule"], set()).update(_skill_of(finding["path"], skills))
        for name, those in hit.items():
            rule = self._rules[name]
            rule.sources += 1
            rule.skills += len(those)
            rule.worst.add((record["counts"]["rules"][name],), source)

    def rules(self) -> Iterator[dict[str, Any]]:
        """What is told of each rule, those that most sources break first."""
        for name, rule in sorted(self._rules.items(), key=lambda item: (-item[1].sources, -item[1].findings, item[0])):
            yield {
                "rule": name,
                "clause": rule.clause,
                "level": rule.level,
                "sources": rule.sources,
                "skills": rule.skills,
                "findings": rule.findings,
                "worst": [{"source": source, "findings": numbers[0]} for source, numbers in rule.worst.entries()],
            }

    def totals(self) -> dict[str, Any]:
        numbers, statuses = self.numbers, self.statuses
        return {
            "sources": {
                "all": statuses.total(),
                "ok": statuses[OK],
                "nothing": statuses[NOTHING],
                "failed": statuses[FAILED],
                "pinned": numbers["pinned"],
                "unpinned": numbers["unpinned"],
            },
            "targets": {name: numbers[key] for name, key in (("all", "targets"), ("held", "held"))}
            | {"conforming": numbers["conforming"]},
            "skills": {"all": numbers["skills"], "different": self._likeness.trees, "tokens": numbers["tokens"]},
            "findings": {str(name): numbers[name] for name in (*Level, "suppressed", "excused")},
            "dependencies": numbers["dependencies"],
            "files": numbers["files"],
            "bytes": numbers["bytes"],
            "seconds": numbers["milliseconds"] / 1000,
        }


def _shown(record: Mapping[str, Any]) -> str:
    """A source as the summary names it: with the version that was asked for."""
    return record["source"] if record["version"] is None else f"{record['source']} @ {record['version']}"


def _worst(entry: tuple[str, tuple[int, ...]]) -> dict[str, Any]:
    source, (errors, warnings) = entry
    return {"source": source, "errors": errors, "warnings": warnings}


def _told(dependency: Mapping[str, Any]) -> dict[str, Any]:
    return {name: dependency[name] for name in ("who", "name", "source", "version")}


def _skill_of(path: str, skills: set[str]) -> Iterator[str]:
    """The innermost of the skills that a path lies in, if any."""
    while path:
        if path in skills:
            yield path
            return
        path = path.rpartition("/")[0]


def _groups(totals: Totals, groups: Iterator[Group]) -> dict[str, Any]:
    rows = [
        {
            "name": group.shown[0].name,
            "skills": group.skills,
            "sources": group.sources,
            "likeness": group.likeness,
            "places": [{"source": place.source, "path": place.path} for place in group.shown],
        }
        for group in groups
    ]
    return {"groups": totals.groups, "skills": totals.skills, "listed": rows}
