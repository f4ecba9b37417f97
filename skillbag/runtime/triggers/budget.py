"""The prompt budget: which skills' fragments a host's prompt takes, and how much of each (skill runtime, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from skillbag.runtime.errors import NotFoundError
from skillbag.runtime.skill import FoundSkill, SkillSource
from skillbag.runtime.triggers.prompts import count_tokens, cut, fragment_text, header
from skillbag.runtime.triggers.triggers import Scored

_WEIGHT_INLINE = 50
_WEIGHTS: Mapping[SkillSource, int] = {
    SkillSource.BUILTIN: 40,
    SkillSource.BUNDLED: 35,
    SkillSource.USER: 30,
    SkillSource.PROJECT: 20,
    SkillSource.CONFIGURED: 15,
    SkillSource.MCP: 10,
}

_SHORTEST = 20
"""Characters of a description below which the index has names alone."""


class Budget(NamedTuple):
    """Tokens of all fragments and of one, and characters of the index of descriptions."""

    total: int = 8000
    skill: int = 2000
    descriptions: int = 8192


DEFAULT_BUDGET: Budget = Budget()


class Inclusion(StrEnum):
    """How much of a fragment the prompt takes."""

    INCLUDED = "included"
    TRUNCATED = "truncated"
    EXCLUDED = "excluded"


class Fragment(NamedTuple):
    """What the prompt takes of a skill. `wanted` are the tokens of its whole fragment, `tokens` those of `text`.
    `reason` says why it is excluded, if that is not for want of tokens."""

    skill: str
    inclusion: Inclusion
    text: str
    tokens: int
    wanted: int
    reason: str = ""


def allot(activated: Iterable[Scored], budget: Budget = DEFAULT_BUDGET) -> tuple[Fragment, ...]:
    """The fragments of activated skills in the order in which they get tokens: by score, source, then name.

    Skills without a prompt are left out. A file that can't be read excludes its skill alone.
    """
    left, fragments = budget.total, []
    for item in sorted(activated, key=_rank):
        fragment = _fragment(item.skill, budget.skill, left)
        if fragment is not None:
            left -= fragment.tokens
            fragments.append(fragment)
    return tuple(fragments)


def _rank(item: Scored) -> tuple[int, int, str]:
    skill = item.skill
    return -item.score.total, -(_WEIGHT_INLINE if skill.inline else _WEIGHTS[skill.source]), skill.name


def _fragment(skill: FoundSkill, most: int, left: int) -> Fragment | None:
    try:
        text = fragment_text(skill, most)
    except NotFoundError as error:
        return Fragment(skill.name, Inclusion.EXCLUDED, "", 0, 0, str(error))
    if not text:
        return None
    wanted = count_tokens(text)
    if wanted <= min(most, left):
        return Fragment(skill.name, Inclusion.INCLUDED, text, wanted, wanted)
    taken = cut(text, min(most, left))
    if len(taken) <= len(header(skill.directory)):
        # A header without instructions is of no use.
        return Fragment(skill.name, Inclusion.EXCLUDED, "", 0, wanted)
    return Fragment(skill.name, Inclusion.TRUNCATED, taken, count_tokens(taken), wanted)


def description_index(skills: Iterable[FoundSkill], most: int = DEFAULT_BUDGET.descriptions) -> str:
    """The names and descriptions of skills, a line each, for a prompt that lets a model choose.

    It has at most `most` characters, but the lines of built-in skills are there in any case and whole. The other
    descriptions are shortened alike, and left out where they would be shorter than 20 characters; names that do not fit
    are counted.
    """
    ordered = sorted(skills, key=lambda skill: (-_WEIGHTS[skill.source], skill.name))
    builtin = [_line(skill) for skill in ordered if skill.source is SkillSource.BUILTIN]
    others = [skill for skill in ordered if skill.source is not SkillSource.BUILTIN]
    left = most - sum(map(len, builtin))
    return "".join(builtin) + _fitted(others, left)


def _line(skill: FoundSkill, most: int | None = None) -> str:
    text = " ".join(skill.manifest.description.split())
    if most is not None and len(text) > most:
        text = f"{text[: most - 1].rstrip()}…"
    return f"- {skill.name}: {text}\n"


def _fitted(skills: Sequence[FoundSkill], left: int) -> str:
    """The lines of skills in at most `left` characters."""
    lines = [_line(skill) for skill in skills]
    if sum(map(len, lines)) <= left:
        return "".join(lines)
    frame = sum(len(skill.name) + len("- : \n") for skill in skills)
    each = (left - frame) // len(skills)
    if each >= _SHORTEST:
        return "".join(_line(skill, each) for skill in skills)
    return _names(skills, left)


def _names(skills: Sequence[FoundSkill], left: int) -> str:
    lines = [f"- {skill.name}\n" for skill in skills]
    if sum(map(len, lines)) <= left:
        return "".join(lines)
    shown, used = 0, len(f"- and {len(lines)} more\n")
    while used + len(lines[shown]) <= left:
        used += len(lines[shown])
        shown += 1
    return "".join(lines[:shown]) + f"- and {len(lines) - shown} more\n" if used <= left else ""
