"""The question about a skill with errors about security: nothing of it is handed out before the user has agreed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable

from skillbag.lint.cache.dangers import find_dangers
from skillbag.lint.cache.kept_dangers import SkillDanger
from skillbag.session.inputs.questions import Question, QuestionKind

CLAUSE = "security.errors"
_SHOWN = 3
"""Findings that a question names."""


def danger_questions(name: str, folder: str, root: str, *, personal: bool = False) -> tuple[Question, ...]:
    """One question if the skill in `folder` has errors about security that the user has not accepted, else none.

    `root` is the workspace; of a personal skill, any folder around it.

    Raises:
        UserError: the configured cache folder is not an absolute path.
    """
    folder = os.path.realpath(folder)
    found = find_dangers(folder, os.path.realpath(root))
    if not found:
        return ()
    from skillbag.session.inputs.acceptance import accepted_rules

    accepted = accepted_rules(name, folder, None if personal else root)
    found = tuple(danger for danger in found if danger.rule not in accepted)
    return (_question(name, found, folder if personal else ""),) if found else ()


def _question(name: str, found: tuple[SkillDanger, ...], personal: str) -> Question:
    rules = list(dict.fromkeys(danger.rule for danger in found))
    many = f"{len(found)} errors" if len(found) > 1 else "an error"
    places = "; ".join(f"`{each.path}:{each.line}`: {each.message} ({each.rule})" for each in found[:_SHOWN])
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    text = (
        f"{name} is withheld: skillbag check found {many} about security in it: {places}{more}. Do not read or run its "
        f"files. Show this to the user, who alone decides. skillbag explain {rules[0]} says why it matters"
    )
    return Question(QuestionKind.DANGER, name, text, _answer(name, rules, personal), CLAUSE)


def _answer(name: str, rules: Iterable[str], personal: str) -> str:
    run = f"run --source {shlex.quote(personal)} {name}" if personal else f"run {name}"
    accept = " ".join(f"--accept-rule {rule}" for rule in rules)
    remove = "agent personal remove" if personal else "remove"
    return (
        f"the user removes it: skillbag {remove} {name}; or reads these places, finds them harmless, and enters on a "
        f"terminal, where alone it counts: skillbag {run} {accept}"
    )
