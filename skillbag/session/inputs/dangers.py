"""The question about a skill with errors about security: nothing of it is handed out before the user has agreed."""

from __future__ import annotations

import os
import shlex

from skillbag.lint.cache.dangers import find_dangers
from skillbag.session.inputs.questions import Question, QuestionKind

CLAUSE = "security.errors"
_SHOWN = 3
"""Findings that a question names."""


def danger_questions(
    name: str, folder: str, root: str, *, source: str = "", remove: str = "remove"
) -> tuple[Question, ...]:
    """One question if the skill in `folder` has errors about security that the user has not accepted, else none.

    `root` is the workspace. Of a skill that is in none, it is any folder around it, and `source` is the address to run
    it from. `remove` is the command that removes it, empty if nothing has to be removed.

    Raises:
        UserError: the configured cache folder is not an absolute path.
    """
    folder = os.path.realpath(folder)
    found = find_dangers(folder, os.path.realpath(root))
    if not found:
        return ()
    from skillbag.session.inputs.acceptance import accepted_rules

    accepted = accepted_rules(name, folder, None if source else root)
    found = tuple(danger for danger in found if danger.rule not in accepted)
    if not found:
        return ()
    rules = list(dict.fromkeys(danger.rule for danger in found))
    many = f"{len(found)} errors" if len(found) > 1 else "an error"
    places = "; ".join(f"`{each.path}:{each.line}`: {each.message} ({each.rule})" for each in found[:_SHOWN])
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    text = (
        f"{name} is withheld: skillbag check found {many} about security in it: {places}{more}. Do not read or run its "
        f"files. Show this to the user, who alone decides. skillbag explain {rules[0]} says why it matters"
    )
    leaving = f"removes it: skillbag {remove} {name}" if remove else "leaves it"
    run = f"run --source {shlex.quote(source)} {name}" if source else f"run {name}"
    accept = " ".join(f"--accept {rule}" for rule in rules)
    answer = (
        f"the user {leaving}; or reads these places, finds them harmless, and enters on a terminal, where alone it "
        f"counts: skillbag {run} {accept}"
    )
    return (Question(QuestionKind.DANGER, name, text, answer, CLAUSE),)
