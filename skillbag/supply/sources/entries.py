"""What a source of any kind may hold: names, kinds, links and sizes. Every fault is reported, none is corrected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from skillbag.kernel.fs.folded_names import folded
from skillbag.kernel.workspace.target import AGENTS, SKILL_ROOT
from skillbag.supply.sources.agent_skills_layout import PlainParts
from skillbag.supply.sources.entry import (
    EntryKind,
    SourceEntry,
    collisions,
    covered,
    portable_faults,
    quoted,
    shape_faults,
    target_fault,
)
from skillbag.supply.sources.limits import MAX_ENTRIES, MAX_FILE, MAX_TOTAL

_LICENCE = re.compile(r"licen[cs]e(?!s$)[^/]*", re.IGNORECASE)
"""A file such as `LICENSE` or `licence.txt`; not the folder `LICENSES` that some have besides."""

_INSTALLED = (EntryKind.FILE, EntryKind.LINK, EntryKind.FOLDER)
_MAX_HOPS = 40
"""As many links as Linux follows."""


def is_taken(path: str, plain: PlainParts | None = None) -> bool:
    """Whether `path` is taken from a source: `AGENTS.md`, `.skills/` and the licences at its root; or the parts of a
    `plain` one.
    """
    if plain is not None:
        return plain.taken(path)
    return path in (AGENTS, SKILL_ROOT) or path.startswith(f"{SKILL_ROOT}/") or _LICENCE.fullmatch(path) is not None


def faults(entries: Iterable[SourceEntry], plain: PlainParts | None = None) -> list[str]:
    """The faults of a source's entries, sorted by name: a sentence each that begins with the name.

    `plain` are the parts that are taken of a plain repository. Fewer checks apply to entries that are never taken: they
    need not be portable, and may be submodules.
    """
    known = list(islice(entries, MAX_ENTRIES + 1))
    if len(known) > MAX_ENTRIES:
        return [f"the source holds more than {MAX_ENTRIES:,} files and folders; no more are taken"]
    paths = [entry.path for entry in known]
    found = [
        *((entry.path, reason) for entry in known for reason in _entry_faults(entry, plain)),
        *collisions(paths),
        *covered(paths, (entry.path for entry in known if entry.kind is not EntryKind.FOLDER)),
        *link_faults({entry.path: entry.target for entry in known if entry.kind is EntryKind.LINK}, plain),
    ]
    sentences = [f"{quoted(path)}: {reason}" for path, reason in sorted(found, key=lambda fault: fault[0])]
    total = sum(entry.size for entry in known)
    if total > MAX_TOTAL:
        sentences.append(f"the source holds {total:,} bytes; at most {MAX_TOTAL >> 20} MiB are taken")
    return sentences


def _entry_faults(entry: SourceEntry, plain: PlainParts | None) -> Iterator[str]:
    """What is wrong with an entry by itself."""
    taken = is_taken(entry.path, plain)
    yield from shape_faults(entry.path)
    if taken or entry.kind is not EntryKind.SUBMODULE:
        yield from _kind_faults(entry, plain)
    if entry.size > MAX_FILE:
        yield f"a file of {entry.size:,} bytes; at most {MAX_FILE >> 20} MiB are taken"
    if taken:
        yield from portable_faults(entry.path)


def _kind_faults(entry: SourceEntry, plain: PlainParts | None) -> Iterator[str]:
    path, kind = entry.path, entry.kind
    if kind not in _INSTALLED:
        yield f"a {kind}; only files, folders and links are taken from a source"
    elif plain is not None:
        return
    elif path == AGENTS and kind is not EntryKind.FILE:
        yield f"a {kind}; it must be a file, since the target of a link is not taken along"
    elif path == SKILL_ROOT and kind is not EntryKind.FOLDER:
        yield f"a {kind}; a source holds its skills in a folder of this name"


def scope(path: str, plain: PlainParts | None = None) -> str:
    """The folder that a link at `path` may not leave: its skill, which moves on its own, or `.skills`, or the source
    (an empty string). `plain` are the parts of a plain repository.
    """
    if plain is not None:
        return plain.scope(path)
    parts = path.split("/")
    if parts[0] != SKILL_ROOT:
        return ""
    return "/".join(parts[:2]) if len(parts) > 2 else SKILL_ROOT


def link_faults(links: Mapping[str, str], plain: PlainParts | None = None) -> Iterator[tuple[str, str]]:
    """The links (path to target) that are refused, each with its reason: each must stay within its skill, also by way
    of other links.
    """
    targets = {folded(path): target for path, target in links.items()}
    for path, target in links.items():
        if fault := target_fault(target) or _route_fault(path, target, targets, scope(path, plain)):
            yield path, fault


def _route_fault(path: str, target: str, targets: Mapping[str, str], inside: str) -> str | None:
    """Why the route from `path` to `target` is refused: followed name by name, as the system would, links and all."""
    depth = len(inside.split("/")) if inside else 0
    here = path.split("/")[:-1]
    ahead = target.split("/")[::-1]
    hops = 0
    while ahead:
        name = ahead.pop()
        if name == "..":
            if len(here) <= depth:
                return _leaving_fault(target, inside)
            here.pop()
        elif name not in ("", "."):
            here.append(name)
            if (next_ := targets.get(folded("/".join(here)))) is not None:
                hops += 1
                if hops > _MAX_HOPS:
                    return f"the link to {quoted(target)} leads in a circle"
                here.pop()
                ahead += next_.split("/")[::-1]
    return None


def _leaving_fault(target: str, inside: str) -> str:
    if inside in ("", SKILL_ROOT):
        return f"the link to {quoted(target)} leaves {inside or 'the source'}"
    return f"the link to {quoted(target)} leaves its skill, which is installed on its own; put a copy there"
