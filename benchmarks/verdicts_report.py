"""Verdicts as JSON and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from verdicts_labels import LABELS, Read, counted
from verdicts_measure import MALICIOUS, MUTATIONS, Honest, Result


def as_json(
    facts: dict[str, Any], results: Sequence[Result], seen: Honest | None, read: Sequence[Read]
) -> dict[str, Any]:
    """The figures of each tool, and which mutations it found at which level."""
    return {
        "version": 1,
        **facts,
        "tools": {one.tool: _tool(one) for one in results},
        "published": _published(seen, read) if seen else None,
    }


def _tool(result: Result) -> dict[str, Any]:
    grounds = {}
    for name, verdicts in result.verdicts.items():
        found, of = result.share(name)
        levels = {one.id: one.level for one in verdicts if one.level}
        families = {one.family: list(result.share(name, one.family)) for one in result.labelled[name]}
        grounds[name] = {"found": found, "of": of, "families": families, "levels": levels}
    seconds = round(result.seconds, 3)
    return {"seconds": seconds, "skills": result.skills, "accused": result.accused, **grounds}


def _published(seen: Honest, read: Sequence[Read]) -> dict[str, Any]:
    levels = {level: {label or "unread": n for label, n in some.items()} for level, some in counted(read).items()}
    return {"skills": seen.skills, "accused": len(seen.accused), "levels": levels}


def as_markdown(facts: dict[str, Any], results: Sequence[Result], seen: Honest | None, read: Sequence[Read]) -> str:
    """All tables, under one line about what was run."""
    about = ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items())
    parts = [about, overview(results)]
    if seen:
        parts += [precision(seen, read), by_rule(seen, read)]
    parts += [
        by_kind(results, MUTATIONS, "class of mutations"),
        by_kind(results, MALICIOUS, "shape of malicious skills"),
    ]
    return "\n\n".join(parts) + "\n"


def overview(results: Sequence[Result]) -> str:
    """One line for each tool."""
    rows = [
        [
            one.tool,
            *(_share(one, ground, family) for ground, family in _COLUMNS.values()),
            f"{one.accused} of {one.skills:,}",
            f"{one.seconds / one.skills * 1000:.1f}",
        ]
        for one in results
    ]
    return _table(("tool", *_COLUMNS, "good skills with an error", "ms a skill"), rows)


_COLUMNS = {
    "mutations": (MUTATIONS, ""),
    "of these security": (MUTATIONS, "security"),
    "malicious skills": (MALICIOUS, "campaign"),
    "evasions": (MALICIOUS, "evasion"),
}


def _share(result: Result, ground: str, family: str = "") -> str:
    found, of = result.share(ground, family)
    if (
        result.labelled[ground]
        and not family
        and len({one.family.split(":")[0] for one in result.labelled[ground]}) == 1
    ):
        return ""
    return f"{found} of {of} ({found / of:.0%})" if of else ""


def precision(seen: Honest, read: Sequence[Read]) -> str:
    """What published skills are told, and what people who read it say."""
    rows = []
    for level, labels in counted(read).items():
        known = sum(labels[label] for label in LABELS)
        shares = [f"{labels[label]} ({labels[label] / known:.0%})" if known else "" for label in LABELS]
        rows.append([level, str(labels.total()), f"{labels.total() * 100 / seen.skills:.1f}", str(known), *shares])
    title = f"{seen.skills:,} published skills; {len(seen.accused)} accused of malice (an error of the family security)"
    return f"{title}\n\n{_table(('level', 'findings', 'per 100 skills', 'read', *LABELS), rows)}"


def by_rule(seen: Honest, read: Sequence[Read]) -> str:
    """The rules with the most findings on published skills first."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for one in read:
        counts.setdefault((one.finding.rule, one.finding.level), Counter())[one.label] += 1
    rows = [
        [
            rule,
            level,
            str(n.total()),
            f"{n.total() * 100 / seen.skills:.1f}",
            *(str(n[label] or "") for label in LABELS),
        ]
        for (rule, level), n in sorted(counts.items(), key=lambda item: (-item[1].total(), item[0]))
    ]
    return _table(("rule", "level", "findings", "per 100 skills", *LABELS), rows)


def by_kind(results: Sequence[Result], ground: str, title: str) -> str:
    """How many of each kind each tool found."""
    counts: dict[str, dict[str, list[bool]]] = {}
    for result in results:
        for one, verdict in zip(result.labelled[ground], result.verdicts[ground], strict=True):
            counts.setdefault(one.kind, {}).setdefault(result.tool, []).append(verdict.found)
    rows = []
    for kind, found in counts.items():
        cells = (found.get(result.tool, []) for result in results)
        most = max(map(len, found.values()))
        rows.append([kind, str(most), *(str(sum(cell)) if cell else "" for cell in cells)])
    return _table((title, "number", *(result.tool for result in results)), rows)


def missed(result: Result) -> str:
    """The mutations that the tool has not found, one kind on each line."""
    kinds: dict[str, list[str]] = {}
    for ground, verdicts in result.verdicts.items():
        for one, verdict in zip(result.labelled[ground], verdicts, strict=True):
            if not verdict.found:
                number = one.id.rpartition(".")[2]
                kinds.setdefault(f"{one.family}: {one.kind}", []).append(f"{number}{verdict.level and ' (note)'}")
    return "\n".join(f"{kind}: {', '.join(numbers)}" for kind, numbers in kinds.items())


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
