"""What the context files state, statement by statement, and which of it counts: for whoever wants to see it all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from skillbag.lifecycle.settings import ConflictResolution, ParameterValue, Settings
from skillbag.lifecycle.tags import Tagging
from skillbag.lifecycle.value import Value, holder, typed
from skillbag.standard.context_blocks import ANY_SKILL
from skillbag.standard.declarations import Level, Place
from skillbag.workspace.target import CONTEXT, USER_CONTEXT


class Statement(StrEnum):
    """What is value."""

    PARAMETER = "parameter"
    PROHIBITED_VALUE = "prohibited-value"
    PROHIBITED_SKILL = "prohibited-skill"
    TAG = "tag"
    WINNER = "winner"
    OVERRIDE = "override"


class EffectiveSetting(NamedTuple):
    """One statement; `skill` is a name or `*`. `is_effective`: no other one hides it, and it has something to act on.

    PARAMETER, PROHIBITED_VALUE: the parameter's `name` and its `value` (None takes an earlier one back). TAG: the tag
    as `name`, and `add` or `remove`. WINNER: the winner as `skill`, the skills as `value`. OVERRIDE: `source` or
    `version` as `name`.
    """

    kind: Statement
    skill: str
    name: str
    value: Value | None
    level: Level
    place: Place | None
    is_effective: bool = True


def all_stated(settings: Settings, tagging: Tagging) -> tuple[EffectiveSetting, ...]:
    """Every statement: by kind, within a kind the highest level first, within a file in its order."""
    return (
        *_values(settings),
        *(EffectiveSetting(Statement.PROHIBITED_VALUE, *prohibited) for prohibited in settings.prohibited),
        *_prohibited_skills(settings),
        *_tags(settings, tagging),
        *_rules(settings),
        *_overrides(settings),
    )


def _values(settings: Settings) -> Iterator[EffectiveSetting]:
    # The last definition in a file speaks for it: as `Settings.values`, for all parameters at once.
    speaking = {(value.skill, value.name, value.level): value for value in settings.given}
    named = dict.fromkeys((value.skill, value.name) for value in settings.given)
    counting = {id(_counting(settings, speaking, skill, name)) for skill, name in named}
    for value in settings.given:
        yield EffectiveSetting(Statement.PARAMETER, *value, is_effective=id(value) in counting)


def _counting(
    settings: Settings, speaking: Mapping[tuple[str, str, Level], ParameterValue], skill: str, name: str
) -> ParameterValue | None:
    """What counts for a parameter: of the highest level the one that speaks for it, unless it is prohibited."""
    for level in Level:
        value = speaking.get((skill, name, level)) or speaking.get((ANY_SKILL, name, level))
        if value and value.value is not None:
            holding = holder(value.value)
            if not any(prohibited.binds(level, holding) for prohibited in settings.prohibitions(skill, name)):
                return value
    return None


def _prohibited_skills(settings: Settings) -> Iterator[EffectiveSetting]:
    for prohibitions in settings.declarations.prohibited.values():
        for name, place, level in prohibitions:
            yield EffectiveSetting(Statement.PROHIBITED_SKILL, name, "", None, level, place)


def _tags(settings: Settings, tagging: Tagging) -> Iterator[EffectiveSetting]:
    added = {tag.place for tags in tagging.tags.values() for tag in tags if tag.level is Level.USER_CONTEXT}
    removed = {disabled.place for disabled in tagging.disabled}
    for change in settings.tags:
        effective = change.place in (added if change.add else removed)
        value = typed("add" if change.add else "remove")
        yield EffectiveSetting(
            Statement.TAG, change.skill, change.tag, value, Level.USER_CONTEXT, change.place, effective
        )


def _rules(settings: Settings) -> Iterator[EffectiveSetting]:
    """Of several rules about the same skills the last one of the highest level counts."""
    counting: dict[frozenset[str], ConflictResolution] = {}
    for rule in settings.rules:
        better = counting.get(frozenset(rule.skills))
        if better is None or better.level == rule.level:
            counting[frozenset(rule.skills)] = rule
    for rule in settings.rules:
        effective = counting[frozenset(rule.skills)] is rule
        yield EffectiveSetting(
            Statement.WINNER, rule.winner, "", typed(list(rule.skills)), rule.level, rule.place, effective
        )


def _overrides(settings: Settings) -> Iterator[EffectiveSetting]:
    levels = {USER_CONTEXT: Level.USER_CONTEXT, CONTEXT: Level.CONTEXT}
    for name, override in settings.declarations.overrides.items():
        for key, text in (("source", override.source), ("version", override.version)):
            if text is not None:
                yield EffectiveSetting(
                    Statement.OVERRIDE, name, key, typed(text), levels[override.place.file], override.place
                )
