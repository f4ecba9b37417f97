"""The hashes by which a session compares files: of contents, never of times."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from skillbag.fs.read import Unread, Unreadable

if TYPE_CHECKING:
    from skillbag.documents.source import Document, DocumentProblem
    from skillbag.lifecycle.skills import Listed


def digest(content: bytes | Unreadable) -> str | None:
    """The SHA-256 of a file's bytes; None if it is missing; the reason if it can't be read."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    return None if content.reason is Unread.MISSING else f"unread: {content.reason}"


def document_digest(document: Document | DocumentProblem | None) -> str | None:
    """As `digest`, of a document."""
    return digest(raw) if isinstance(raw := getattr(document, "raw", None), bytes) else None


def line_digests(listed: Mapping[str, Listed]) -> dict[str, str]:
    """The SHA-256 of each skill's description in the catalog, by name."""
    return {
        name: hashlib.sha256(skill.description.encode("utf-8", "surrogatepass")).hexdigest()
        for name, skill in listed.items()
    }
