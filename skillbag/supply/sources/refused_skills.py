"""Skills of a plain repository with a link that may not be followed: they are left out, and the others are taken.

An unpacked tree records which were left out, for later runs that find the tree in the cache.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping

from skillbag.supply.sources.agent_skills_layout import PlainParts
from skillbag.supply.sources.entries import link_faults
from skillbag.supply.sources.entry import EntryKind, SourceEntry, quoted

RECORD = ".skillbag-refused.json"
"""The record's path in an unpacked tree: no entry of a source is ever unpacked to it."""


def refused_skills(
    entries: Iterable[SourceEntry], plain: PlainParts, more: Iterable[tuple[str, str]] = ()
) -> dict[str, str]:
    """The paths of the skills with such a link, each with a sentence about it; `more` are links with their reasons.

    None where no skill would be left, or where a repository is a skill itself: such a repository is refused as a whole.
    Nor for a check of the whole repository, which reports the links.
    """
    if plain.whole:
        return {}
    links = {entry.path: entry.target for entry in entries if entry.kind is EntryKind.LINK}
    refused: dict[str, str] = {}
    for path, reason in (*link_faults(links, plain), *more):
        for skill in _skills_of(path, plain):
            refused.setdefault(skill, f"{quoted(path)}: {reason}")
    return {} if "" in refused or without(plain, refused).is_empty else refused


def _skills_of(path: str, plain: PlainParts) -> Iterator[str]:
    """The nested skills that a link is part of; else the skill that it would itself be."""
    above, found = path, False
    while above:
        above = above.rpartition("/")[0]
        if above in plain.folders:
            found = True
            yield above
    if not found:
        yield path if path in plain.others else ""


def is_refused(path: str, refused: Iterable[str]) -> bool:
    """Whether `path` is one of the refused skills, or lies in one."""
    return any(path == skill or path.startswith(f"{skill}/") for skill in refused)


def without(plain: PlainParts, refused: Mapping[str, str]) -> PlainParts:
    """The parts without the refused skills."""
    return plain._replace(
        folders=frozenset(path for path in plain.folders if not is_refused(path, refused)),
        others=frozenset(path for path in plain.others if not is_refused(path, refused)),
    )


def record(refused: Mapping[str, str]) -> bytes:
    """The content of the record."""
    return json.dumps(dict(refused), sort_keys=True).encode("ascii")


def recorded(root: str) -> Mapping[str, str]:
    """The skills that were left out of the unpacked tree at `root`, each with its sentence."""
    with contextlib.suppress(FileNotFoundError), open(os.path.join(root, RECORD), "rb") as file:
        found: Mapping[str, str] = json.load(file)
        return found
    return {}
