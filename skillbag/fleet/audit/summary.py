"""The summary of an audit, made in one pass over its records: memory does not grow with the number of findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from skillbag import STANDARD_VERSION, __version__
from skillbag.fleet.audit.record import FAILED, NOTHING, OK
from skillbag.fleet.audit.similarity import Likeness, SimilarSkills, Totals
from skillbag.fleet.audit.validation import FORMAT
from skillbag.kernel.model.findings import Severity

WORST = 10
"""The number of worst sources that are named, of each rule and of all."""

LISTED = 1000
"""The longest list of failures, unpinned sources, dependencies or groups of skills; the records have them all."""

_SHOWN = 20
"""The number of skills that are named of a group."""


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
            "worst": counted.worst.first(),
            "copies": _groups(likeness.copies_total(), likeness.copies(LISTED, _SHOWN)),
            "near_copies": _groups(likeness.near_total(), likeness.near(LISTED, _SHOWN)),
            "unpinned": {
                "sources": counted.unpinned_sources.listed(),
                "dependencies": counted.unpinned_dependencies.listed(),
            },
            "failures": counted.failures.listed(),
        }


class _First:
    """The first `limit` entries in an order, and the number of all."""

    def __init__(self, limit: int, key: Callable[[Any], Any] = str) -> None:
        self._limit, self._key = limit, key
        self._count = 0
        self._entries: list[Any] = []

    def add(self, entry: Any) -> None:
        self._count += 1
        self._entries.append(entry)
        if len(self._entries) > 2 * self._limit:
            self.first()

    def first(self) -> list[Any]:
        self._entries.sort(key=self._key)
        del self._entries[self._limit :]
        return self._entries

    def listed(self) -> dict[str, Any]:
        return {"count": self._count, "listed": self.first()}


class _Rule:
    """What is counted of one rule."""

    def __init__(self, finding: Mapping[str, Any]) -> None:
        self.clause, self.level = finding["clause"], finding["level"]
        self.findings = self.sources = self.skills = 0
        self.worst = _First(WORST, lambda row: (-row["findings"], row["source"]))


class _Counted:
    """The counts and lists of a summary."""

    def __init__(self, likeness: Likeness) -> None:
        self.runs: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.numbers: Counter[str] = Counter()
        self.worst = _First(WORST, lambda row: (-row["errors"], -row["warnings"], row["source"]))
        self.unpinned_sources, self.unpinned_dependencies, self.failures = (_First(LISTED) for _ in range(3))
        self._rules: dict[str, _Rule] = {}
        self._likeness = likeness

    def add(self, record: Mapping[str, Any]) -> None:
        version = record["version"]
        source = record["source"] if version is None else f"{record['source']} @ {version}"
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
        for name in (*Severity, "suppressed", "excused", "files"):
            self.numbers[name] += counts[name]
        self.numbers["targets"] += len(record["targets"])
        self.numbers["held"] += sum(target["kind"] != "skills" for target in record["targets"])
        self.numbers["conforming"] += sum(target["conforms"] for target in record["targets"])
        self.numbers["skills"] += len(record["skills"])
        self.numbers["tokens"] += sum(skill["tokens"] for skill in record["skills"])
        if counts["error"] or counts["warning"]:
            self.worst.add({"source": source, "errors": counts["error"], "warnings": counts["warning"]})
        self._add_findings(source, record)
        for skill in record["skills"]:
            self._likeness.add(source, skill)
        for dependency in record["dependencies"]:
            self.numbers["dependencies"] += 1
            if dependency["pinned"] is False and not dependency["locked"]:
                what = {name: dependency[name] for name in ("who", "name", "source", "version")}
                self.unpinned_dependencies.add({"in": source, **what})

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
            if findings := record["counts"]["rules"][name]:
                rule.worst.add({"source": source, "findings": findings})

    def rules(self) -> Iterator[dict[str, Any]]:
        """The row of each rule, those first that most sources break."""
        for name, rule in sorted(self._rules.items(), key=lambda item: (-item[1].sources, -item[1].findings, item[0])):
            yield {
                "rule": name,
                "clause": rule.clause,
                "level": rule.level,
                "sources": rule.sources,
                "skills": rule.skills,
                "findings": rule.findings,
                "worst": rule.worst.first(),
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
            "targets": {"all": numbers["targets"], "held": numbers["held"], "conforming": numbers["conforming"]},
            "skills": {"all": numbers["skills"], "different": self._likeness.trees, "tokens": numbers["tokens"]},
            "findings": {str(name): numbers[name] for name in (*Severity, "suppressed", "excused")},
            "dependencies": numbers["dependencies"],
            "files": numbers["files"],
            "bytes": numbers["bytes"],
            "seconds": numbers["milliseconds"] / 1000,
        }


def _skill_of(path: str, skills: set[str]) -> Iterator[str]:
    """The innermost of the skills that a path lies in, if any."""
    while path:
        if path in skills:
            yield path
            return
        path = path.rpartition("/")[0]


def _groups(totals: Totals, groups: Iterator[SimilarSkills]) -> dict[str, Any]:
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
