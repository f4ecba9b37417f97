"""The questions about the inputs of a skill that must be answered before it runs (clause inputs.ask)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Level, Place
from skillbag.session.inputs.discovery import BUDGET
from skillbag.session.inputs.interface import Condition, DeclaredParameter, Interface
from skillbag.session.inputs.levels import Candidate, Candidates
from skillbag.session.inputs.questions import Question, QuestionKind
from skillbag.session.persistence.redaction import redacted
from skillbag.session.settings.value import Value, holder, is_among, short

CONFIRM = "confirm"
"""The name by which a conversation accepts risks, unless the skill has such a parameter."""

MAX_CANDIDATES = 20
"""The number of found files that a question shows."""


class InputPrompter(NamedTuple):
    """A skill with the effective `values` of all its parameters, and the risks that the user has accepted."""

    interface: Interface
    values: Mapping[str, Value]
    confirmed: frozenset[str]

    def is_needed(self, parameter: DeclaredParameter) -> bool:
        """Whether it must have a value: always, or because of other values (clause inputs.conditional)."""
        conditions = parameter.required_if
        return parameter.required or (bool(conditions) and all(map(self._is_met, conditions)))

    def about(self, parameter: DeclaredParameter, candidates: Candidates) -> Iterator[Question]:
        """At most one question about a parameter; the next one comes when it is answered."""
        effective = candidates.effective
        if effective is None and (candidates.found or not candidates.is_searched):
            yield self._which(parameter, candidates)
        elif (effective is None or effective.value.is_blank) and self.is_needed(parameter):
            yield self._missing(parameter, candidates)
        elif effective and (fault := _fault(parameter, effective.value)):
            text = f"{parameter.name} is {_offer(parameter, effective)}, which is {fault}; which value should it have?"
            question = _about(parameter, QuestionKind.INVALID, text, "inputs.report-kind", _choices(parameter))
            yield question._replace(place=effective.place or parameter.place)
        elif effective and self._is_risky(parameter, effective.value):
            text = f"{self._skill} asks before it runs with {parameter.name} = {_offer(parameter, effective)}; go on?"
            yield _confirm(parameter.name, text, parameter.place)

    def about_skill(self) -> Iterator[Question]:
        """The question whether to run at all, where the skill says that it asks first."""
        if self.interface.risk and self._skill not in self.confirmed:
            text = f"{self._skill} asks before it runs: {' '.join(self.interface.risk.split())}; go on?"
            yield _confirm(self._skill, text, self.interface.risk_place)

    @property
    def _skill(self) -> str:
        return self.interface.skill

    def _is_met(self, condition: Condition) -> bool:
        value = self.values.get(condition.name)
        return value is not None and not value.is_blank and _is_any(value, condition.values)

    def _is_risky(self, parameter: DeclaredParameter, value: Value) -> bool:
        is_open = parameter.confirm is not None and parameter.name not in self.confirmed
        return is_open and _is_any(value, parameter.confirm or ())

    def _which(self, parameter: DeclaredParameter, candidates: Candidates) -> Question:
        patterns = short(" or ".join(parameter.discover))
        if candidates.is_searched:
            text = f"{len(candidates.found)} files match {patterns}; which one is {parameter.name}?"
        else:
            text = f"the search for {patterns} ended after {BUDGET:,} entries; which file is {parameter.name}?"
        shown = candidates.found[:MAX_CANDIDATES]
        return _about(parameter, QuestionKind.AMBIGUOUS, text, "inputs.ask", shown)

    def _missing(self, parameter: DeclaredParameter, candidates: Candidates) -> Question:
        why = "" if parameter.required else f" since {self._conditions(parameter)}"
        described = f" ({short(parameter.description)})" if parameter.description.strip() else ""
        text = f"{self._skill} needs {parameter.name}{described}{why}, and {_missing_reason(parameter, candidates)}"
        if parameter.required:
            return _about(parameter, QuestionKind.MISSING, text, "inputs.required", _choices(parameter))
        return _about(parameter, QuestionKind.CONDITION, text, "inputs.conditional", _choices(parameter))

    def _conditions(self, parameter: DeclaredParameter) -> str:
        # Their levels are unknown here; that of the conversation hides the most.
        values = (
            (condition.name, redacted(condition.name, self.values[condition.name], Level.CONVERSATION))
            for condition in parameter.required_if
        )
        return " and ".join(f"{name} is {value.short}" for name, value in values)


def _is_any(value: Value, values: tuple[Value, ...]) -> bool:
    """Whether the value is or contains one of the `values`; no values stand for any."""
    return not values or any(map(holder(value), values))


def _about(
    parameter: DeclaredParameter, kind: QuestionKind, text: str, clause: str, candidates: tuple[Value, ...]
) -> Question:
    answer = f"--set {shlex.quote(f'{parameter.name}=VALUE')}"
    return Question(kind, parameter.name, text, answer, clause, candidates, parameter.place)


def _offer(parameter: DeclaredParameter, candidate: Candidate) -> str:
    return redacted(parameter.name, candidate.value, candidate.level).short


def _missing_reason(parameter: DeclaredParameter, candidates: Candidates) -> str:
    if candidates.effective:
        return f"what {candidates.effective.place or 'the conversation'} gives is blank"
    dropped = next((candidate for candidate in candidates.hidden if candidate.dropped), None)
    if dropped:
        return f"{_offer(parameter, dropped)} ({dropped.place or dropped.level.label}) is {dropped.dropped}"
    return "nothing gives a value"


def _confirm(about: str, text: str, place: Place | None) -> Question:
    answer = f"--set {shlex.quote(f'{CONFIRM}={about}')}"
    return Question(QuestionKind.CONFIRM, about, text, answer, "inputs.ask", place=place)


def _fault(parameter: DeclaredParameter, value: Value) -> str:
    """What is wrong with a value, in words that follow "is"; empty if it is allowed. Blank text counts as no value."""
    if value.is_blank:
        return ""
    kind = next(name for name, (types, _) in _KINDS.items() if isinstance(value.value, types))
    if parameter.type not in (None, kind):
        return f"{_KINDS[kind][1]}, not {_KINDS[parameter.type or kind][1]}"
    if parameter.values and not is_among(value, parameter.values):
        return "not one of its allowed values"
    return ""


_KINDS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "string": (str, "text"),
    "boolean": (bool, "true or false"),
    "number": ((int, float), "a number"),
    "list": (list, "a list (such as `[a, b]`)"),
    "mapping": (object, "a mapping"),
}
"""By type, the Python type and its description. The first one that fits counts: in Python, True is also a number."""


def _choices(parameter: DeclaredParameter) -> tuple[Value, ...]:
    """The possible answers, if they are known."""
    return parameter.values or (_TRUTHS if parameter.type == "boolean" else ())


_TRUTHS = (Value(True, "true"), Value(False, "false"))
