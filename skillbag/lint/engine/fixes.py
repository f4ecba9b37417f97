"""Findings -> changes of files: safe edits only, each file written as a whole, all its other bytes unchanged."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs.atomic import RefusedWriteError, rename
from skillbag.kernel.fs.read import Unread, Unreadable, is_within, overlay, read
from skillbag.kernel.model.findings import Finding, MakeExecutable, Rename, TextEdit, WriteFile
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.locations import CHECKED_FOLDER
from skillbag.kernel.transaction.steps import is_file_location
from skillbag.kernel.transaction.writer import writing

if TYPE_CHECKING:
    from skillbag.kernel.model.result import CheckResult
    from skillbag.kernel.transaction.journal import Transaction

_MAX_PASSES = 10


@dataclass(frozen=True)
class FixedFile:
    """One file before and after; `old` is None where there is none yet.

    `renamed` is the new absolute path, `mode` the new permission bits; None where they stay.
    """

    path: str
    root: str
    old: bytes | None
    new: bytes
    renamed: str | None = None
    mode: int | None = None


def plan_fixes(findings: Iterable[Finding]) -> tuple[FixedFile, ...]:
    """The changes that the findings' edits make, one for each file, sorted by path.

    Of overlapping edits the first is applied; the next check reports the findings of the others again.
    """
    by_path: dict[str, list[TextEdit | WriteFile | Rename | MakeExecutable]] = {}
    roots: dict[str, str] = {}
    for finding in findings:
        for edit in finding.edits:
            edits = by_path.setdefault(edit.path, [])
            roots[edit.path] = finding.root
            if not any(type(known) is type(edit) and known == edit for known in edits):
                edits.append(edit)
    changes = (
        _change(path, roots[path], by_path[path]) for path in _own_names(by_path) if may_write(roots[path], path)
    )
    return tuple(change for change in changes if change is not None)


def _own_names(paths: Iterable[str]) -> list[str]:
    """The paths, each file once and none that is a link: links in a text lead elsewhere from where it really lies."""
    found: dict[str, str] = {}
    for path in sorted(path for path in paths if not os.path.islink(path)):
        found.setdefault(os.path.realpath(path), path)
    return sorted(found.values())


def may_write(root: str, path: str) -> bool:
    """Whether a fix may write `path` below `root`: not where a part of it has a colon or backslash, for example."""
    return is_file_location(_relative(os.path.realpath(root), os.path.realpath(path)), CHECKED_FOLDER)


def _change(path: str, root: str, edits: list[TextEdit | WriteFile | Rename | MakeExecutable]) -> FixedFile | None:
    old = read(path, root)
    if isinstance(old, Unreadable) and old.reason is not Unread.MISSING:
        return None
    before = old if isinstance(old, bytes) else None
    after = _text_after(path, root, edits)
    renamed = next((os.path.join(os.path.dirname(path), e.name) for e in edits if isinstance(e, Rename)), None)
    mode = _mode_after(path) if any(isinstance(e, MakeExecutable) for e in edits) else None
    new = after if after is not None else before
    if new is None or (new == before and renamed is None and mode is None):
        return None
    return FixedFile(path, root, before, new, renamed, mode)


def _text_after(path: str, root: str, edits: Iterable[object]) -> bytes | None:
    document = read_document(path, root)
    for edit in edits:
        if isinstance(edit, WriteFile):
            return (Document(path, b"", "") if isinstance(document, DocumentProblem) else document).encode(edit.text)
    if isinstance(document, DocumentProblem):
        return None
    replacements = [edit for edit in edits if isinstance(edit, TextEdit)]
    pieces, at = [], 0
    for edit in sorted(replacements, key=lambda edit: (edit.start, edit.end)):
        if edit.start >= at:
            pieces += [document.text[at : edit.start], edit.text]
            at = edit.end
    return document.encode("".join([*pieces, document.text[at:]])) if replacements else None


def _mode_after(path: str) -> int | None:
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return None
    # Executable for all who may read it.
    return mode | (mode & 0o444) >> 2


def plan_whole(check: Callable[[], CheckResult]) -> tuple[CheckResult, tuple[FixedFile, ...]]:
    """The current result of `check`, and the changes after which nothing is left to fix, one for each file.

    A fix may uncover a finding that another one removes; those that a new name or new permissions uncover are left.
    """
    found: dict[str, FixedFile] = {}
    contents: dict[str, bytes] = {}
    result = check()
    for _ in range(_MAX_PASSES):
        with overlay(contents):
            latest = check() if contents else result
            planned = plan_fixes(latest.findings)
        moved = {change.path for change in found.values() if change.renamed is not None or change.mode is not None}
        new = [change for change in planned if change.path not in moved]
        if not new:
            break
        for change in new:
            first = found.get(change.path, change)
            found[change.path] = replace(change, old=first.old)
            contents[change.path] = change.new
    return result, tuple(change for _, change in sorted(found.items()))


def apply_changes(changes: Iterable[FixedFile], named: Iterable[str] = ()) -> None:
    """Make the changes below each folder in one transaction, which a killed process leaves whole or not started.

    The folder is the one of `named` (absolute) that is or holds the root of a change, else that root itself, so that
    the same check recovers it.

    Raises:
        OSError: a file could not be written, or has changed since the change was planned.
    """
    folders = sorted((path for path in named if os.path.isdir(path)), key=len, reverse=True)
    groups: dict[str, list[FixedFile]] = {}
    for change in changes:
        around = (
            folder
            for folder in folders
            if f"{change.root}{os.sep}".startswith(os.path.join(folder, "")) and may_write(folder, change.path)
        )
        groups.setdefault(os.path.realpath(next(around, change.root)), []).append(change)
    for group in groups.values():
        for change in group:
            _check(change)
    for root, group in groups.items():
        _apply(root, group)


def _check(change: FixedFile) -> None:
    now = read(change.path, change.root)
    if (now if isinstance(now, bytes) else None) != change.old:
        raise OSError(f"{change.path}: another program has changed it meanwhile; nothing was written")
    if not is_within(change.root, os.path.realpath(change.path)):
        raise RefusedWriteError(errno.EPERM, "refused: the path leaves its root", change.path)
    renamed = change.renamed
    if renamed is not None and os.path.lexists(renamed) and not _is_same(change.path, renamed):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), renamed)


def _apply(root: str, changes: Iterable[FixedFile]) -> None:
    with writing(root, locations=CHECKED_FOLDER), Transaction(root, CHECKED_FOLDER) as whole:
        for change in changes:
            _stage(whole, root, change)
        whole.commit()
    for change in changes:
        # On a file system that ignores case both names are one file, which is renamed last, outside the transaction.
        if change.renamed is not None and _is_same(change.path, change.renamed):
            rename(change.path, change.renamed, root=change.root)


def _stage(whole: Transaction, root: str, change: FixedFile) -> None:
    real = os.path.realpath(change.path)
    path = _relative(root, real)
    mode = change.mode
    if change.renamed is None or _is_same(change.path, change.renamed):
        whole.put_file(path, change.new, expected=change.old, mode=mode)
        return
    if mode is None and change.old is not None:
        mode = stat.S_IMODE(os.stat(real).st_mode)
    new = os.path.join(os.path.dirname(real), os.path.basename(change.renamed))
    if change.old is not None:
        whole.remove_file(path, expected=change.old)
    whole.put_file(_relative(root, new), change.new, expected=None, mode=mode)


def _is_same(path: str, other: str) -> bool:
    """Whether both are names of one file, as where the file system ignores case."""
    return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)


def _relative(root: str, path: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")
