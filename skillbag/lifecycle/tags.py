"""The tags that hold for each skill: those of its description, with what user context adds and removes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from skillbag.lifecycle.settings import Settings, TagChange
from skillbag.lifecycle.skills import Listed, listed_names
from skillbag.standard.context_blocks import ANY_SKILL
from skillbag.standard.declarations import Declarations, Level, Place, Prohibition
from skillbag.workspace.skill import TAG

ALWAYS, LAST = "#run/always", "#run/last"
USE = "#use/"
_RUN = "#run/"


class Tag(NamedTuple):
    """A tag that holds, as it is written (`#run/last`), and who gives it."""

    text: str
    level: Level
    place: Place


class Disabled(NamedTuple):
    """A tag of a skill that has no effect; `tag` is empty where the whole skill is prohibited. `why` is one phrase."""

    skill: str
    tag: str
    why: str
    place: Place | None


class Dropped(NamedTuple):
    """A tag without effect, since it brings in a prohibited skill: the one that has it, or a companion of `owner`."""

    owner: str
    tag: str
    brings: str
    prohibition: Prohibition


class Tagging(NamedTuple):
    """The tags of each skill by name, and what was disabled; `barred` are the skills that must not run at all.

    `dropped` are the tags that a prohibition takes from skills that are not barred.
    """

    tags: Mapping[str, tuple[Tag, ...]]
    disabled: tuple[Disabled, ...]
    barred: frozenset[str] = frozenset()
    dropped: tuple[Dropped, ...] = ()

    def tag(self, skill: str, text: str) -> Tag | None:
        """The tag of this spelling, where it holds for the skill."""
        return next((tag for tag in self.tags.get(skill, ()) if tag.text == text), None)

    def has(self, skill: str, tag: str) -> bool:
        """Whether the tag holds for the skill."""
        return self.tag(skill, tag) is not None


NO_TAGS = Tagging({}, ())
"""Where no skill has tags."""


def effective_tags(
    listed: Mapping[str, Listed], settings: Settings, without: Collection[str] = (), allowed: Collection[str] = ()
) -> Tagging:
    """The tags of the listed skills; `without` are those that the conversation bars (clause tags.user-override).

    `allowed` are those that it lets run although a context file prohibits them: no prohibition binds it.

    A tag counts as it is spelt: `#run/always.` is none of the standard's. It has no effect where a higher level than
    the one that gives it prohibits the skill that it brings in (clause precedence.prohibition).

    Raises:
        BadSkillError: `without` names a skill that is not listed: a slip, with which the one that is meant would run.
    """
    barred = listed_names(listed, without)
    changes = _last_changes(settings.tags)
    tags: dict[str, tuple[Tag, ...]] = {}
    disabled = [Disabled(name, "", "ruled out by the conversation", None) for name in listed if name in barred]
    dropped: list[Dropped] = []
    for name, skill in listed.items():
        given, removed = _given(skill, changes)
        if name not in barred:
            disabled += removed
            held = [tag for tag in given if _brings(name, tag) not in barred]
            losses = [loss for loss in _losses(name, held, settings.declarations) if loss.brings not in allowed]
            dropped += losses
            lost = {loss.tag for loss in losses}
            tags[name] = tuple(tag for tag in held if tag.text not in lost)
    return Tagging(tags, (*disabled, *_prohibited(dropped, tags, listed)), barred, tuple(dropped))


_Changes = Mapping[str, Mapping[str, TagChange]]


def _last_changes(changes: Iterable[TagChange]) -> _Changes:
    """By skill (or `*`) and tag, the change that counts: the last one."""
    found: dict[str, dict[str, TagChange]] = {}
    for change in changes:
        found.setdefault(change.skill, {})[change.tag] = change
    return found


def _given(one: Listed, changes: _Changes) -> tuple[list[Tag], list[Disabled]]:
    """The tags of a skill with the user's changes, and which of its own were removed from what runs it."""
    if "#" not in one.description and not changes:
        # Most skills, and a response asks for the tags of all of them.
        return [], []
    own = {match[0]: Tag(match[0], Level.SKILL, one.place) for match in TAG.finditer(one.description)}
    # What is said of a skill by its name counts more than what is said of all.
    said = {**changes.get(ANY_SKILL, {}), **changes.get(one.name, {})}
    removed = [
        Disabled(one.name, text, f"removed by {said[text].place.file}", said[text].place)
        for text in own
        if text.startswith(_RUN) and text in said and not said[text].add
    ]
    added = {text: Tag(text, Level.USER_CONTEXT, change.place) for text, change in said.items() if change.add}
    return [tag for text, tag in {**own, **added}.items() if text not in said or said[text].add], removed


def _brings(owner: str, tag: Tag) -> str:
    """The skill that runs because of the tag."""
    return tag.text.removeprefix(USE) if tag.text.startswith(USE) else owner


def brought_in(tagging: Tagging) -> frozenset[str]:
    """The skills that run, some time, because of a tag that holds: their own, or another skill's."""
    return _brought(tagging.tags)


def _brought(tags: Mapping[str, tuple[Tag, ...]]) -> frozenset[str]:
    return frozenset(
        _brings(owner, tag) for owner, held in tags.items() for tag in held if tag.text.startswith((_RUN, USE))
    )


def _losses(owner: str, tags: Iterable[Tag], declarations: Declarations) -> Iterator[Dropped]:
    for tag in tags:
        if tag.text.startswith((_RUN, USE)):
            brings = _brings(owner, tag)
            prohibition = declarations.prohibits(brings, tag.level)
            if prohibition:
                yield Dropped(owner, tag.text, brings, prohibition)


def _prohibited(
    dropped: Iterable[Dropped], tags: Mapping[str, tuple[Tag, ...]], listed: Mapping[str, Listed]
) -> Iterator[Disabled]:
    """Each prohibited skill once; where a tag of a higher level still brings it in, the tags that lost instead."""
    brought = _brought(tags)
    reported: set[str] = set()
    for loss in dropped:
        place = loss.prohibition.place
        if loss.brings in brought:
            yield Disabled(loss.owner, loss.tag, f"prohibited by {place.file}", place)
        elif loss.brings in listed and loss.brings not in reported:
            reported.add(loss.brings)
            yield Disabled(loss.brings, "", f"prohibited by {place.file}", place)
