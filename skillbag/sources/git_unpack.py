"""What is installed from a commit, checked and then written as it is.

The trees are read here instead of checked out: no filter, attribute, hook or line-end conversion takes part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice

from skillbag.sources.agent_skills_layout import (
    NO_SKILLS,
    STAND_IN,
    TAKES_PLAIN,
    PlainParts,
    above,
    is_skill_file,
    plain_parts,
    whole_parts,
)
from skillbag.sources.entries import AGENTS, EntryKind, SourceEntry, faults, taken
from skillbag.sources.entry_links import SKILLS
from skillbag.sources.fetched import InvalidSourceError
from skillbag.sources.git_command import run
from skillbag.sources.git_objects import BrokenRepositoryError, Commit, Member, Objects
from skillbag.sources.limits import MAX_DEPTH, MAX_ENTRIES, MAX_LISTED
from skillbag.sources.placeholders import write_stand_ins
from skillbag.sources.refused_skills import RECORD, is_refused, record, refused_skills, without
from skillbag.workspace.tree import left_out
from skillbag.workspace.tree_hash import ContentHash, TreeHash

_STAND_IN_HASH = sha256(STAND_IN).hexdigest()
_LONGEST_PATH = 4096
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def unpack(
    objects: Objects,
    commit: Commit,
    to: str,
    supply: Callable[[list[str]], None],
    *,
    plain: bool = False,
    whole: bool = False,
) -> str:
    """Write what is installed from a commit into the empty folder `to`; checked before; returns its tree hash.

    `supply` is given the names of the contents that are not in the repository yet, all at once, and gets them. With
    `plain` it is a plain repository, of which the folders with a `SKILL.md` are taken; with `whole`, all that a check
    could look at, and a stand-in for every other file.

    Raises:
        InvalidSourceError: what the commit holds is hostile or no source; all faults are named.
        BrokenRepositoryError: something is missing or damaged.
        OSError: `to` can't be written.
    """
    others: list[str] = []
    if plain:
        members, parts, others = _plain_members(objects, commit, whole_parts if whole else plain_parts)
    else:
        members, parts = _members(objects, commit), None
    sizes = _sizes(objects.repository, members, supply)
    entries = list(_entries(objects, members, sizes))
    refused = refused_skills(entries, parts) if parts is not None and not whole else {}
    if parts is not None and refused:
        members = [member for member in members if not is_refused(member.path, refused)]
        entries = [member for member in entries if not is_refused(member.path, refused)]
        parts = without(parts, refused)
    if found := faults(entries, parts):
        raise InvalidSourceError(found)
    return _write(objects, members, entries, to, others if whole else (), refused)


def _members(objects: Objects, commit: Commit) -> list[Member]:
    members = list(islice(_walk(objects, commit.tree), MAX_ENTRIES + 1))
    if len(members) > MAX_ENTRIES:
        raise InvalidSourceError(faults(SourceEntry(member.path, member.kind, 0, False) for member in members))
    if not any(member.path in (AGENTS, SKILLS) for member in members):
        everything = islice(_walk(objects, commit.tree, lambda _: True), MAX_ENTRIES)
        hint = f"; it holds {TAKES_PLAIN}" if any(is_skill_file(member.path) for member in everything) else ""
        raise InvalidSourceError([f"the repository holds neither `{AGENTS}` nor `{SKILLS}/` at its root{hint}"])
    return members


def _plain_members(
    objects: Objects, commit: Commit, choose: Callable[[list[str], list[str]], PlainParts]
) -> tuple[list[Member], PlainParts, list[str]]:
    """What is taken of a plain repository and the folders above it; the paths of the files and links that are not."""
    listed = list(islice(_walk(objects, commit.tree, lambda _: True), MAX_LISTED + 1))
    if len(listed) > MAX_LISTED:
        raise InvalidSourceError(
            [f"the repository holds more than {MAX_LISTED:,} files and folders, the most that is searched for skills"]
        )
    by_kind = {kind: [member.path for member in listed if member.kind is kind] for kind in EntryKind}
    parts = choose(by_kind[EntryKind.FILE], by_kind[EntryKind.LINK])
    if parts.is_empty:
        raise InvalidSourceError([NO_SKILLS])
    taken_paths = {member.path for member in listed if parts.taken(member.path)}
    wanted = taken_paths | above(taken_paths)
    others = [member.path for member in listed if member.has_content and member.path not in wanted]
    return [member for member in listed if member.path in wanted], parts, others


def _walk(objects: Objects, tree: str, wanted: Callable[[str], bool] = taken) -> Iterator[Member]:
    """What is `wanted` of a tree's own entries and all below, folders before what is in them.

    One tree may be used in many folders, so callers limit the walk. It goes one name deeper than what may be taken, so
    that the fault can be reported.
    """
    pending = [("", tree)]
    while pending:
        prefix, name = pending.pop()
        for mode, entry, child in objects.tree(name):
            member = Member(prefix + entry, mode, child)
            if prefix or wanted(member.path):
                yield member
                if member.kind is EntryKind.FOLDER and member.path.count("/") < MAX_DEPTH:
                    pending.append((f"{member.path}/", child))


def _sizes(repository: str, members: Iterable[Member], supply: Callable[[list[str]], None]) -> dict[str, int]:
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


def _entries(objects: Objects, members: Iterable[Member], sizes: dict[str, int]) -> Iterator[SourceEntry]:
    for member in members:
        if member.has_content and member.name not in sizes:
            raise BrokenRepositoryError(member.name)
        size, target = sizes.get(member.name, 0), ""
        if member.kind is EntryKind.LINK and size <= _LONGEST_PATH:
            (content,) = objects.contents([member.name])
            size, target = 0, os.fsdecode(b"".join(content))
        yield SourceEntry(
            member.path, member.kind, size, member.kind is EntryKind.FILE and bool(member.mode & 0o100), target
        )


def _write(
    objects: Objects,
    members: Iterable[Member],
    entries: Iterable[SourceEntry],
    to: str,
    others: Iterable[str],
    refused: Mapping[str, str],
) -> str:
    """Write folders, then files, then links, so that nothing is written through a link; the hash of the tree.

    `others` are the paths of placeholders, `refused` the skills that were left out.
    """
    tree = TreeHash()
    places = {entry.path: os.path.join(to, *entry.path.split("/")) for entry in entries}
    for entry in entries:
        if entry.kind is EntryKind.FOLDER:
            os.mkdir(places[entry.path])
    files = [member for member in members if member.kind is EntryKind.FILE]
    for member, content in zip(files, objects.contents([member.name for member in files]), strict=True):
        digest = _write_file(places[member.path], 0o755 if member.mode & 0o100 else 0o644, content)
        if not left_out(member.path):
            tree.add_file(member.path, digest)
    if refused:
        tree.add_file(RECORD, _write_file(os.path.join(to, RECORD), 0o644, [record(refused)]))
    for path in write_stand_ins(to, others):
        tree.add_file(path, _STAND_IN_HASH)
    for entry in entries:
        if entry.kind is EntryKind.LINK:
            os.symlink(entry.target, places[entry.path])
            if not left_out(entry.path):
                tree.add_link(entry.path, entry.target)
    return tree.value()


def _write_file(path: str, mode: int, content: Iterable[bytes]) -> str:
    digest = ContentHash()
    with os.fdopen(os.open(path, _FLAGS, mode), "wb") as file:
        for piece in content:
            digest.update(piece)
            file.write(piece)
    return digest.value()
