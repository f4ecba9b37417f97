"""Findings -> changes of files: safe edits only, each file changed as a whole, everything else in it byte for byte."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from skillbag import files
from skillbag.documents.source import Document, Problem, read_document
from skillbag.findings import Finding, MakeExecutable, Rename, TextEdit, WriteFile


@dataclass(frozen=True)
class Change:
    """One file before and after; `old` is None where there is none yet.

    `renamed` is the new absolute path, `mode` the new permission bits; None where they stay.
    """

    path: str
    root: str
    old: bytes | None
    new: bytes
    renamed: str | None = None
    mode: int | None = None


def plan_fixes(findings: Iterable[Finding]) -> tuple[Change, ...]:
    """The changes that the findings' edits make, one a file, sorted by path.

    Of edits that overlap the first is taken; the others' findings are still there on the next check.
    """
    by_path: dict[str, list[TextEdit | WriteFile | Rename | MakeExecutable]] = {}
    roots: dict[str, str] = {}
    for finding in findings:
        for edit in finding.edits:
            edits = by_path.setdefault(edit.path, [])
            roots[edit.path] = finding.root
            if not any(type(one) is type(edit) and one == edit for one in edits):
                edits.append(edit)
    changes = (_change(path, roots[path], edits) for path, edits in sorted(by_path.items()))
    return tuple(change for change in changes if change is not None)


def _change(path: str, root: str, edits: list[TextEdit | WriteFile | Rename | MakeExecutable]) -> Change | None:
    old = files.read(path, root)
    if isinstance(old, files.Unreadable) and old.reason is not files.Unread.MISSING:
        return None
    before = old if isinstance(old, bytes) else None
    after = _text_after(path, root, edits)
    renamed = next((os.path.join(os.path.dirname(path), e.name) for e in edits if isinstance(e, Rename)), None)
    mode = _mode_after(path) if any(isinstance(e, MakeExecutable) for e in edits) else None
    new = after if after is not None else before
    if new is None or (new == before and renamed is None and mode is None):
        return None
    return Change(path, root, before, new, renamed, mode)


def _text_after(path: str, root: str, edits: Iterable[object]) -> bytes | None:
    document = read_document(path, root)
    for edit in edits:
        if isinstance(edit, WriteFile):
            return (Document(path, b"", "") if isinstance(document, Problem) else document).encode(edit.text)
    if isinstance(document, Problem):
        return None
    pieces = list(_pieces(document.text, sorted((e for e in edits if isinstance(e, TextEdit)), key=_order)))
    return document.encode("".join(pieces)) if pieces else None


def _order(edit: TextEdit) -> tuple[int, int]:
    return edit.start, edit.end


def _pieces(text: str, edits: list[TextEdit]) -> Iterator[str]:
    if not edits:
        return
    at = 0
    for edit in edits:
        if edit.start >= at:
            yield text[at : edit.start]
            yield edit.text
            at = edit.end
    yield text[at:]


def _mode_after(path: str) -> int | None:
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return None
    # Whoever may read it may run it.
    return mode | (mode & 0o444) >> 2


def apply_changes(changes: Iterable[Change]) -> None:
    """Make the changes, each file atomically, and all of them or none.

    Raises:
        OSError: a file could not be written, or is no longer what it was when the change was planned. What was written
            before it is taken back.
    """
    with ExitStack() as stack:
        batches: dict[str, files.Batch] = {}
        for change in changes:
            if change.root not in batches:
                batches[change.root] = stack.enter_context(files.Batch(change.root))
            _apply(change, batches[change.root])


def _apply(change: Change, batch: files.Batch) -> None:
    now = files.read(change.path, change.root)
    if (now if isinstance(now, bytes) else None) != change.old:
        raise OSError(f"{change.path}: it was changed by somebody else meanwhile; nothing was written")
    if change.new != change.old:
        batch.write(change.path, change.new)
    if change.mode is not None:
        batch.chmod(change.path, change.mode)
    if change.renamed is not None:
        batch.rename(change.path, change.renamed)
