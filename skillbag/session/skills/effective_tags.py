"""Which tags hold: those of descriptions, with what user context adds and removes, without prohibited ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from skillbag.kernel.standard.context_blocks import ANY_SKILL
from skillbag.kernel.standard.declarations import Declarations, Level
from skillbag.kernel.workspace.summary import TAG
from skillbag.session.settings.effective_settings import (
    RUN,
    USE,
    Disabled,
    Dropped,
    Tag,
    Tagging,
    brought_by,
    brought_in,
)
from skillbag.session.settings.settings import SessionSettings, TagChange
from skillbag.session.skills.skills import CatalogSkill, listed_names


def effective_tags(
    listed: Mapping[str, CatalogSkill],
    settings: SessionSettings,
    without: Collection[str] = (),
    allowed: Collection[str] = (),
) -> Tagging:
    """The tags of the listed skills; `without` are skills that the conversation rules out (clause tags.user-override).

    `allowed` are skills that it lets run although a context file prohibits them.

    A tag counts as it is spelt: `#run/always.` is none of the standard's. It has no effect if a higher level prohibits
    the skill that it brings in (clause precedence.prohibition).

    Raises:
        BadSkillError: `without` names a skill that is not listed. Ignoring it would let a misspelt skill run.
    """
    barred = listed_names(listed, without)
    changes: dict[str, dict[str, TagChange]] = {}
    for change in settings.tags:
        # The last change of a tag counts.
        changes.setdefault(change.skill, {})[change.tag] = change
    tags: dict[str, tuple[Tag, ...]] = {}
    disabled = [Disabled(name, "", "ruled out by the conversation", None) for name in listed if name in barred]
    dropped: list[Dropped] = []
    for name, skill in listed.items():
        given, removed = _held(skill, changes)
        if name not in barred:
            disabled += removed
            held = [tag for tag in given if brought_by(name, tag) not in barred]
            losses = [loss for loss in _losses(name, held, settings.declarations) if loss.brings not in allowed]
            dropped += losses
            lost = {loss.tag for loss in losses}
            tags[name] = tuple(tag for tag in held if tag.text not in lost)
    return Tagging(tags, (*disabled, *_prohibited(dropped, tags, listed)), barred, tuple(dropped))


def _held(skill: CatalogSkill, changes: Mapping[str, Mapping[str, TagChange]]) -> tuple[list[Tag], list[Disabled]]:
    """The tags of a skill with the user's changes, and which of its own `#run/` tags were removed."""
    if "#" not in skill.description and not changes:
        # Most skills, and a response needs the tags of all of them.
        return [], []
    own = {match[0]: Tag(match[0], Level.SKILL, skill.place) for match in TAG.finditer(skill.description)}
    # A change for the skill's name counts more than one for all skills.
    changed = {**changes.get(ANY_SKILL, {}), **changes.get(skill.name, {})}
    removed = [
        Disabled(skill.name, text, f"removed by {changed[text].place.file}", changed[text].place)
        for text in own
        if text.startswith(RUN) and text in changed and not changed[text].add
    ]
    added = {text: Tag(text, Level.USER_CONTEXT, change.place) for text, change in changed.items() if change.add}
    return [tag for text, tag in {**own, **added}.items() if text not in changed or changed[text].add], removed


def _losses(owner: str, tags: Iterable[Tag], declarations: Declarations) -> Iterator[Dropped]:
    for tag in tags:
        if tag.text.startswith((RUN, USE)):
            brings = brought_by(owner, tag)
            if prohibition := declarations.prohibits(brings, tag.level):
                yield Dropped(owner, tag.text, brings, prohibition)


def _prohibited(
    dropped: Iterable[Dropped], tags: Mapping[str, tuple[Tag, ...]], listed: Mapping[str, CatalogSkill]
) -> Iterator[Disabled]:
    """Each prohibited skill once; if a tag of a higher level still brings it in, its ineffective tags instead."""
    brought = brought_in(tags)
    reported: set[str] = set()
    for loss in dropped:
        place = loss.prohibition.place
        if loss.brings in brought:
            yield Disabled(loss.owner, loss.tag, f"prohibited by {place.file}", place)
        elif loss.brings in listed and loss.brings not in reported:
            reported.add(loss.brings)
            yield Disabled(loss.brings, "", f"prohibited by {place.file}", place)
