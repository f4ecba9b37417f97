"""Each statement of the context files, and whether it is effective."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Level, Place, Prohibition
from skillbag.kernel.workspace.target import CONTEXT, USER_CONTEXT
from skillbag.session.settings.settings import ConflictResolution, SessionSettings
from skillbag.session.settings.value import Value, typed


class Statement(StrEnum):
    """What is stated."""

    PARAMETER = "parameter"
    PROHIBITED_VALUE = "prohibited-value"
    PROHIBITED_SKILL = "prohibited-skill"
    TAG = "tag"
    WINNER = "winner"
    OVERRIDE = "override"


class EffectiveSetting(NamedTuple):
    """One statement; `skill` is a name or `*`. `is_effective`: no other statement hides it, and it applies.

    PARAMETER, PROHIBITED_VALUE: the parameter's `name` and its `value` (None unsets an earlier one). TAG: the tag
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


def all_stated(settings: SessionSettings, tagging: Tagging) -> tuple[EffectiveSetting, ...]:
    """Every statement: by kind, within a kind the highest level first, within a file in its order."""
    return (
        *_values(settings),
        *(EffectiveSetting(Statement.PROHIBITED_VALUE, *prohibited) for prohibited in settings.prohibited),
        *(
            EffectiveSetting(Statement.PROHIBITED_SKILL, skill, "", None, level, place)
            for prohibitions in settings.declarations.prohibited.values()
            for skill, place, level in prohibitions
        ),
        *_tags(settings, tagging),
        *_rules(settings),
        *_overrides(settings),
    )


def _values(settings: SessionSettings) -> Iterator[EffectiveSetting]:
    named = dict.fromkeys((value.skill, value.name) for value in settings.given)
    effective = {id(settings.effective(skill, name)) for skill, name in named}
    for value in settings.given:
        yield EffectiveSetting(Statement.PARAMETER, *value, is_effective=id(value) in effective)


def _tags(settings: SessionSettings, tagging: Tagging) -> Iterator[EffectiveSetting]:
    added = {tag.place for tags in tagging.tags.values() for tag in tags if tag.level is Level.USER_CONTEXT}
    removed = {disabled.place for disabled in tagging.disabled}
    for change in settings.tags:
        value, places = (typed("add"), added) if change.add else (typed("remove"), removed)
        yield EffectiveSetting(
            Statement.TAG, change.skill, change.tag, value, Level.USER_CONTEXT, change.place, change.place in places
        )


def _rules(settings: SessionSettings) -> Iterator[EffectiveSetting]:
    """Of several rules about the same skills the last one of the highest level is effective."""
    effective: dict[frozenset[str], ConflictResolution] = {}
    for rule in settings.rules:
        better = effective.setdefault(frozenset(rule.skills), rule)
        if better.level == rule.level:
            effective[frozenset(rule.skills)] = rule
    for rule in settings.rules:
        skills, is_effective = typed(list(rule.skills)), effective[frozenset(rule.skills)] is rule
        yield EffectiveSetting(Statement.WINNER, rule.winner, "", skills, rule.level, rule.place, is_effective)


def _overrides(settings: SessionSettings) -> Iterator[EffectiveSetting]:
    levels = {USER_CONTEXT: Level.USER_CONTEXT, CONTEXT: Level.CONTEXT}
    for name, override in settings.declarations.overrides.items():
        for key, text in (("source", override.source), ("version", override.version)):
            if text is not None:
                level, place = levels[override.place.file], override.place
                yield EffectiveSetting(Statement.OVERRIDE, name, key, typed(text), level, place)


ALWAYS, LAST = "#run/always", "#run/last"
USE = "#use/"
RUN = "#run/"


class Tag(NamedTuple):
    """An effective tag as it is written (`#run/last`), with its origin."""

    text: str
    level: Level
    place: Place


class Disabled(NamedTuple):
    """A tag of a skill that has no effect; `tag` is empty if the whole skill is prohibited. `why` is one phrase."""

    skill: str
    tag: str
    why: str
    place: Place | None


class Dropped(NamedTuple):
    """A tag without effect because it brings in a prohibited skill: `owner` itself or a companion."""

    owner: str
    tag: str
    brings: str
    prohibition: Prohibition


class Tagging(NamedTuple):
    """The tags of each skill by name, and what was disabled; `barred` are the skills that the conversation rules out.

    `dropped` are the tags of other skills that a prohibition makes ineffective.
    """

    tags: Mapping[str, tuple[Tag, ...]]
    disabled: tuple[Disabled, ...]
    barred: frozenset[str] = frozenset()
    dropped: tuple[Dropped, ...] = ()

    def tag(self, skill: str, text: str) -> Tag | None:
        """The skill's effective tag of this spelling."""
        return next((tag for tag in self.tags.get(skill, ()) if tag.text == text), None)

    def texts(self, skill: str) -> tuple[str, ...]:
        """The skill's effective tags as they are written."""
        return tuple(tag.text for tag in self.tags.get(skill, ()))


NO_TAGS = Tagging({}, ())


def brought_by(owner: str, tag: Tag) -> str:
    """The skill that runs because of the tag."""
    return tag.text.removeprefix(USE) if tag.text.startswith(USE) else owner


def brought_in(tags: Mapping[str, tuple[Tag, ...]]) -> frozenset[str]:
    """The skills that run at some time because of a tag that holds: their own, or another skill's."""
    return frozenset(
        brought_by(owner, tag) for owner, held in tags.items() for tag in held if tag.text.startswith((RUN, USE))
    )
