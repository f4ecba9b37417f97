"""Differences between two folders of a skill, as values and as a patch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.lock_file import LOCK, Locked
from skillbag.kernel.workspace.tree import TreeEntry
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.install.git_texts import hunks
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, Status, StoppedError
from skillbag.supply.install.problems import absent, fetch_or_stop
from skillbag.supply.install.state import InstalledState, locked_row
from skillbag.supply.install.versions import (
    entries,
    is_text,
    mixed_ends,
    read_version,
    same,
    same_content,
    with_ends_of,
)
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.skill_layout import skill_folder_in


class FileVersion(NamedTuple):
    """A file or link on one side: its mode as git writes it, and its entry."""

    mode: str
    entry: TreeEntry


@dataclass(frozen=True, slots=True)
class FileDifference:
    """One path (relative, with `/`) that differs; `before` or `after` is None if it is absent.

    `text` is false if either side has a NUL; `changed` is false if only the executable bit differs.
    """

    path: str
    text: bool
    changed: bool
    before: FileVersion | None
    after: FileVersion | None


def compare(before: str | None, after: str | None) -> tuple[FileDifference, ...]:
    """The differences between two folders of a skill, sorted by path; None stands for no skill.

    Line endings, files that belong to no skill (see `tree_hash`), devices, pipes and sockets are ignored.

    Raises:
        OSError: a folder or a file can't be read.
    """
    sides = [entries(folder, others=True) if folder is not None else {} for folder in (before, after)]
    paths = sorted(sides[0].keys() | sides[1].keys())
    found = (_compared(path, sides[0].get(path), sides[1].get(path)) for path in paths)
    return tuple(difference for difference in found if difference)


def _compared(path: str, *entries: TreeEntry | None) -> FileDifference | None:
    old, new = (read_version(entry) if entry else None for entry in entries)
    if same(old, new):
        return None
    text = all(is_text(version.data) for version in (old, new) if version)
    before, after = (
        FileVersion(version.mode, entry) if version and entry else None
        for version, entry in zip((old, new), entries, strict=True)
    )
    return FileDifference(path, text, not same_content(old, new), before, after)


def unified(differences: Iterable[FileDifference], before_label: str = "a", after_label: str = "b") -> str:
    """The differences as a patch in git's form, which `git apply` accepts if all of it is text.

    The labels precede each path with a `/`, as git's own `a` and `b` do. Bytes that are not UTF-8 become surrogates;
    control characters are kept. If the line endings of a whole file differ, the patch has those of `before`.

    Raises:
        OSError: a file can't be read any more, or git can't be run.
    """
    # By git, as difflib is quadratic, or cubic at worst, in large texts. One process compares all files.
    parts = [part for difference in differences for part in _parts(difference)]
    bodies = hunks([_texts(part) for part in parts])
    labels = (before_label, after_label)
    return "".join(
        line
        for part, body in zip(parts, bodies, strict=True)
        for line in _lines(part, body.decode("utf-8", "surrogateescape"), labels)
    )


def _parts(difference: FileDifference) -> tuple[FileDifference, ...]:
    """Git shows a change of type as a removal and an addition."""
    before, after = difference.before, difference.after
    if before is None or after is None or before.entry.kind == after.entry.kind:
        return (difference,)
    return replace(difference, after=None), replace(difference, before=None)


def _texts(difference: FileDifference) -> tuple[bytes, bytes]:
    """The two texts to compare, both empty if there are no hunks."""
    if not difference.text or not difference.changed:
        return b"", b""
    before, after = (read_version(side.entry).data if side else b"" for side in (difference.before, difference.after))
    return before, after if mixed_ends(before) else with_ends_of(before, after)


def _lines(difference: FileDifference, body: str, labels: tuple[str, str]) -> Iterator[str]:
    before, after = difference.before, difference.after
    old, new = (_quoted(f"{label}/{difference.path}") for label in labels)
    yield f"diff --git {old} {new}\n"
    yield from _modes(before, after)
    old, new = (name if state else "/dev/null" for name, state in ((old, before), (new, after)))
    if body:
        # A tab ends a name with blanks.
        old, new = (f"{name}\t" if " " in name else name for name in (old, new))
        yield f"--- {old}\n+++ {new}\n"
        yield body
    elif difference.changed and not difference.text:
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
    """A name as git writes it: quoted and escaped if that is necessary."""
    escaped = re.sub(r'[\0-\x1f\x7f"\\]', lambda found: "\\" + (_ESCAPES.get(found[0]) or f"{ord(found[0]):03o}"), name)
    return name if escaped == name else f'"{escaped}"'


def diff_skill(root: str, name: str, upstream: bool, fetcher: Fetcher) -> Outcome:
    """Compare the installed version with the disk; with `upstream`, the disk with the source's newest version.

    Raises:
        UserError: the skill is not locked.
    """
    state = InstalledState(root)
    locked = state.locked(name)
    if locked is None:
        raise UserError(f"{name}: it is not in {LOCK}, so there is nothing to compare with; see skillbag list")
    ours = state.folder(name) if state.is_present(name) else None
    try:
        other = locked_folder(state, name, locked, fetcher, newest=upstream)
    except StoppedError as stopped:
        return Outcome("diff", root, problems=stopped.problems)
    before, after = (ours, other) if upstream else (other, ours)
    differences = compare(before, after)
    text = unified(differences, f"a/{state.at(name)}", f"b/{state.at(name)}")
    changed = Status.OUTDATED if state.is_stale(name) else Status.EDITED
    status = Status.MISSING if ours is None else changed if differences else Status.CURRENT
    row = locked_row(name, status, locked)._replace(tree=state.tree(name), asked_by=())
    return Outcome("diff", root, (row,), text=text, values={"files": len(differences)})


def locked_folder(state: InstalledState, name: str, locked: Locked, fetcher: Fetcher, *, newest: bool = False) -> str:
    """The skill's folder in its source: at the locked commit or archive, or with `newest` at the version's newest one.

    Raises:
        StoppedError: it can't be fetched, or differs from the lock.
    """
    spec = state.locked_spec(name)
    fetched = fetch_or_stop(fetcher, spec._replace(resolved=None) if newest else spec)
    fetched = state.located(fetched, name)
    folder = skill_folder_in(fetched, name)
    if folder is None:
        message, fix = f"{name}: {absent(fetched, name)}", ""
    elif newest or tree_hash(folder) == locked.tree:
        return folder
    else:
        message = (
            f"{name}: its source does not hold what {LOCK} says: it has changed since, {LOCK} was edited, or one "
            "of them was tampered with; the installed version is stored nowhere else"
        )
        fix = "--upstream compares with what the source holds now."
    raise StoppedError(Problem(ProblemKind.DRIFT, message, source=locked.source, fix=fix))
