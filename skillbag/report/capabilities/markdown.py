"""The facts of skills as tables of Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillbag.kernel.base.json_records import to_json
from skillbag.lint.capabilities.facts import Fact, Risk, SkillFacts, TargetFacts
from skillbag.report.capabilities.values import TITLES, FactCountsJson, remarks, title_of
from skillbag.report.sanitize import shown

_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>|#"})


def render(targets: Sequence[TargetFacts]) -> str:
    """A heading and a table for each skill."""
    skills = [skill for target in targets for skill in target.skills]
    counts = to_json(FactCountsJson.of(skills))
    lines = ["# Capabilities", "", ", ".join(f"{number} {word}" for word, number in counts.items()), ""]
    for target in targets:
        for skill in target.skills:
            lines += _skill(skill, target.root)
    return "\n".join(lines)


def _skill(skill: SkillFacts, root: str) -> Iterator[str]:
    yield f"## {_plain(title_of(skill, root))}"
    yield ""
    if skill.content:
        yield f"Content: `{skill.content}`"
        yield ""
    yield from _table([fact for fact in skill.facts if fact.risk is not Risk.INFO])
    if quiet := [fact for fact in skill.facts if fact.risk is Risk.INFO]:
        yield f"<details><summary>{len(quiet)} of risk info</summary>"
        yield ""
        yield from _table(quiet)
        yield "</details>"
        yield ""
    for title, values in remarks(skill):
        yield f"- {title}: {', '.join(map(_plain, values))}"
    yield ""


def _table(facts: Sequence[Fact]) -> Iterator[str]:
    """The facts as a table, the highest risk first; nothing without facts."""
    if facts:
        yield "| Risk | What | Value | About it | Places |"
        yield "| --- | --- | --- | --- | --- |"
        yield from map(_row, sorted(facts, key=lambda fact: fact.risk, reverse=True))
        yield ""


def _row(fact: Fact) -> str:
    about = ", ".join([*fact.marks, *([fact.detail] if fact.detail else [])])
    places = ", ".join(map(str, fact.places[:5]))
    more = f" and {len(fact.places) - 5} more" if len(fact.places) > 5 else ""
    cells = (fact.risk.value, TITLES[fact.kind.value], fact.value, about, places + more)
    return f"| {' | '.join(map(_plain, cells))} |"


def _plain(text: str) -> str:
    """A text without any Markdown, on one line."""
    return shown(text).translate(_SIGNS)
