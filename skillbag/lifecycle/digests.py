"""What a session remembers files by, and compares them by: their content, never their time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from skillbag.fs.read import Unread, Unreadable

if TYPE_CHECKING:
    from skillbag.documents.source import Document, DocumentProblem
    from skillbag.lifecycle.skills import Listed


def digest(content: bytes | Unreadable) -> str | None:
    """The SHA-256 of a file's bytes; None where it is not there; a word where it is there and can't be read."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    return None if content.reason is Unread.MISSING else f"unread: {content.reason}"


def document_digest(document: Document | DocumentProblem | None) -> str | None:
    """As `digest`, of what was read as a document."""
    return digest(raw) if isinstance(raw := getattr(document, "raw", None), bytes) else None


def line_digests(listed: Mapping[str, Listed]) -> dict[str, str]:
    """The SHA-256 of each skill's catalog line, by its name; neither line ends nor the order of lines count."""
    return {
        name: hashlib.sha256(skill.description.encode("utf-8", "surrogatepass")).hexdigest()
        for name, skill in listed.items()
    }
