"""What is installed from a commit, checked and then written as it is.

The trees are read here instead of checked out: no filter, attribute, hook or line-end conversion takes part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from skillbag.kernel.workspace.target import AGENTS, SKILL_ROOT
from skillbag.supply.sources.agent_skills_layout import (
    ENTIRE,
    NO_SKILLS,
    TAKES_PLAIN,
    PlainParts,
    above,
    is_skill_file,
    plain_parts,
)
from skillbag.supply.sources.entries import faults, is_taken
from skillbag.supply.sources.entry import EntryKind, PackedEntry, SourceEntry, quoted
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.git_command import run
from skillbag.supply.sources.git_objects import BrokenRepositoryError, CommitObject, GitMember, Objects
from skillbag.supply.sources.limits import MAX_DEPTH, MAX_ENTRIES, MAX_LISTED
from skillbag.supply.sources.refused_skills import is_refused, refused_skills, without
from skillbag.supply.sources.tree_writer import Judged, write_tree

_LONGEST_PATH = 4096


def unpack(
    objects: Objects,
    commit: CommitObject,
    to: str,
    supply: Callable[[list[str]], None],
    *,
    plain: bool = False,
    whole: bool = False,
    entire: bool = False,
) -> str:
    """Check what is installed from a commit, then write it into the empty folder `to`; return its tree hash.

    `supply` fetches the contents that are not in the repository yet, by their names, all at once. With `plain` it is a
    plain repository, of which the folders with a `SKILL.md` are taken; with `whole`, all that a check could look at,
    and a placeholder for every other file; with `entire`, everything.

    Raises:
        InvalidSourceError: what the commit holds is hostile or no source; all faults are named.
        BrokenRepositoryError: something is missing or damaged.
    """
    others: list[str] = []
    if plain:
        members, parts, others = _plain_members(objects, commit, ENTIRE if entire else None, whole=whole)
    else:
        members, parts = _members(objects, commit), None
    sizes = _sizes(objects.repository, members, supply)
    entries = list(_entries(objects, members, sizes))
    refused = refused_skills(entries, parts) if parts is not None else {}
    if parts is not None:
        entries = [entry for entry in entries if not is_refused(entry.path, refused)]
        parts = without(parts, refused)
    if found := faults(entries, parts):
        raise InvalidSourceError(found)
    judged = Judged({entry.path: entry for entry in entries}, others if whole else (), refused)
    return write_tree(to, judged, _contents(objects, members, judged))


def _members(objects: Objects, commit: CommitObject) -> list[GitMember]:
    members = list(islice(_walk(objects, commit.tree), MAX_ENTRIES + 1))
    if len(members) > MAX_ENTRIES:
        raise InvalidSourceError(faults(SourceEntry(member.path, member.kind, 0, False) for member in members))
    if not any(member.path in (AGENTS, SKILL_ROOT) for member in members):
        everything = islice(_walk(objects, commit.tree, lambda _: True), MAX_ENTRIES)
        hint = f"; it holds {TAKES_PLAIN}" if any(is_skill_file(member.path) for member in everything) else ""
        raise InvalidSourceError([f"the repository holds neither `{AGENTS}` nor `{SKILL_ROOT}/` at its root{hint}"])
    return members


def _plain_members(
    objects: Objects, commit: CommitObject, parts: PlainParts | None, *, whole: bool
) -> tuple[list[GitMember], PlainParts, list[str]]:
    """What is taken of a plain repository and the folders above it; the paths of the files and links that are not.

    It is `parts`, or what the paths of the repository make of it.
    """
    listed = list(islice(_walk(objects, commit.tree, lambda _: True), MAX_LISTED + 1))
    if len(listed) > MAX_LISTED:
        raise InvalidSourceError(
            [f"the repository holds more than {MAX_LISTED:,} files and folders, the most that is searched for skills"]
        )
    parts = parts or plain_parts(((member.path, member.kind) for member in listed), whole=whole)
    if parts.is_empty:
        raise InvalidSourceError([NO_SKILLS])
    taken = {member.path for member in listed if parts.taken(member.path)}
    wanted = taken | above(taken)
    others = [member.path for member in listed if member.has_content and member.path not in wanted]
    return [member for member in listed if member.path in wanted], parts, others


def _walk(objects: Objects, tree: str, wanted: Callable[[str], bool] = is_taken) -> Iterator[GitMember]:
    """What is `wanted` of a tree's own entries and all below, folders before what is in them.

    One tree may be used in many folders, so callers limit the walk. It goes one name deeper than what may be taken, so
    that the fault can be reported.
    """
    pending = [("", tree)]
    while pending:
        prefix, name = pending.pop()
        for mode, entry, child in objects.tree(name):
            if "/" in entry:
                # git makes no such tree: its tools and code hosts disagree on what it holds.
                raise InvalidSourceError([f"{quoted(prefix + entry)}: a slash in the name of one entry of a tree"])
            member = GitMember(prefix + entry, mode, child)
            if prefix or wanted(member.path):
                yield member
                if member.kind is EntryKind.FOLDER and member.path.count("/") < MAX_DEPTH:
                    pending.append((f"{member.path}/", child))


def _sizes(repository: str, members: Iterable[GitMember], supply: Callable[[list[str]], None]) -> dict[str, int]:
    """The size of each content; those that are missing are supplied first."""
    names = list(dict.fromkeys(member.name for member in members if member.has_content))
    sizes = _known_sizes(repository, names)
    if missing := [name for name in names if name not in sizes]:
        supply(missing)
        sizes |= _known_sizes(repository, missing)
    return sizes


def _known_sizes(repository: str, names: Iterable[str]) -> dict[str, int]:
    output = run(repository, ["cat-file", "--batch-check"], stdin="\n".join((*names, "")).encode())
    rows = (line.split() for line in output.decode("ascii", "replace").splitlines())
    return {row[0]: int(row[2]) for row in rows if len(row) == 3}


def _entries(objects: Objects, members: Iterable[GitMember], sizes: dict[str, int]) -> Iterator[SourceEntry]:
    for member in members:
        if member.has_content and member.name not in sizes:
            raise BrokenRepositoryError(member.name)
        size, target = sizes.get(member.name, 0), ""
        if member.kind is EntryKind.LINK and size <= _LONGEST_PATH:
            (content,) = objects.contents([member.name])
            size, target = 0, os.fsdecode(b"".join(content))
        yield SourceEntry(member.path, member.kind, size, member.is_executable, target)


def _contents(objects: Objects, members: Iterable[GitMember], judged: Judged) -> Iterator[PackedEntry]:
    """The files that are taken, each with its content."""
    files = [member for member in members if member.kind is EntryKind.FILE and member.path in judged.taken]
    for member, content in zip(files, objects.contents([member.name for member in files]), strict=True):
        yield PackedEntry(judged.taken[member.path], content)
