"""Which of several skills that contradict each other wins (Resolution of the standard, skill conflicts)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.declarations import Level, Place
from skillbag.session.inputs.interface import ASK_FIRST, Interface
from skillbag.session.inputs.questions import Question, QuestionKind
from skillbag.session.settings.settings import ConflictResolution, SessionSettings
from skillbag.session.settings.value import typed


class NoConflictError(UserError):
    """There is nothing to decide between the skills as they were given; the message says why."""


class Winner(NamedTuple):
    """The winner and what decides; `level` is None for the order of names. With a question there is no winner.

    `hidden` are rules about the same skills that a stronger one overrides. `ask_first` says what to ask where the names
    decide and a skill declares nothing about risk.
    """

    skills: tuple[str, ...]
    winner: str | None
    level: Level | None
    place: Place | None
    why: str
    hidden: tuple[ConflictResolution, ...] = ()
    question: Question | None = None
    ask_first: str = ""


_LEVELS = (Level.USER_CONTEXT, Level.CONTEXT)


def decide(
    skills: Sequence[str], settings: SessionSettings, preferred: str | None = None, interfaces: Iterable[Interface] = ()
) -> Winner:
    """The winner: by conversation (`preferred`), user rule, project rule, else the first name, unless that is risky.

    At each level the last rule that covers all the skills decides. Without one, rules about some of them eliminate the
    losers, the last rule about a pair counting, and what the level prohibits is eliminated for all lower levels.
    `interfaces` are only read if the names decide (clauses resolution.skill-conflict, resolution.ask).

    Raises:
        NoConflictError: there are fewer than two skills, one is named twice, or `preferred` is none of them.
    """
    _check(skills, preferred)
    rules = [rule for rule in settings.rules if rule.winner in skills and len(set(rule.skills) & set(skills)) > 1]
    if preferred:
        why = "the conversation says so"
        return Winner(tuple(skills), preferred, Level.CONVERSATION, None, why, _best_first(rules))
    verdict, used = _by_levels(sorted(skills), settings, rules, interfaces)
    hidden = _best_first([rule for rule in rules if rule not in used])
    return verdict._replace(skills=tuple(skills), hidden=hidden)


def _check(skills: Sequence[str], preferred: str | None) -> None:
    named = " ".join(["session", "winner", *skills])
    if len(skills) < 2:
        raise NoConflictError(f"{named}: name two or more skills that contradict each other")
    if len(set(skills)) < len(skills):
        raise NoConflictError(f"{named}: a skill is named twice; name each once")
    if preferred is not None and preferred not in skills:
        raise NoConflictError(f"--prefer {preferred[:80]}: it is none of them; write one of {', '.join(skills)}")


def _best_first(rules: Sequence[ConflictResolution]) -> tuple[ConflictResolution, ...]:
    return tuple(rule for level in _LEVELS for rule in reversed(rules) if rule.level is level)


def _by_levels(
    left: list[str], settings: SessionSettings, rules: Iterable[ConflictResolution], interfaces: Iterable[Interface]
) -> tuple[Winner, list[ConflictResolution]]:
    """The verdict without the conversation, and the rules that it used."""
    used: list[ConflictResolution] = []
    out: dict[str, Place] = {}
    for level in _LEVELS:
        defeats = _defeats(left, [rule for rule in rules if rule.level is level and rule.winner in left])
        used += defeats.values()
        if circle := _circle(defeats):
            last = max(rule.place for pair, rule in defeats.items() if set(pair) <= set(circle))
            return _ask(left, f"The rules about {_all(circle)} go round in a circle", last), used
        losers = {loser: rule.place for (_, loser), rule in defeats.items()}
        left = [name for name in left if name not in losers]
        if len(left) == 1:
            rule = next(rule for rule in reversed(used) if rule.winner == left[0])
            return Winner((), left[0], level, rule.place, f"a rule of {rule.place.file}"), used
        # What this level prohibits is eliminated for the levels below it, and for the order of names.
        prohibited = settings.declarations.prohibited
        barred = {name: item.place for name in left for item in prohibited.get(name, ())[::-1] if item.level is level}
        place = next(iter(barred.values()), None)
        if len(barred) == len(left):
            return _ask(left, f"{_all(left)} are prohibited", place), used
        left = [name for name in left if name not in barred]
        if len(left) == 1:
            why = f"{_all(barred)} {'is' if len(barred) == 1 else 'are'} prohibited"
            return Winner((), left[0], level, place, why), used
        out |= losers | barred
    return _by_alphabet(left, out, interfaces), used


_Defeats = Mapping[tuple[str, str], ConflictResolution]
"""The rule by which the first skill of a pair wins over the second."""


def _defeats(skills: Collection[str], rules: Sequence[ConflictResolution]) -> _Defeats:
    """By the last rule that covers all the skills; without one, by the last rule about each pair."""
    whole = [rule for rule in rules if set(skills) <= set(rule.skills)]
    found: dict[tuple[str, str], ConflictResolution] = {}
    for rule in whole[-1:] or rules:
        for loser in skills:
            if loser in rule.skills and loser != rule.winner:
                found.pop((loser, rule.winner), None)
                found[rule.winner, loser] = rule
    return found


def _circle(defeats: _Defeats) -> list[str]:
    """The skills each of which wins over one of them and loses to another; empty if the rules agree."""
    left = {name for pair in defeats for name in pair}
    while True:
        winners = {winner for winner, loser in defeats if {winner, loser} <= left}
        losers = {loser for winner, loser in defeats if {winner, loser} <= left}
        if left == winners & losers:
            return sorted(left)
        left = winners & losers


def _by_alphabet(skills: Sequence[str], out: Mapping[str, Place], interfaces: Iterable[Interface]) -> Winner:
    """The first of the skills that are left; `out` has for each other skill what eliminated it."""
    undeclared = False
    for interface in interfaces:
        skill, parameters, risk, place, _ = interface
        undeclared = undeclared or (skill in skills and not interface.declares_risk)
        of_value = next((parameter for parameter in parameters if parameter.confirm is not None), None)
        if of_value and not risk:
            risk, place = f"it asks before some values of {of_value.name}", of_value.place
        if risk and skill in skills:
            asks = f"{skill} asks first ({risk.rstrip('.')})"
            return _ask(skills, f"No rule decides between {_all(skills)}, and {asks}", place)
    why = "no rule decides; it is the first by name"
    if out:
        losers = ", ".join(f"{place} puts {name} out" for name, place in out.items())
        why = f"{losers}; of {_all(skills)} it is the first by name, since no rule decides between them"
    return Winner((), skills[0], None, None, why, ask_first=ASK_FIRST if undeclared else "")


def _ask(skills: Sequence[str], why: str, place: Place | None) -> Winner:
    question = Question(
        QuestionKind.WINNER,
        ", ".join(skills),
        f"{why}; which one is to win?",
        "--prefer SKILL",
        "resolution.ask",
        tuple(map(typed, skills)),
        place,
    )
    return Winner((), None, None, place, why, question=question)


def _all(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
