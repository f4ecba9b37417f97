"""Predicates for any rule about the files of a skill: which there must be or must not be, and how large they are."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.base.globs import matches
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs.read import Unread, Unreadable, read
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.tree import FILE, TreeEntry
from skillbag.lint.checks.predicate import Match, OptionFault, Predicate, Subject
from skillbag.lint.checks.text_parts import glob_faults


class Globs(NamedTuple):
    """`files`: globs of paths within a skill, with the syntax of `.gitignore`."""

    files: tuple[str, ...] = ()

    def faults(self) -> Iterator[OptionFault]:
        """What is wrong with the values."""
        yield from glob_faults(self.files)


class FileLimits(NamedTuple):
    """The files that are meant, and their limits: 0 for none."""

    files: tuple[str, ...] = ("*",)
    max_bytes: int = 0
    max_lines: int = 0

    def faults(self) -> Iterator[OptionFault]:
        """What is wrong with the values."""
        if not (self.max_bytes or self.max_lines):
            yield OptionFault((), "give `max-bytes` or `max-lines`")
        yield from glob_faults(self.files)


def files_of(skill: Skill, globs: tuple[str, ...]) -> Iterator[TreeEntry]:
    """The files of a skill that the globs name."""
    return (entry for entry in skill.listing.entries if entry.kind is FILE and matches(entry.relative, globs))


@Predicate("file-required", Subject.SKILL, values=("file",), options=Globs)
def file_required(skill: Skill, options: Globs) -> Iterator[Match]:
    """Globs that no file of a skill matches, at its `SKILL.md`."""
    # The files of a skill within another one are among those of the outer one.
    is_inner = os.path.dirname(skill.directory) != skill.skills_root
    for glob in () if is_inner else options.files:
        if next(files_of(skill, (glob,)), None) is None:
            yield Match(skill.path, values={"file": glob})


@Predicate("file-forbidden", Subject.SKILL, values=("file",), options=Globs)
def file_forbidden(skill: Skill, options: Globs) -> Iterator[Match]:
    """Files that one of the globs matches; a later glob that begins with `!` takes files out."""
    for entry in files_of(skill, options.files):
        yield Match(entry.path, values={"file": entry.relative})


@Predicate("file-size", Subject.SKILL, values=("file", "size"), options=FileLimits)
def file_size(skill: Skill, options: FileLimits) -> Iterator[Match]:
    """Files that are larger than a limit."""
    for entry in files_of(skill, options.files):
        sizes = []
        size = _bytes(entry.path, skill.root) if options.max_bytes else 0
        if size > options.max_bytes > 0:
            sizes.append(f"{size:,} bytes, more than {options.max_bytes:,}")
        document = skill.read(entry.relative) if options.max_lines else None
        lines = len(document.text.splitlines()) if isinstance(document, Document) else 0
        if lines > options.max_lines > 0:
            sizes.append(f"{lines:,} lines, more than {options.max_lines:,}")
        if sizes:
            yield Match(entry.path, values={"file": entry.relative, "size": ", and ".join(sizes)})


def _bytes(path: str, root: str) -> int:
    found = read(path, root)
    if isinstance(found, Unreadable):
        return int(found.detail) if found.reason is Unread.TOO_LARGE else 0
    return len(found)
