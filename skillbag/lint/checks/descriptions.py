"""Descriptions by which no agent can choose: vague ones, those in the first person, and those that do not say when.

Source: the guidance of the Agent Skills format: a description says what a skill does and when to use it, in the third
person, because it becomes part of the agent's own instructions. Words are compared as they are: no expression is
compiled for a check that finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short

_WHEN = (
    "when", "while", "before", "after", "during", "if ", "once ", "upon", "trigger", "invoke", "asks", "asked",
    "mention", "use this", "use it", "use for", "use to", "used for", "used to", "useful", "cases", "situations",
    "scenario", "needs", "need to", "wants", "proactively", "best for", "ideal for", "designed for", "intended for",
    "applies to", "keyword", "activate", "#run/",
)  # fmt: skip
"""Signs of an occasion; also within words, so that a doubtful description passes."""
_ENGLISH = (" the ", " and ", " for ", " with ", " of ", " to ", " in ", " a ", " by ")
_LEAST_WORDS = 6
"""Words from which on a description could have said when; a shorter one is a title."""
_MAX_WORDS = 8
_NOTHING = frozenset((
    "true", "false", "yes", "no", "none", "null", "n/a", "na", "-", "...", "test", "description", "a description",
    "skill", "a skill", "my skill", "this skill", "new skill", "a new skill", "useful skill", "a useful skill",
    "helpful skill", "a helpful skill", "untitled", "example", "stuff",
))  # fmt: skip
_OPENINGS = (
    "help ", "helps ", "helper ", "helpful ", "assist ", "assists ", "useful ", "handles ", "works with ",
    "deals with ", "does ", "a skill ", "this skill ", "skill for ", "tools for ", "a tool for ", "tool for ",
    "utilities for ", "utility for ", "various ", "miscellaneous ", "misc ", "general ", "processes data",
    "processes files",
)  # fmt: skip
_FIRST = (
    *("I ", "I'm ", "I’m ", "I'll ", "I’ll ", "I've ", "We ", "We'll ", "My job ", "Let me "),
    *("You can use ", "You can ask "),
)
_FURTHER = (*[f". {words}" for words in _FIRST], "I can help", "I will help", "I help ", " to help me ")
_QUOTES = '"“”‘「『`'


def _says_when(text: str) -> bool:
    return any(sign in text for sign in _WHEN)


@Predicate("no-when", Subject.SKILL)
def no_when(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A description in English that says what the skill does, but not when to use it."""
    description = skill.description
    if description is None or not description.value:
        return ()
    text = f" {description.value.lower()} "
    if _says_when(text) or not text.isascii() or len(text.split()) < _LEAST_WORDS:
        return ()
    if not any(word in text for word in _ENGLISH):
        return ()
    return (match_at(skill.path, description),)


@Predicate("vague-description", Subject.SKILL, values=("text",))
def vague_description(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A short description without a subject: `Helps with documents`."""
    description = skill.description
    if description is None or len(description.value) > 80:
        return ()
    text = description.value.lower().strip(" .!")
    opens = text.startswith(_OPENINGS) and len(text.split()) <= _MAX_WORDS and not _says_when(text.partition(" ")[2])
    if not opens and text not in _NOTHING:
        return ()
    return (match_at(skill.path, description, {"text": short(description.value.strip())}),)


@Predicate("first-person", Subject.SKILL, values=("text",))
def first_person(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A description that speaks as the agent, or to its reader: `I can help you`, `You can use this to`."""
    description = skill.description
    text = description.value if description else ""
    if description is None or not (text.startswith(_FIRST) or any(words in text for words in _FURTHER)):
        return ()
    said = next((phrase for at in _places(text) if (phrase := _phrase(text, at))), "")
    return (match_at(skill.path, description, {"text": said}),) if said else ()


def _places(text: str) -> Iterable[int]:
    if text.startswith(_FIRST):
        yield 0
    for words in _FURTHER:
        at = text.find(words)
        if at >= 0:
            yield at + len(words) - len(words.lstrip(". "))


def _phrase(text: str, at: int) -> str:
    """The words from `at` on; none where they are quoted, or `I` is a numeral or a part of a name."""
    near = text[max(0, at - 80) : at]
    quoted = any(mark in near for mark in _QUOTES) or " '" in near
    words = text[at:].split()[:4]
    return "" if quoted or len(words) < 3 or not words[1][0].islower() else short(" ".join(words))
