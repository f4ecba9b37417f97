"""What each host shows its model of the skills of a folder, and what else it always loads there: an estimate."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.base.widths import width
from skillbag.kernel.documents.nodes import Mapping, Scalar, parse_yaml
from skillbag.kernel.documents.source import Document
from skillbag.kernel.hosts.listing import LEFT_OUT, ListEntry, ListFit, budget_of, fit, listing_text
from skillbag.kernel.hosts.lists import FOLDERS
from skillbag.kernel.hosts.model import HostFacts
from skillbag.kernel.hosts.table import HOSTS
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import CHARACTERS_PER_TOKEN, Skill
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.kernel.workspace.tree import FILE, list_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    from skillbag.kernel.base.json_records import fits

_LARGE_WINDOW = 1_000_000
_POLICY = "agents/openai.yaml"


class ListedState(StrEnum):
    """How much of a skill the model sees."""

    WHOLE = "whole"
    CUT = "cut"
    NAME = "name"
    LEFT_OUT = "left-out"
    UNLISTED = "unlisted"
    SHADOWED = "shadowed"


class ListingRow(NamedTuple):
    """A skill for one host."""

    name: str
    path: Annotated[str, "Its folder, relative to the root, with `/`."]
    state: Annotated[
        ListedState,
        "How much of it the model sees: all, a `cut` description, its `name`, nothing as the list is full (`left-out`) "
        "or as it says so itself (`unlisted`), nothing as another skill has its name (`shadowed`).",
    ]
    length: Annotated[int, "The columns of its description, with `when_to_use` where the host shows that."]
    shown: Annotated[int, "How many of them are shown."]
    why: Annotated[str, "Why it is not listed, or the path of the skill that counts in its place."] = ""


class ListingSize(NamedTuple):
    """The list in one window of the model."""

    context_tokens: Annotated[int | None, "The window; null for the default of the host."]
    budget: Annotated[int, "How long the list may be; 0 where no budget is documented."]
    unit: Annotated[str, fits(enum=("columns", "characters", "tokens"))]
    full: Annotated[int, "What all descriptions cost."]
    names: Annotated[int, "What the names alone cost."]
    whole: Annotated[int, "Skills whose description is shown in full."]
    reduced: Annotated[int, "Skills whose description is cut, or that are reduced to the name."]
    left_out: Annotated[int, "Skills that the list has no room for."]


class HostListing(NamedTuple):
    """What one host shows, by its own algorithm."""

    host: str
    title: str
    sizes: tuple[ListingSize, ...]
    skills: Annotated[tuple[ListingRow, ...], "The skills that it finds, as shown in the first window."]
    memory: Annotated[tuple[str, ...], "The files that it reads at the start, relative to the root."]
    list_tokens: Annotated[int, "About what the list costs in every session, as it is shown."]
    memory_tokens: Annotated[int, "About what these files cost in every session."]


class _Candidate(NamedTuple):
    """A skill that a host could list: `rank` is its place in the precedence of the host, `state` and `why` tell why it
    is not in the list; the state is WHOLE where it is."""

    skill: Skill
    path: str
    rank: int
    state: ListedState = ListedState.WHOLE
    why: str = ""


def listings(workspaces: Iterable[Workspace], base: str) -> tuple[HostListing, ...]:
    """The list of each host for the skills of these targets. What lies in no folder of a host counts as installed."""
    found = [(skill, _relative(skill.directory, base)) for space in workspaces for skill in space.skills()]
    skills = sorted((pair for pair in found if not pair[0].problem), key=lambda pair: (pair[0].folder, pair[1]))
    hosts = sorted((host for host in HOSTS.values() if host.folders), key=lambda host: not host.listing.share)
    return tuple(_of_host(host, skills, base) for host in hosts)


def _relative(path: str, base: str) -> str:
    return os.path.relpath(path, base).replace(os.sep, "/")


def _of_host(host: HostFacts, skills: Sequence[tuple[Skill, str]], base: str) -> HostListing:
    candidates = _judged(host, skills, base)
    listed = [candidate.skill for candidate in candidates if candidate.state is ListedState.WHOLE]
    entries = [ListEntry(skill.folder, _text(host, skill), f"r0/{skill.folder}/{SKILL_FILE}") for skill in listed]
    windows = (None, _LARGE_WINDOW) if host.listing.share else (None,)
    fits = [fit(host.listing, entries, window) for window in windows]
    rows = tuple(_rows(candidates, entries, fits[0].kept))
    memory = tuple(_memory(host, base))
    shown = sum(len(f"- {row.name}: ") + row.shown for row in rows if row.state in _NAMED)
    return HostListing(
        host.id,
        host.title,
        tuple(_size(host, window, found, entries) for window, found in zip(windows, fits, strict=True)),
        rows,
        tuple(_relative(path, base) for path in memory),
        shown // CHARACTERS_PER_TOKEN,
        sum(map(os.path.getsize, memory)) // CHARACTERS_PER_TOKEN,
    )


_NAMED = frozenset({ListedState.WHOLE, ListedState.CUT, ListedState.NAME})


def _judged(host: HostFacts, skills: Sequence[tuple[Skill, str]], base: str) -> list[_Candidate]:
    """The skills that a host could list, each with why it does not; of those with one name, the one that counts."""
    found = [candidate for skill, path in skills if (candidate := _candidate(host, skill, path))]
    wins = {"first": min, "last": max}.get(host.precedence.wins)
    if wins is None:
        return found
    best: dict[str, tuple[int, str]] = {}
    for name in {candidate.skill.folder for candidate in found if candidate.state is ListedState.WHOLE}:
        ranks = [(c.rank, c.path) for c in found if c.skill.folder == name and c.state is ListedState.WHOLE]
        rank = wins(rank for rank, _ in ranks)
        ranks += [(rank, path) for rank, path in _of_user(host, name)]
        rank = wins(rank for rank, _ in ranks)
        best[name] = next(pair for pair in ranks if pair[0] == rank)
    return [
        c._replace(state=ListedState.SHADOWED, why=best[c.skill.folder][1])
        if c.state is ListedState.WHOLE and c.path != best[c.skill.folder][1]
        else c
        for c in found
    ]


def _candidate(host: HostFacts, skill: Skill, path: str) -> _Candidate | None:
    """A skill as a host finds it; None where it never looks. In no folder of any host, it counts as installed."""
    folder, keys = os.path.dirname(path), {key.name for key in host.keys if key.file == "skill"}
    own = [fact for fact in host.folders if fact.scope == "project"]
    inner = next((fact.path for fact in own if folder.endswith(f"/{fact.path}")), "")
    rank = _rank(host, folder, "project")
    if skill.card.unlisted in keys:
        return _Candidate(skill, path, rank, ListedState.UNLISTED, f"its `{skill.card.unlisted}`")
    if host.id == "codex" and _is_private(skill):
        return _Candidate(skill, path, rank, ListedState.UNLISTED, f"`allow_implicit_invocation` in its {_POLICY}")
    if folder in {fact.path for fact in own}:
        return _Candidate(skill, path, rank)
    if inner:
        return _Candidate(skill, path, rank, ListedState.UNLISTED, f"only below {folder[: -len(inner) - 1]}/")
    if "/".join(folder.split("/")[-2:]) in FOLDERS:
        return None
    return _Candidate(skill, path, rank)


def _rank(host: HostFacts, folder: str, scope: str) -> int:
    order = host.precedence.order
    return next((order.index(name) for name in (folder, scope) if name in order), len(order))


def _of_user(host: HostFacts, name: str) -> Iterator[tuple[int, str]]:
    """The user's own skills of this name, with their rank."""
    for fact in host.folders:
        path = os.path.join(os.path.expanduser(fact.path), name, SKILL_FILE)
        if fact.scope == "user" and os.path.isfile(path):
            yield _rank(host, fact.path, "user"), f"{fact.path}/{name}"


