"""Natural questions to a published collection of skills: is a skill that helps among the first three matches?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from skillbag.marketplace.marketplace import search
from tests.marketplace.markets import add, update
from tests.support import Run

QUESTIONS: dict[str, list[str]] = json.loads(Path(__file__).with_name("questions.json").read_text("utf-8"))
"""Each with the skills that help, of which one is enough."""

ANSWERED = 26


def test_natural_questions_find_the_skill_that_helps(run: Run, corpus: Callable[[str], Path]) -> None:
    add(run, corpus("awesome-skills"), "awesome")
    assert update(run)[0] == 0

    first = {question: {skill.name for skill in search(question, 3).skills} for question in QUESTIONS}
    missed = [question for question, skills in QUESTIONS.items() if first[question].isdisjoint(skills)]

    assert len(QUESTIONS) - len(missed) >= ANSWERED, missed
