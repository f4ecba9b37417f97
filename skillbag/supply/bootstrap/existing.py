"""The files that are there before a plan is made, and the error for one that stands in the way."""

from __future__ import annotations

import os

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.source import Document, DocumentProblem, decode, read_document
from skillbag.kernel.fs.read import LIMIT, is_within


class CannotInitError(UserError):
    """The request can't be carried out here; the message says why and what to do."""


def find(root: str, path: str) -> Document | None:
    """The text file at `path` (relative, with `/`), or None if it does not exist and can be created.

    Raises:
        CannotInitError: there is a folder, a link that is broken or leaves the root, or a file that is not text; or a
            parent is not a folder.
    """
    names = path.split("/")
    for depth in range(len(names)):
        folder = os.path.join(root, *names[:depth])
        shown = "/".join(names[:depth]) or root
        if not is_within(root, folder):
            raise CannotInitError(f"{shown}: it is a link that leaves {root}")
        if os.path.lexists(folder) and not os.path.isdir(folder):
            raise CannotInitError(f"{shown}: a folder is needed here, and this is not one")
    document = read_document(os.path.join(root, *names), root)
    if isinstance(document, Document):
        return document
    if document.kind != "missing":
        raise CannotInitError(f"{path}: {document.detail}")
    return None


def refusal(path: str, reason: str, entry: str) -> CannotInitError:
    """The error for a file of an unknown shape, with the text to add."""
    return CannotInitError(f"{path}: {reason}; nothing was changed. Add this yourself:\n\n{entry}")


def text_of(name: str, raw: bytes) -> Document:
    """The document of bytes from elsewhere; messages call it `name`.

    Raises:
        CannotInitError: they are not text, or too large for a file.
    """
    if len(raw) > LIMIT:
        raise CannotInitError(f"{name}: it is larger than {LIMIT >> 20} MiB")
    document = decode(name, raw)
    if isinstance(document, DocumentProblem):
        raise CannotInitError(f"{name}: {document.detail}")
    return document
