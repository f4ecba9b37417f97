"""States: which may follow which, and the events of each change."""

from __future__ import annotations

import pytest

from skillbag.runtime.states import TRANSITIONS, EventKind, InvalidTransitionError, SkillState, transition
from tests.rows import each_row

INACTIVE, ACTIVATING, ACTIVE, ERROR = SkillState


def test_the_transitions_are_those_of_the_specification() -> None:
    assert {(before, after) for before, all_after in TRANSITIONS.items() for after in all_after} == {
        (INACTIVE, ACTIVATING),
        (ACTIVATING, ACTIVE),
        (ACTIVATING, ERROR),
        (ACTIVE, INACTIVE),
        (ACTIVE, ERROR),
        (ERROR, INACTIVE),
    }


@each_row("before", SkillState)
@each_row("after", SkillState)
def test_every_other_transition_is_refused(before: SkillState, after: SkillState) -> None:
    if after in TRANSITIONS[before]:
        assert transition("a", before, after)[0].after is after
    else:
        with pytest.raises(InvalidTransitionError, match=f"^invalid state transition from {before.title()} to"):
            transition("a", before, after)


def test_the_message_has_the_words_of_the_specification() -> None:
    with pytest.raises(InvalidTransitionError) as caught:
        transition("a", ACTIVE, ACTIVATING)
    assert str(caught.value) == "invalid state transition from Active to Activating"


@each_row(
    ("before", "after", "kinds"),
    [
        (INACTIVE, ACTIVATING, ["skill:state_changed"]),
        (ACTIVATING, ACTIVE, ["skill:state_changed", "skill:activated"]),
        (ACTIVE, INACTIVE, ["skill:state_changed", "skill:deactivated"]),
        (ACTIVATING, ERROR, ["skill:state_changed", "skill:error"]),
        (ACTIVE, ERROR, ["skill:state_changed", "skill:error"]),
        (ERROR, INACTIVE, ["skill:state_changed"]),
    ],
)
def test_each_change_has_its_events_in_order(before: SkillState, after: SkillState, kinds: list[str]) -> None:
    events = transition("a", before, after, "because")
    assert [event.kind for event in events] == kinds
    assert all((e.skill, e.before, e.after, e.reason) == ("a", before, after, "because") for e in events)


def test_an_event_names_its_kind() -> None:
    assert transition("a", ACTIVATING, ERROR, "no file")[1].kind is EventKind.ERROR
