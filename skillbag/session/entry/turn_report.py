"""A turn as values: what the conversation says, and what to do before the response."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from skillbag.session.refresh.refresh import Refresh

if TYPE_CHECKING:
    # A turn before which nothing changed needs none of it.
    from skillbag.session.entry.entry import EntryReport
    from skillbag.session.entry.free_text import Prose
    from skillbag.session.entry.invocation import Invocation
    from skillbag.session.inputs.questions import Question
    from skillbag.session.order.order import Order
    from skillbag.session.settings.effective_settings import Dropped, EffectiveSetting, Tagging
    from skillbag.session.skills.skills import CatalogSkill


class TurnRequest(NamedTuple):
    """What the conversation says: the chosen skills, values for their parameters, skills that it rules out or allows.

    The values are for each skill of the turn that has such a parameter.
    """

    skills: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    prohibits: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    incomplete: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the conversation says nothing."""
        return not any(self)


TURN = TurnRequest()
"""A turn for which nothing was chosen."""


class TurnReport(NamedTuple):
    """What to do before a response. Without an `order` nothing changed and nothing was chosen: as in the turn before.

    `entry`: the report of the entry, where the session had not entered. `refresh`: what changed. `prose`, `stated`: the
    text and the statements of context files, where one changed. `catalog`: skills that are new there or described
    anew, with their tags in `tagging`. `runs`: the skills of the order whose text is new or changed, that have
    questions, or that were chosen. `known`: those whose text the session has. `reread`: changed skills that the session
    has read and that do not run now. `prohibited`: questions about prohibited skills.
    """

    session: str
    entry: EntryReport | None
    refresh: Refresh
    order: Order | None = None
    runs: tuple[Invocation, ...] = ()
    known: frozenset[str] = frozenset()
    reread: tuple[Invocation, ...] = ()
    prose: tuple[Prose, ...] = ()
    stated: tuple[EffectiveSetting, ...] = ()
    catalog: tuple[CatalogSkill, ...] = ()
    tagging: Tagging | None = None
    prohibited: tuple[Question, ...] = ()
    left_out: tuple[Dropped, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """What must be asked first, each once."""
        missing = self.entry.missing_questions if self.entry else ()
        found = [*missing, *self.prohibited]
        found += (question for run in self.runs for question in run.questions if question not in missing)
        return tuple(found)
