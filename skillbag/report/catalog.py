"""The catalog in the report of an entry: each skill with the tags that hold, whatever is left out for length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.summary import TAG
from skillbag.report.sanitize import shown
from skillbag.session.settings.effective_settings import Tagging
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.skills.effective_tags import effective_tags
from skillbag.session.skills.skills import CatalogSkill

WHOLE, LARGEST = 24_000, 60_000
"""Characters of a catalog that is repeated in full, and of one whose descriptions are shortened to when to use them."""

_LEAST = 40
"""Characters of what a skill does, before when to use it; fewer say nothing."""

_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=\S)")
_WHEN = re.compile(r"\b(?:use[ds]?\b|when(?:ever)?\b|trigger|invoke|activate)", re.IGNORECASE)


def described(skill: CatalogSkill, tagging: Tagging) -> str:
    """The description with the tags that hold: those that were removed are gone, and added ones stand at its end."""
    held = tagging.texts(skill.name)
    own = {match[0] for match in TAG.finditer(skill.description)}
    if own == set(held):
        return skill.description
    kept = TAG.sub(lambda match: match[0] if match[0] in held else "", skill.description).split()
    return " ".join([*kept, *(tag for tag in held if tag not in own)])


def described_skills(workspace: Workspace, listed: Mapping[str, CatalogSkill]) -> Mapping[str, CatalogSkill]:
    """The listed skills, described with the tags that hold; as the catalog has them if a context file is malformed."""
    try:
        tagging = effective_tags(listed, read_settings(workspace))
    except UserError:
        return listed
    return {name: skill._replace(description=described(skill, tagging)) for name, skill in listed.items()}


class _Line(NamedTuple):
    """A skill: what it does, and what is never cut of its description: when to use it, and its tags."""

    name: str
    does: str
    kept: str
    is_tagged: bool

    @classmethod
    def of(cls, name: str, description: str) -> _Line:
        tags = [match[0] for match in TAG.finditer(description)]
        does = " ".join(word for word in description.split() if word not in tags)
        sentences = _SENTENCE.split(does)
        at = next((at for at, sentence in enumerate(sentences) if _WHEN.search(sentence)), len(sentences))
        kept = " ".join([*sentences[at:], *tags]).strip()
        return cls(name, " ".join(sentences[:at]), kept, bool(tags))

    def text(self, most: int) -> str:
        """The line with at most so many characters of what the skill does."""
        does = self.does if len(self.does) <= most else f"{self.does[:most].rstrip()} …" if most >= _LEAST else "…"
        return shown(f"{self.name}: {' '.join(filter(None, (does, self.kept)))}")


def catalog_lines(skills: Sequence[CatalogSkill], tagging: Tagging, rest: str) -> Iterator[str]:
    """A line for each skill; of very many what they do is cut alike, but neither when to use them nor their tags.

    Of a catalog that is too long even so, the skills with tags have lines, then as many as there is room for; the
    others are named. `rest` says where the whole descriptions are.
    """
    texts = [(skill.name, described(skill, tagging)) for skill in skills]
    if _length(whole := [shown(f"{name}: {text}") for name, text in texts]) <= WHOLE:
        yield from whole
        return
    lines = [_Line.of(name, text) for name, text in texts]
    room = WHOLE - sum(len(line.name) + len(line.kept) + 4 for line in lines)
    short = [line.text(max(room // len(lines), 0 if line.kept else _LEAST)) for line in lines]
    left = LARGEST - _length(text for line, text in zip(lines, short, strict=True) if line.is_tagged)
    others: list[str] = []
    for line, text in zip(lines, short, strict=True):
        left -= 0 if line.is_tagged else len(text) + 1
        if line.is_tagged or left >= 0:
            yield text
        else:
            others.append(line.name)
    yield from _named(others)
    yield f"(descriptions are shortened here to when to use a skill; {rest})"


def _named(names: Sequence[str]) -> Iterator[str]:
    """The names alone, as far as there is room, and the number of the others."""
    fitting = 0
    length = 0
    while fitting < len(names) and (length := length + len(names[fitting]) + 2) <= WHOLE:
        fitting += 1
    if fitting:
        yield f"By name only: {', '.join(names[:fitting])}"
    if more := len(names) - fitting:
        yield f"… and {more:,} more"


def _length(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)
