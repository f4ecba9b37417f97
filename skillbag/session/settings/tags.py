"""Tags as they hold for skills, and what was disabled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Level, Place, Prohibition

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


NO_TAGS = Tagging({}, ())


def brought_by(owner: str, tag: Tag) -> str:
    """The skill that runs because of the tag."""
    return tag.text.removeprefix(USE) if tag.text.startswith(USE) else owner


def brought_in(tags: Mapping[str, tuple[Tag, ...]]) -> frozenset[str]:
    """The skills that run at some time because of a tag that holds: their own, or another skill's."""
    return frozenset(
        brought_by(owner, tag) for owner, held in tags.items() for tag in held if tag.text.startswith((RUN, USE))
    )
