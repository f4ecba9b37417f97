"""What must be asked before work goes on: the shape of every question, and the question about a prohibited skill."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Declarations, Place
from skillbag.session.settings.effective_settings import NO_TAGS, Tagging, brought_in
from skillbag.session.settings.value import Value


class QuestionKind(StrEnum):
    """Why it is asked.

    MISSING: a required parameter has no value. AMBIGUOUS: a search found several values. CONDITION: another value makes
    a parameter required. INVALID: a value has the wrong type or is not allowed. CONFIRM: the skill or a value needs
    confirmation. DEPENDENCY: a declared skill is not installed. WINNER: no rule decides between contradicting skills.
    PROHIBITED: a context file prohibits the skill. PERMISSION: an active skill needs permissions. DANGER: the skill has
    errors about security.
    """

    MISSING = "missing"
    AMBIGUOUS = "ambiguous"
    CONDITION = "condition"
    INVALID = "invalid"
    CONFIRM = "confirm"
    DEPENDENCY = "dependency"
    WINNER = "winner"
    PROHIBITED = "prohibited"
    PERMISSION = "permission"
    DANGER = "danger"


class Question(NamedTuple):
    """A question to the user (clauses inputs.ask, resolution.ask).

    `about` is the parameter or skill, `text` one sentence, `candidates` the known answers, `answer` how to answer on
    the command line (`--set format=VALUE`), `clause` why it must be asked, `place` where the matter is declared.
    """

    kind: QuestionKind
    about: str
    text: str
    answer: str
    clause: str
    candidates: tuple[Value, ...] = ()
    place: Place | None = None


def prohibition_questions(
    skills: Iterable[str], declarations: Declarations, tagging: Tagging = NO_TAGS, allowed: Collection[str] = ()
) -> tuple[Question, ...]:
    """A question for each of the `skills` that a context file prohibits and that is not among the `allowed`.

    Only the conversation can allow it (clause precedence.prohibition); that an agent chose the skill is not enough. A
    skill that an effective tag brings in needs no question: the tag's level is not bound by the prohibition.
    """
    blocked = {
        name: found[0] for name in skills if (found := declarations.prohibited.get(name)) and name not in allowed
    }
    brought = brought_in(tagging.tags) if blocked else ()
    return tuple(
        Question(
            QuestionKind.PROHIBITED,
            name,
            f"{prohibition.place.file} prohibits the skill {name}; shall it run all the same, this once?",
            f"--allow {name}",
            "precedence.prohibition",
            place=prohibition.place,
        )
        for name, prohibition in blocked.items()
        if name not in brought
    )
