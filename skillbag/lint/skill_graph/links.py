"""Links from one skill's texts to another skill's files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile, text_files
from skillbag.lint.checks.path_resolution import Locator, PathStatus, is_sample, read_climb, read_written
from skillbag.lint.checks.prefilter import glance_at

_EXISTS = (PathStatus.FOUND, PathStatus.LEAVES_SKILL)


def linked_skills(skill: Skill, ids: Mapping[str, str]) -> Iterator[str]:
    """The ids of the other skills that links of a skill's Markdown lead to; `ids` are those by absolute folder."""
    for text in text_files(skill):
        if isinstance(text, TextFile) and text.language == "markdown" and not is_sample(text.relative):
            for path in _targets(text):
                folder = os.path.dirname(path)
                while len(folder) >= len(skill.root) and folder not in ids:
                    folder = os.path.dirname(folder)
                if folder in ids and folder != skill.directory:
                    yield ids[folder]


def _targets(text: TextFile) -> Iterator[str]:
    """The absolute places outside of the skill that a text's links lead to."""
    glance = glance_at(text)
    known = text.skill.paths if text.skill else frozenset[str]()
    locator = Locator(text)
    for target in sorted(_links(text) if glance.odd else glance.targets - known):
        written = read_written(target)
        path = written.path if written else read_climb(target)
        if path and path not in known:
            place = locator.near(path)
            if place.kind in _EXISTS:
                yield place.path


def _links(text: TextFile) -> frozenset[str]:
    return frozenset(link.target for link in text.markdown.links)
