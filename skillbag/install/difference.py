"""What differs between two folders of a skill, as values and as a patch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.install.git_texts import hunks
from skillbag.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status, StoppedError
from skillbag.install.problems import fetch_or_stop
from skillbag.install.state import InstalledState
from skillbag.install.versions import (
    Version,
    entries,
    is_text,
    mixed_ends,
    read_version,
    same_content,
    with_ends_of,
)
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import FetchSpec
from skillbag.sources.skill_layout import find_skill
from skillbag.workspace.lock_file import LOCK, Locked
from skillbag.workspace.target import SKILL_ROOT
from skillbag.workspace.tree import Entry
from skillbag.workspace.tree_hash import tree_hash


class DifferenceKind(StrEnum):
    """What happened to a path. MODE: only its executable bit changed. TYPE: a file became a link, or a link a file."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MODE = "mode"
    TYPE = "type"


class FileVersion(NamedTuple):
    """A file or link on one side: its size in bytes (a link's: of its target), its mode as git writes it, and what is
    read for its content.
    """

    size: int
    mode: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class FileDifference:
    """One path (relative, with `/`) that differs; `before` and `after` are None where it is not there.

    `text` is false where either side holds NUL.
    """

    path: str
    kind: DifferenceKind
    text: bool
    before: FileVersion | None
    after: FileVersion | None


def compare(before: str | None, after: str | None) -> tuple[FileDifference, ...]:
    """The differences between two folders of a skill, sorted by path; None stands for no skill.

    Line ends alone are no difference, nor is what belongs to no skill (see `tree_hash`), nor a device, pipe or socket.

    Raises:
        OSError: a folder or a file can't be read.
    """
    sides = [entries(folder, others=True) if folder is not None else {} for folder in (before, after)]
    paths = sorted(sides[0].keys() | sides[1].keys())
    found = (_compared(path, sides[0].get(path), sides[1].get(path)) for path in paths)
    return tuple(difference for difference in found if difference)


def _compared(path: str, old: Entry | None, new: Entry | None) -> FileDifference | None:
    before, after = (read_version(entry) if entry else None for entry in (old, new))
    kind = _kind(before, after)
    if kind is None:
        return None
    text = all(is_text(version.data) for version in (before, after) if version)
    return FileDifference(path, kind, text, _state(before, old), _state(after, new))


def _kind(before: Version | None, after: Version | None) -> DifferenceKind | None:
    if before is None:
        return DifferenceKind.ADDED
    if after is None:
        return DifferenceKind.REMOVED
    if before.kind != after.kind:
        return DifferenceKind.TYPE
    if not same_content(before, after):
        return DifferenceKind.CHANGED
    return DifferenceKind.MODE if before.executable != after.executable else None


def _state(version: Version | None, entry: Entry | None) -> FileVersion | None:
    return FileVersion(len(version.data), version.mode, entry) if version and entry else None


def unified(differences: Iterable[FileDifference], before_label: str = "a", after_label: str = "b") -> str:
    """The differences as a patch in git's form, which `git apply` takes where all of it is text.

    The labels are put before each path with a `/`, as git's own `a` and `b` are. Bytes that are not UTF-8 come as
    surrogates; control characters are as they are in the files. Where the line ends of a whole file differ, the patch
    has those of `before`.

    Raises:
        OSError: a file can't be read any more, or git can't be had.
    """
    # Git compares, not difflib: that is quadratic, and cubic at worst, in texts that come from elsewhere and may be
    # large. One process compares all the files.
    patches = [_read(part) for difference in differences for part in _parts(difference)]
    labels = (before_label, after_label)
    return "".join(
        line
        for patch, body in zip(patches, hunks([patch.texts for patch in patches]), strict=True)
        for line in _lines(patch, body.decode("utf-8", "surrogateescape"), labels)
    )


class _Patch(NamedTuple):
    """A difference and the two texts of its hunks, both empty if there are none."""

    difference: FileDifference
    texts: tuple[bytes, bytes]


def _parts(difference: FileDifference) -> tuple[FileDifference, ...]:
    """Git shows a change of type as a removal and an addition."""
    if difference.kind is not DifferenceKind.TYPE:
        return (difference,)
    return (
        replace(difference, kind=DifferenceKind.REMOVED, after=None),
        replace(difference, kind=DifferenceKind.ADDED, before=None),
    )


