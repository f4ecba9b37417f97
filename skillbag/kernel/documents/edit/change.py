"""A change of one file as a value, and the errors of edits."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.kernel.base.errors import UserError


class FileChange(NamedTuple):
    """A file's content before (None: there is no file) and after; `path` is relative to the workspace."""

    path: str
    before: bytes | None
    after: bytes


class NotEditableError(Exception):
    """The text can't be edited safely; the argument is the reason, in words that follow "it"."""


class HandEditError(UserError):
    """The file can't be edited safely; the message says where and why, and which edit the user has to make."""
