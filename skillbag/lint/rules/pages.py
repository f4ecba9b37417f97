"""The page about a rule in the documentation and in `skillbag explain`, made from its file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from skillbag.lint.rules.general_fix import general_fix
from skillbag.lint.rules.model import Clause, Rule
from skillbag.lint.rules.readings import PAGE, StandardReading, readings_of
from skillbag.lint.rules.written import RuleExample, WrittenRule

_FENCES = {"md": "markdown", "yaml": "yaml", "yml": "yaml", "json": "json", "py": "python", "sh": "sh", "toml": "toml"}
_SHOWN = 2
"""Examples of each kind on a page; the rule's file has all."""
_LONG, _HEAD, _WIDE, _FILES = 30, 12, 160, 3
"""Longer texts show their first lines; longer lines their beginning; of more files, the first ones are shown."""


def render_page(written: WrittenRule, rule: Rule, clauses: Iterable[Clause]) -> str:
    """The Markdown page of a rule: its file with examples, effective level, options with defaults, and clause."""
    gist = next((clause.gist for clause in clauses if clause.id == rule.clause), None)
    return "\n".join(_page(written, rule, gist)).rstrip() + "\n"


def reading_lines(reading: StandardReading) -> Iterator[str]:
    """A reading in a few lines."""
    yield f"{reading.title}{' (an extension)' if reading.extension else ''}: {reading.point}"
    yield f"  Read as: {reading.reading}"
    yield f"  Reason: {reading.reason}"
    yield f"  Effect: {reading.effect}"


def _page(written: WrittenRule, rule: Rule, gist: str | None) -> Iterator[str]:
    yield from (f"# {rule.id}", "", rule.summary, "")
    clause = f"`{rule.clause}`: {gist}" if rule.clause else "none: good practice beyond the standard"
    yield f"- Clause: {clause}"
    if read := readings_of([rule.clause] if rule.clause else []):
        yield f"- How it is read: {', '.join(f'[{each.title}]({PAGE}#{each.id})' for each in read)}"
    yield f"- Level: {rule.level.value}{' (a heuristic: it may be wrong)' if rule.heuristic else ''}"
    if raised := written.raised:
        yield f"- {raised.level.value.capitalize()} where {raised.when}"
    if plain := written.plain:
        stronger = "; {level} where {when}".format(**plain["raised"]) if "raised" in plain else ""
        yield f"- In plain skills, by the Agent Skills format: {plain['level']}{stronger}"
    if rule.roles:
        yield f"- Level by role: {', '.join(_by_role(rule))}"
    yield f"- Family: {rule.family}; checked in: {', '.join(written.targets)}"
    if rule.sign:
        yield f"- A sign of {rule.sign.replace('-', ' ')}: an error beside a warning that is a sign of something else"
    if rule.owasp:
        yield f"- OWASP Agentic Skills Top 10: {', '.join(rule.owasp)}"
    if rule.once:
        yield "- Reported once for each target and message, at the first place, with the number of files"
    yield f"- On by default: {'yes' if rule.default else 'no'}"
    yield ""
    yield from _examples("## Fails", written.examples.fail[:_SHOWN])
    yield from _examples("## Passes", written.examples.pass_[:_SHOWN])
    yield from ("## Why", "", rule.why.rstrip(), "")
    if fix := rule.fix and general_fix(rule.fix):
        yield from ("## What to do", "", fix, "")
    if options := rule.options._asdict():
        yield from ("## Options", "")
        yield from (f"- `{name.replace('_', '-')}`: {_value(value)}" for name, value in options.items())


def _by_role(rule: Rule) -> Iterator[str]:
    return (f"`{role}` {level.value if level else 'none'}" for role, level in rule.roles.items())


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value) or "nothing"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _examples(title: str, examples: Iterable[RuleExample]) -> Iterator[str]:
    yield from (title, "")
    for example in examples:
        if example.title:
            yield from (f"### {example.title[0].upper()}{example.title[1:]}", "")
        for name, text in list(example.files.items())[:_FILES]:
            longest = max(map(len, re.findall("`+", text)), default=0)
            fence = "`" * max(3, longest + 1)
            language = _FENCES.get(name.rpartition(".")[2], "text")
            yield from (f"`{name}`", "", f"{fence}{language}", _cut(text), fence, "")
        if (more := len(example.files) - _FILES) > 0:
            yield from (f"And {more} more {'files' if more > 1 else 'file'}.", "")
        for name in example.bytes_:
            yield from (f"`{name}` holds bytes that a page can't show.", "")
        for name, named in example.links.items():
            yield from (f"`{name}` is a link to `{named}`.", "")
        if example.expect:
            yield from (f"Reported at {', '.join(f'`{place}`' for place in example.expect)}.", "")


def _cut(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    shown = [*lines[:_HEAD], "…"] if len(lines) > _LONG else lines
    return "\n".join(line if len(line) <= _WIDE else f"{line[:_WIDE]}…" for line in shown)