def _read(difference: FileDifference) -> _Patch:
    if not difference.text or difference.kind is DifferenceKind.MODE:
        return _Patch(difference, (b"", b""))
    before, after = (
        read_version(state.entry).data if state else b"" for state in (difference.before, difference.after)
    )
    return _Patch(difference, (before, after if mixed_ends(before) else with_ends_of(before, after)))


def _lines(patch: _Patch, body: str, labels: tuple[str, str]) -> Iterator[str]:
    before, after = patch.difference.before, patch.difference.after
    old, new = (_quoted(f"{label}/{patch.difference.path}") for label in labels)
    yield f"diff --git {old} {new}\n"
    yield from _modes(before, after)
    old, new = (name if state else "/dev/null" for name, state in ((old, before), (new, after)))
    if body:
        yield f"--- {_ended(old)}\n+++ {_ended(new)}\n"
        yield body
    elif not patch.difference.text:
        yield f"Binary files {old} and {new} differ\n"


def _modes(before: FileVersion | None, after: FileVersion | None) -> Iterator[str]:
    if before is None and after:
        yield f"new file mode {after.mode}\n"
    elif after is None and before:
        yield f"deleted file mode {before.mode}\n"
    elif before and after and before.mode != after.mode:
        yield f"old mode {before.mode}\nnew mode {after.mode}\n"


_ESCAPES = dict(zip('\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True))


def _quoted(name: str) -> str:
    """A name as git writes it: in quotes where something in it would not be read back otherwise."""
    escaped = re.sub(r'[\0-\x1f\x7f"\\]', lambda found: "\\" + (_ESCAPES.get(found[0]) or f"{ord(found[0]):03o}"), name)
    return name if escaped == name else f'"{escaped}"'


def _ended(name: str) -> str:
    """With the tab that ends a name with blanks."""
    return f"{name}\t" if " " in name else name


def diff_skill(root: str, name: str, upstream: bool, fetcher: Fetcher) -> Outcome:
    """What was installed against what is on the disk; with `upstream`, what is on the disk against the source's newest.

    Raises:
        UserError: the lock does not know the skill.
        OSError: a file can't be read.
    """
    state = InstalledState(root)
    locked = state.locked(name)
    if locked is None:
        raise UserError(
            f"{name}: {LOCK} does not know it, so there is nothing to compare with; skillbag list shows what it knows"
        )
    ours = state.folder(name) if state.is_present(name) else None
    try:
        other = locked_folder(state, name, locked, fetcher, newest=upstream)
    except StoppedError as stopped:
        return Outcome("diff", root, problems=stopped.problems)
    before, after = (ours, other) if upstream else (other, ours)
    differences = compare(before, after)
    text = unified(differences, f"a/{SKILL_ROOT}/{name}", f"b/{SKILL_ROOT}/{name}")
    status = Status.MISSING if ours is None else Status.EDITED if differences else Status.CURRENT
    row = SkillRow(name, status, locked.source, locked.requested, locked.resolved, tree=state.tree(name))
    return Outcome("diff", root, (row,), text=text, values={"files": len(differences)})


def locked_folder(state: InstalledState, name: str, locked: Locked, fetcher: Fetcher, *, newest: bool = False) -> str:
    """The skill's folder as its source gives it: at the locked commit or archive, or as the version means now.

    Raises:
        StoppedError: it can't be had, or is not what the lock recorded.
    """
    fetched = fetch_or_stop(
        fetcher, FetchSpec(state.source_of(name), locked.requested, None if newest else locked.resolved)
    )
    folder = find_skill(fetched, name)
    if folder is None:
        raise StoppedError(
            Problem(ProblemKind.DRIFT, f"{name}: the source does not hold it any more", source=locked.source)
        )
    if not newest and tree_hash(folder) != locked.tree:
        raise StoppedError(
            Problem(
                ProblemKind.DRIFT,
                f"{name}: its source does not hold what {LOCK} says: it has changed since, {LOCK} was edited, or one "
                "of them was tampered with; what was installed is kept nowhere",
                source=locked.source,
                fix="--upstream compares with what the source holds now.",
            )
        )
    return folder
