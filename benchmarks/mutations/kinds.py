"""What a mutation is: a good skill, a way to break it, and the place where a finding has to appear."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import NamedTuple

MAIN = "SKILL.md"
_NOTHING: Mapping[str, str] = {}


class Skill(NamedTuple):
    """The files of a skill by their path in it; `links` are symbolic links with their targets."""

    name: str
    files: Mapping[str, bytes]
    executable: frozenset[str] = frozenset()
    links: Mapping[str, str] = _NOTHING

    @property
    def text(self) -> str:
        """`SKILL.md` as text."""
        return self.files[MAIN].decode()

    def but(self, files: Mapping[str, str | bytes], executable: Iterable[str] = ()) -> Skill:
        """The same skill with these files added or replaced."""
        encoded = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        return self._replace(files={**self.files, **encoded}, executable=self.executable.union(executable))

    def without(self, path: str) -> Skill:
        """The same skill without that file."""
        return self._replace(files={one: data for one, data in self.files.items() if one != path})


class Place(NamedTuple):
    """Where a finding counts: in `path` (empty: anywhere in the skill), from line `first` to `last` (0: anywhere)."""

    path: str = MAIN
    first: int = 0
    last: int = 0


class Broken(NamedTuple):
    """A skill after a mutation, with the places where a finding of it can be."""

    skill: Skill
    places: tuple[Place, ...]


Way = Callable[[Skill, Random], Broken | None]
"""One way to make a fault; None where this skill has nothing to break in that way."""


class Kind(NamedTuple):
    """A class of faults and the ways to make it. Ways at even places belong to the half for development."""

    name: str
    family: str
    ways: tuple[Way, ...]

    @property
    def size(self) -> int:
        """How many mutations there are of it: an even number, at least two."""
        return max(2, len(self.ways) + len(self.ways) % 2)
