"""The kinds of source: one table, from which the addresses, the lock and the fetcher take what they know of a kind."""

from __future__ import annotations

from enum import StrEnum

_COMMIT = r"[0-9a-f]{40}|[0-9a-f]{64}"
_HASH = r"sha256:[0-9a-f]{64}"
_RELEASE = r"[0-9][0-9A-Za-z.+-]{0,255}@sha256:[0-9a-f]{64}"


class SourceKind(StrEnum):
    """What is at an address.

    `lock_kind` is the kind as the lock has it, and `resolved` the expression that its `resolved` matches (empty: null).
    """

    lock_kind: str
    resolved: str

    def __new__(cls, value: str, lock_kind: str, resolved: str) -> SourceKind:
        """A kind can't be added without what the lock needs of it."""
        kind = str.__new__(cls, value)
        kind._value_, kind.lock_kind, kind.resolved = value, lock_kind, resolved
        return kind

    GIT = "git", "git", _COMMIT
    HTTP_ZIP = "http-zip", "zip", _HASH
    ZIP = "zip", "zip", _HASH
    HTTP_TAR = "http-tar", "tar", _HASH
    TAR = "tar", "tar", _HASH
    FOLDER = "folder", "folder", ""
    REGISTRY = "registry", "registry", _RELEASE

    @property
    def is_archive(self) -> bool:
        """Whether it is an archive, on the disk or over HTTP."""
        return self.resolved == _HASH

    @property
    def is_downloaded(self) -> bool:
        """Whether it is an archive over HTTP."""
        return self in (SourceKind.HTTP_ZIP, SourceKind.HTTP_TAR)


LOCK_KINDS = {kind.lock_kind: kind.resolved for kind in SourceKind}
"""For each kind of the lock the expression that its `resolved` matches."""
