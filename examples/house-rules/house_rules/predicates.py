"""The predicates of our rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.lint.predicates import (
    DocumentProblem,
    Mapping,
    Match,
    NoOptions,
    Predicate,
    Scalar,
    Skill,
    Subject,
    TextEdit,
    TextFile,
    match_at,
)


class Teams(NamedTuple):
    """The options of `house-owner`: a rule file gives `teams: [...]`."""

    teams: tuple[str, ...] = ()


@Predicate("house-owner", Subject.SKILL, values=("reason",), options=Teams)
def owner(skill: Skill, options: Teams) -> Iterator[Match]:
    """Skills whose `metadata.owner` is missing, or is none of the teams."""
    if isinstance(skill.front_matter, DocumentProblem):
        # Another rule reports what can't be read.
        return
    metadata = skill.field("metadata")
    entry = metadata.entry("owner") if isinstance(metadata, Mapping) else None
    if entry is None:
        yield Match(skill.path, values={"reason": "the skill has no owner"})
    elif not isinstance(entry.value, Scalar) or entry.value.value not in options.teams:
        yield match_at(skill.path, entry.value, {"reason": "the owner is none of our teams"})


_SPELLED = re.compile(r"\bGithub\b")


@Predicate("house-spelling", Subject.TEXT, literals=(b"Github",))
def spelling(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """`Github` in Markdown, with a safe fix. It is called only for texts that have one of the literals."""
    if text.language != "markdown":
        return
    path = text.document.path
    for found in _SPELLED.finditer(text.document.text):
        start, end = found.span()
        yield Match(path, start, end, edits=(TextEdit(path, start, end, "GitHub"),))
