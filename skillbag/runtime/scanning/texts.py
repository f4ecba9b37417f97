"""The texts of a workspace that a scan looks at (skill runtime, section 8)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.frontmatter import FrontMatter, front_matter
from skillbag.kernel.documents.source import DocumentProblem, read_document
from skillbag.kernel.workspace.text import TextFile, language_of


def chosen(root: str, files: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Those of the workspace's `files` (relative) that are at or below one of the absolute `paths`; all without any.

    Raises:
        UserError: a path does not exist, or is not in the workspace.
    """
    wanted = [_relative(root, path) for path in paths]
    if not wanted or "." in wanted:
        return list(files)
    folders = tuple(f"{path}/" for path in wanted)
    return [file for file in files if file in wanted or file.startswith(folders)]


def _relative(root: str, path: str) -> str:
    if not os.path.lexists(path):
        raise UserError(f"{path}: there is no such file or folder")
    # The path itself may be a link, which is a file of the workspace.
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    relative = os.path.relpath(real if os.path.islink(path) else os.path.realpath(path), root).replace(os.sep, "/")
    if relative.split("/")[0] == "..":
        raise UserError(f"{path}: it is not in the workspace {root}; scan a path in it")
    return relative


def read_texts(root: str, files: Iterable[str]) -> Iterator[TextFile]:
    """The files that are texts of at most 1 MiB; others, and what can't be read, are left out."""
    for relative in files:
        document = read_document(os.path.join(root, relative), root)
        if isinstance(document, DocumentProblem):
            continue
        language = language_of(relative) or "text"
        body = 0
        if language == "markdown" and isinstance(matter := front_matter(document), FrontMatter):
            body = matter.body
        yield TextFile(document, relative, language, body)
