"""Whether a skill may run that a context file prohibits: only the conversation can say so (precedence.prohibition)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from skillbag.lifecycle.questions import Question, QuestionKind
from skillbag.lifecycle.tags import NO_TAGS, Tagging, brought_in
from skillbag.standard.declarations import Declarations, Prohibition


def prohibition_questions(
    skills: Iterable[str],
    declarations: Declarations,
    tagging: Tagging = NO_TAGS,
    allowed: Collection[str] = (),
) -> tuple[Question, ...]:
    """The question for each of the `skills` that a context file prohibits, once; `allowed` are those already answered.

    That an agent has chosen a skill is not yet the user's word against their own file. What a tag that holds brings in
    is not asked about: a level that the prohibition does not bind has said so.
    """
    asked = {name: found[0] for name in skills if (found := declarations.prohibited.get(name)) and name not in allowed}
    if not asked:
        return ()
    brought = brought_in(tagging)
    return tuple(_question(name, prohibition) for name, prohibition in asked.items() if name not in brought)


def _question(name: str, prohibition: Prohibition) -> Question:
    return Question(
        QuestionKind.PROHIBITED,
        name,
        f"{prohibition.place.file} prohibits the skill {name}; shall it run all the same, this once?",
        f"--allow {name}",
        "precedence.prohibition",
        place=prohibition.place,
    )
