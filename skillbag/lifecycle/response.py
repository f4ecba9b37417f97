"""The skills of one response in their order, and what has to be asked first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from skillbag.lifecycle.allowing import prohibition_questions
from skillbag.lifecycle.order import Order, left_out, response_order
from skillbag.lifecycle.questions import Question
from skillbag.lifecycle.refresh import Refresh
from skillbag.lifecycle.settings import Settings
from skillbag.lifecycle.skills import Listed, find_invoked, is_available, listed_names
from skillbag.lifecycle.tags import ALWAYS, LAST, Dropped, effective_tags
from skillbag.workspace.model import Workspace


class Ordered(NamedTuple):
    """An order, and what the session should read again before it relies on it (None outside of a session).

    `questions`: whether chosen skills may run that a context file prohibits; they are not in the order. `left_out`:
    tags that would bring in a skill which a context file prohibits, and which nobody chose.
    """

    order: Order
    pending: Refresh | None
    questions: tuple[Question, ...] = ()
    left_out: tuple[Dropped, ...] = ()


def order_skills(
    workspace: Workspace,
    catalog: Mapping[str, Listed],
    settings: Settings,
    skills: Iterable[str],
    *,
    without: Collection[str] = (),
    allow: Collection[str] = (),
) -> Ordered:
    """The order of a response with these skills; the options are those of `Session.order`."""
    available = partial(is_available, workspace, catalog)
    chosen = [find_invoked(workspace, catalog, skill).name for skill in skills]
    allowed = listed_names(catalog, allow)
    tagging = effective_tags(catalog, settings, without, allowed)
    wanted = [name for name in chosen if name not in tagging.barred]
    questions = prohibition_questions(wanted, settings.declarations, tagging, allowed)
    questioned = {question.about for question in questions}
    order = response_order(tagging, available, [name for name in chosen if name not in questioned])
    # A skill with a question is reported by it.
    reported = questioned.union(step.name for step in order.turns)
    return Ordered(order, None, questions, left_out(tagging, available, reported, (ALWAYS, LAST)))
