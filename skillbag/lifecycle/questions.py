"""What must be asked before anything goes on: the one shape of every question (clauses inputs.ask, resolution.ask)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from skillbag.lifecycle.value import Value
from skillbag.standard.declarations import Place


class QuestionKind(StrEnum):
    """Why it is asked.

    MISSING: a required value is. AMBIGUOUS: a search found several. CONDITION: a value is needed because of another.
    INVALID: a value has the wrong type, or is none of those allowed. CONFIRM: the run is risky with this value, or at
    all. DEPENDENCY: a declared skill is not installed. WINNER: nothing decides between skills that contradict.
    PROHIBITED: a context file prohibits the skill that is to run.
    """

    MISSING = "missing"
    AMBIGUOUS = "ambiguous"
    CONDITION = "condition"
    INVALID = "invalid"
    CONFIRM = "confirm"
    DEPENDENCY = "dependency"
    WINNER = "winner"
    PROHIBITED = "prohibited"


class Question(NamedTuple):
    """A question to the user.

    `about` is the parameter or skill, `text` one sentence, `candidates` the answers to choose from (there may be
    others, or none is known), `answer` how to answer on the command line (`--set format=VALUE`), `clause` why it must
    be asked, `place` where the matter is declared.
    """

    kind: QuestionKind
    about: str
    text: str
    answer: str
    clause: str
    candidates: tuple[Value, ...] = ()
    place: Place | None = None
