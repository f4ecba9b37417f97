"""The formats of archives, by the names of their files and their addresses."""

from __future__ import annotations

from skillbag.kernel.workspace.source_kind import SourceKind

_ON_DISK = [kind for kind in SourceKind if kind.is_archive and not kind.row.is_downloaded]
_OVER_HTTP = [kind for kind in SourceKind if kind.row.is_downloaded]
ENDS = tuple(end for kind in _ON_DISK for end in kind.row.ends)
"""The ends of names of archives."""


def format_of(path: str) -> SourceKind | None:
    """The kind of archive on the disk that a file's name says, in any case."""
    return next((kind for kind in _ON_DISK if path.lower().endswith(kind.row.ends)), None)


def format_at(path: str) -> SourceKind | None:
    """The kind of archive that the path of an address says, by the file's name or by one of the folders."""
    folders = {*path.lower().split("/")[:-1]}
    named = next((kind for kind in _OVER_HTTP if path.lower().endswith(kind.row.ends)), None)
    return named or next((kind for kind in _OVER_HTTP if not folders.isdisjoint(kind.row.words)), None)


def without_end(name: str) -> str:
    """A file's name without the end of its format."""
    end = next((end for end in ENDS if name.lower().endswith(end)), "")
    return name[: len(name) - len(end)]


def is_address(text: str) -> bool:
    """Whether a word names a source and no skill: an address, a path, `OWNER/REPOSITORY`, an archive."""
    return bool({"/", "\\", ":"} & set(text)) or text.startswith((".", "~")) or format_of(text) is not None


def split_version(text: str) -> tuple[str, str]:
    """What stands before and behind the `@` or `#` of `PATH@VERSION`; the version is empty where there is none."""
    mark = max(text.rfind("@"), text.rfind("#"))
    return (text[:mark], text[mark + 1 :]) if mark > 0 else (text, "")
