"""Natural questions to a published collection of skills: is a skill that helps among the first three matches?

Each file has thirty questions with the skills that help, of which one is enough. Those of the second file avoid the
words of the descriptions; those of the third do so, too, and were written before the words of `vocabulary.py` were.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.agents.marketplace.marketplace import search
from tests.agents.marketplace.markets import add, update
from tests.support import Run

ANSWERED = {"questions": 28, "questions_other_words": 26, "questions_held_out": 24}


@pytest.fixture
def published(run: Run, corpus: Callable[[str], Path]) -> None:
    add(run, corpus("awesome-skills"), "awesome")
    assert update(run)[0] == 0


@pytest.mark.usefixtures("published")
def test_natural_questions_find_the_skill_that_helps() -> None:
    for name, answered in ANSWERED.items():
        questions: dict[str, list[str]] = json.loads(Path(__file__).with_name(f"{name}.json").read_text("utf-8"))
        began = time.process_time()
        first = {question: {skill.name for skill in search(question, 3).skills} for question in questions}
        taken = time.process_time() - began
        missed = [question for question, skills in questions.items() if first[question].isdisjoint(skills)]

        assert len(questions) == 30
        assert len(questions) - len(missed) >= answered, missed
        # A tenth of it is what they take.
        assert taken < 6
