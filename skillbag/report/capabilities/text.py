"""The facts of skills for people: a block for each skill, a line for each fact, the highest risk first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from skillbag.lint.capabilities.changes import CapabilityChange
from skillbag.lint.capabilities.facts import Fact, FactKind, Risk, SkillFacts, TargetFacts
from skillbag.report.capabilities.values import TITLES, FactCountsJson, remarks, title_of
from skillbag.report.columns import aligned, head_or_more, paint
from skillbag.report.folding import PLAIN, Look, folded, folded_row
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted

_STYLES = {Risk.HIGH: "error", Risk.MEDIUM: "warning", Risk.LOW: "note", Risk.INFO: "faint"}
_LONGEST = 60
"""Columns of a value, and of what is said about it; JSON has all of it."""
_MANY = 10
"""Skills from which on a report ends with a list of those of high risk."""
_QUIET = frozenset(("script", "shebang", "fence", "sentence", "pinned"))
"""Marks that the place shows, or that need no word."""


def render(targets: Sequence[TargetFacts], look: Look = PLAIN) -> str:
    """The report on all targets."""
    lines: list[str] = []
    for target in targets:
        for skill in target.skills:
            block = [*_skill(skill, target.root, look)]
            lines += block if len(block) == 1 else [*block, ""]
    skills = [skill for target in targets for skill in target.skills]
    return "".join(f"{line}\n" for line in [*lines, *_risky(targets, look), *folded(_summary(skills), look)])


def _summary(skills: Sequence[SkillFacts]) -> str:
    count, facts, *numbers = FactCountsJson.of(skills)
    words = FactCountsJson._fields[2:]
    risks = ", ".join(f"{number} {word}" for number, word in zip(numbers, words, strict=True) if number)
    around = f", {counted(len(skills) - count, 'plugin or project')} around them" if len(skills) > count else ""
    return f"{counted(count, 'skill')}{around}, {counted(facts, 'fact')}{f': {risks}' if risks else ''}."


def _risky(targets: Sequence[TargetFacts], look: Look) -> Iterator[str]:
    """The skills of high risk with their kinds of facts of that risk, where a report of many skills is long."""
    if sum(len(target.skills) for target in targets) < _MANY:
        return
    rows = []
    for target in targets:
        for skill in target.skills:
            kinds = dict.fromkeys(TITLES[fact.kind.value] for fact in skill.facts if fact.risk is Risk.HIGH)
            if kinds:
                rows.append((shown(title_of(skill, target.root)), ", ".join(kinds)))
    if rows:
        yield "Skills with facts of high risk:"
        for cells in aligned(rows):
            yield from _painted(folded_row(cells, look, "  ", "    "), cells[0].strip(), "path", look)
        yield ""


def _skill(skill: SkillFacts, root: str, look: Look) -> Iterator[str]:
    cells = (shown(title_of(skill, root)), skill.content[:19], *(() if skill.facts else ["no facts"]))
    row = _painted(folded_row(cells, look, "", "  "), cells[0], "path", look)
    yield from _painted(row, cells[1], "faint", look)
    yield from fact_lines([fact for fact in skill.facts if not _is_short(fact)], look, "  ")
    for kind, group in groupby(filter(_is_short, skill.facts), key=lambda fact: fact.kind):
        yield from folded(
            f"{TITLES[kind.value]} (info): {', '.join(shown(f.value) for f in group)}", look, "  ", "    "
        )
    for title, given in remarks(skill):
        yield from folded(f"{title}: {', '.join(map(shown, given))}", look, "  ", "    ")


def _is_short(fact: Fact) -> bool:
    """Whether a fact is only named, in a list: such as `git` among the programs, of which there are dozens."""
    return fact.risk is Risk.INFO and fact.kind in (FactKind.PROGRAM, FactKind.VARIABLE, FactKind.ALLOWED_TOOL)


def fact_lines(facts: Iterable[Fact], look: Look, indent: str) -> Iterator[str]:
    """The facts below the titles of their kinds."""
    facts = tuple(facts)
    cells = aligned(_cells(fact) for fact in facts)
    lines = zip(facts, cells, strict=True)
    for kind, group in groupby(lines, key=lambda line: line[0].kind):
        yield f"{indent}{TITLES[kind.value]}"
        for fact, (risk, *rest) in sorted(group, key=lambda line: line[0].risk, reverse=True):
            row = folded_row((risk, *rest), look, f"{indent}  ", f"{indent}    ")
            yield from _painted(row, fact.risk.value, _STYLES[fact.risk], look)


def _painted(lines: Sequence[str], cell: str, style: str, look: Look) -> list[str]:
    """The lines, with a cell of the first one in a style."""
    return [lines[0].replace(cell, paint(cell, style, look.color), 1), *lines[1:]]


def _cells(fact: Fact) -> tuple[str, ...]:
    """The risk, the value, what is said about it, and the first place of a fact."""
    said = [mark for mark in fact.marks if mark not in _QUIET]
    about = ", ".join([*said, *([fact.detail] if fact.detail else [])])
    more = f" and {len(fact.places) - 1} more" if len(fact.places) > 1 else ""
    values = (_short(fact.value), _short(about), shown(str(fact.places[0])) + more)
    return (fact.risk.value, *values)


def _short(text: str) -> str:
    return head_or_more(shown(text), _LONGEST)


def change_lines(changes: Iterable[CapabilityChange], look: Look = PLAIN) -> Iterator[str]:
    """What skills gain and lose by an installation: of new skills facts of medium risk and above, else all but info."""
    for change in changes:
        name = paint(shown(change.skill), "path", look.color)
        if change.installed:
            yield from _listed(f"{name} can do what the installed version can't:", change.gained, Risk.LOW, look)
            yield from _listed(f"{name} no longer does:", change.lost, Risk.LOW, look)
        else:
            yield from _listed(f"{name}:", change.gained, Risk.MEDIUM, look)


def _listed(title: str, facts: Sequence[Fact], least: Risk, look: Look) -> Iterator[str]:
    """The facts from a risk on below a title, and the number of the others; nothing if there is none."""
    risky = [fact for fact in facts if fact.risk >= least]
    if risky:
        yield title
        yield from fact_lines(risky, look, "  ")
        if rest := len(facts) - len(risky):
            yield f"  and {rest} of lower risk: skillbag capabilities shows them"
