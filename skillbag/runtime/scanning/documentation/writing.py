"""Write generated pages: new ones, and those that are as an earlier run wrote them (skill runtime, section 8)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import Unread, Unreadable, read
from skillbag.runtime.scanning.documentation.pages import DocumentationPage

RECORD = ".skillbag-wiki.json"
"""The file with the hashes of the pages that were written; whoever edits one keeps it."""


class WrittenPages(NamedTuple):
    """The paths that were written, those that are as they should be already, and those that are left alone: a user has
    written or edited them."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    kept: tuple[str, ...]


def write_pages(folder: str, pages: Iterable[DocumentationPage]) -> WrittenPages:
    """Write the pages below the absolute `folder`, each at once, and the record last.

    Raises:
        UserError: the record can't be read. OSError: the environment fails.
    """
    os.makedirs(folder, exist_ok=True)
    root = os.path.realpath(folder)
    record = _read_record(root)
    hashes = dict(record)
    written, unchanged, kept = [], [], []
    for page in pages:
        data = page.text.encode("utf-8", "replace")
        path = os.path.join(root, page.path)
        before = _hash_at(path, root)
        if before == _hash(data):
            unchanged.append(page.path)
        elif before is None or before == record.get(page.path):
            write_atomic(path, data, root=root)
            written.append(page.path)
        else:
            kept.append(page.path)
            continue
        hashes[page.path] = _hash(data)
    if hashes != record:
        text = json.dumps({"version": 1, "pages": dict(sorted(hashes.items()))}, indent=1) + "\n"
        write_atomic(os.path.join(root, RECORD), text.encode(), root=root)
    return WrittenPages(tuple(written), tuple(unchanged), tuple(kept))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _hash_at(path: str, root: str) -> str | None:
    """The hash of what is there, None for nothing; what can't be read has one that no page has."""
    # A link is the user's, wherever it leads.
    if os.path.islink(path) or os.path.realpath(os.path.dirname(path)) != os.path.dirname(path):
        return "link"
    data = read(path, root)
    if isinstance(data, Unreadable):
        return None if data.reason is Unread.MISSING else "unreadable"
    return _hash(data)


def _read_record(root: str) -> Mapping[str, str]:
    path = os.path.join(root, RECORD)
    data = read(path, root)
    if isinstance(data, Unreadable):
        if data.reason is Unread.MISSING:
            return {}
        raise UserError(f"{path}: it can't be read ({data.reason}); remove it, or name another folder")
    try:
        pages = json.loads(data)["pages"]
        return {str(name): str(value) for name, value in pages.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(f"{path}: it is not a record of generated pages; remove it, or name another folder") from None