def _is_private(skill: Skill) -> bool:
    """Whether Codex may not use the skill by itself."""
    document = skill.read(_POLICY) if _POLICY in skill.paths else None
    node = parse_yaml(document.text) if isinstance(document, Document) else None
    policy = node.get("policy") if isinstance(node, Mapping) else None
    allowed = policy.get("allow_implicit_invocation") if isinstance(policy, Mapping) else None
    return isinstance(allowed, Scalar) and allowed.value.lower() == "false"


def _text(host: HostFacts, skill: Skill) -> str:
    card = skill.card
    return listing_text(host.listing, card.description.value if card.description else "", card.when)


def _rows(candidates: Iterable[_Candidate], entries: Sequence[ListEntry], kept: Sequence[int]) -> Iterator[ListingRow]:
    shown = iter(zip(entries, kept, strict=True))
    for candidate in candidates:
        name, path = candidate.skill.folder, candidate.path
        if candidate.state is not ListedState.WHOLE:
            yield ListingRow(name, path, candidate.state, 0, 0, candidate.why)
            continue
        entry, size = next(shown)
        whole = width(entry.text)
        states = {LEFT_OUT: ListedState.LEFT_OUT, 0: ListedState.NAME if whole else ListedState.WHOLE}
        state = states.get(size, ListedState.WHOLE if size >= len(entry.text) else ListedState.CUT)
        yield ListingRow(name, path, state, whole, max(size, 0))


def _size(host: HostFacts, window: int | None, found: ListFit, entries: Sequence[ListEntry]) -> ListingSize:
    whole = sum(size >= len(entry.text) for size, entry in zip(found.kept, entries, strict=True))
    left_out = found.kept.count(LEFT_OUT)
    unit = budget_of(host.listing, window)[1] if found.budget else "characters"
    sizes = (found.budget, unit, found.full, found.names, whole, len(entries) - whole - left_out, left_out)
    return ListingSize(window, *sizes)


def _memory(host: HostFacts, base: str) -> Iterator[str]:
    """The files that a host reads at the start in a folder: there, and from the root of the repository down to it."""
    top = git.repository(base) or base
    folder, folders = base, [base]
    while folder != top and len(folder) > len(top):
        folder = os.path.dirname(folder)
        folders.append(folder)
    for folder in reversed(folders):
        for name in host.memory.names:
            first, star, last = name.partition("/**/*")
            path = os.path.join(folder, *first.split("/"))
            if star and folder == base and os.path.isdir(path):
                yield from (e.path for e in list_tree(path).entries if e.kind is FILE and e.relative.endswith(last))
            elif not star and os.path.isfile(path):
                yield path
